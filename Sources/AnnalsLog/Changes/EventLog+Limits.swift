public import AnnalsCoding
package import AnnalsFormat

// Closing and truncating streams.
extension EventLog {
  /// Closes `stream`, which then takes no more events until it is reopened.
  ///
  /// Later appends of events to it fail with `streamClosed`, in every process. Reads work as before, and a
  /// repeated call with ids still returns its places. The change is durable on return and is recorded in the
  /// log as a system entry. Closing a closed stream changes nothing.
  ///
  /// - Parameters:
  ///   - stream: A stream with at least one event.
  ///   - author: Who closes it; recorded verbatim.
  ///   - reason: Why; recorded verbatim.
  /// - Returns: The position of the system entry; `nil` if the stream was closed already.
  /// - Throws: ``AnnalsError`` with code `noSuchStream`, and the errors of an append except `conflict`.
  /// - Complexity: One durable commit.
  @discardableResult
  public func close(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(LogChange(.limit(.close(stream)), author: author, reason: reason))
  }

  /// Reopens `stream`, which then takes events again, after its newest event.
  ///
  /// - Parameters:
  ///   - stream: A stream with at least one event.
  ///   - author: Who reopens it; recorded verbatim.
  ///   - reason: Why; recorded verbatim.
  /// - Returns: The position of the system entry; `nil` if the stream was open.
  /// - Throws: As ``close(_:by:because:)``.
  /// - Complexity: One durable commit.
  @discardableResult
  public func reopen(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(LogChange(.limit(.reopen(stream)), author: author, reason: reason))
  }

  /// Hides the events of `stream` before `revision`, or all of its events.
  ///
  /// From then on, reads of the stream and aggregates do not see these events, in any process. Reads of the
  /// whole log, subscriptions and views see them until `compact` or a migration pass turns them into stubs.
  /// Views keep the rows that they have folded. Positions and revisions do not change.
  ///
  /// A stream without events to read is empty: ``Expectation/noStream`` and ``Expectation/revision(_:)`` with
  /// its newest revision hold for it, but ``Expectation/exists`` does not. The next event continues its
  /// revisions. Hidden events cannot be shown again, and a lower `revision` changes nothing.
  ///
  /// - Parameters:
  ///   - stream: A stream with at least one event.
  ///   - revision: The oldest revision that is still read. A revision after the head hides all events, but
  ///     none that are appended later. `nil` hides all events.
  ///   - author: Who truncates it; recorded verbatim.
  ///   - reason: Why; recorded verbatim.
  /// - Returns: The position of the system entry; `nil` if nothing was hidden.
  /// - Throws: As ``close(_:by:because:)``.
  /// - Complexity: One durable commit, regardless of the number of events.
  @discardableResult
  public func truncate(
    _ stream: StreamName, before revision: Revision? = nil, by author: String = "",
    because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(LogChange(.limit(.truncate([(stream, revision)])), author: author, reason: reason))
  }

  /// Passes a change to the writer.
  ///
  /// - Returns: The position of the system entry; `nil` if nothing changed.
  package func change(_ change: LogChange) async throws(AnnalsError) -> Position? {
    let room = try await core.admit(options)
    var request = try AppendRequest(change)
    request.take(room)
    return try await append(request).positions.first
  }
}

extension AppendRequest {
  /// A call that makes a change of the log itself.
  package init(_ change: LogChange) throws(AnnalsError) {
    try change.check()
    self.init(time: Timestamp.now.microseconds)
    self.change = change
  }
}

extension LogChange {
  /// Throws unless names and texts can be stored.
  func check() throws(AnnalsError) {
    switch work {
    case .limit(.close(let stream)), .limit(.reopen(let stream)): try Self.check(stream)
    case .limit(.truncate(let wanted)): for (stream, _) in wanted { try Self.check(stream) }
    case .limit(.retain(let wanted)): for (stream, _, _) in wanted.streams { try Self.check(stream) }
    case .erase, .roll: break
    case .retain(let rule, _): try rule.check()
    }
    for (text, role) in [(author, "the author"), (reason, "the reason")]
    where text.utf8.count > AppendLimit.text {
      throw AnnalsError(
        .tooLarge,
        "\(role) of a change has at most \(AppendLimit.text) bytes, and this one has \(text.utf8.count)")
    }
  }

  private static func check(_ stream: StreamName) throws(AnnalsError) {
    try NameRule.check(stream.text, role: "stream")
    guard !SystemEntry.isReserved(stream) else { throw AnnalsError(reservedStream: stream) }
  }
}
