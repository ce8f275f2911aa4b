public import AnnalsCoding
public import AnnalsLog
public import AnnalsSchema

extension EventStore {
  /// Appends `events` to the end of `stream`, all of them or none.
  ///
  /// The events are durable on return. With ``StoreOptions/Durability/relaxed``, a power loss may lose the
  /// last commit. Calls that wait at the same time share a commit. Cancelling the task withdraws a call that
  /// is still waiting.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, nothing is written and no stream is created.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` with code `rejected` or `ruleFailed` if an inline projection refuses an event,
  ///   `requiresActivation` if an earlier version of such a projection is in force, `conflict`,
  ///   `streamClosed`, `streamMoved`, `invalidName`, `tooLarge`, `malformed`, `shapeChanged`, `superseded`,
  ///   `newerSchema`, `unrepresentable`, `busy`, `readOnly`, `appendsSuspended`, `needsNewer`, `permission`,
  ///   `diskFull`, `notCommitted`, `outcomeUnknown`, `storeReplaced`, `lockFileDamaged`, `damaged`,
  ///   `usedAfterFork`, `inputOutput` or `cancelled`.
  /// - Complexity: O(`events.count`), and one flush to disk for all calls that wait at the same time.
  @discardableResult
  public func append(
    _ events: [Event], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Appends events with their own ids, metadata or times to the end of `stream`, all of them or none.
  ///
  /// A call whose events have ids and are all in the stream already, in the same order, writes nothing. It
  /// returns their places and ignores its expectation. The store's ``StoreOptions/idempotency`` sets how far
  /// back ids are recognised. By default these are the newest 64 entries of the stream, and a call repeated
  /// later is stored again. With ``StoreOptions/Idempotency/always``, ids are recognised forever.
  ///
  /// Only the stream itself is searched for ids. If it is empty because a pass has moved its entries, a call
  /// with ids fails with `streamMoved`, which names the new streams. The same error is thrown if the ids are
  /// in the stream, among entries that a pass has merged from several streams.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  /// - Returns: The places of the events.
  /// - Throws: The errors of ``append(_:to:expecting:)-([Event],_,_)``, and `duplicateID` or
  ///   `partialDuplicate`.
  @_disfavoredOverload
  @discardableResult
  public func append(
    _ events: [NewEvent<Event>], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Appends events to several streams, all of them or none, if every expectation holds.
  ///
  /// - Parameter body: Collects the events to append and the streams to check. It runs on the caller's actor.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: The errors of the other forms; a `conflict` lists every expectation that did not hold.
  @discardableResult
  nonisolated(nonsending) public func append(
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await append(under: nil, body)
  }

  /// Appends what `body` collects on the caller's actor, and returns to that actor.
  nonisolated(nonsending) func append(
    under condition: AppendCondition?, _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    // Swift 6.3 does not return to the caller's actor with an error that nothing catches here.
    do throws(AnnalsError) {
      return try await append(encode(within: try await log.core.admit(log.options), unless: condition, body))
    } catch { throw error }
  }

  /// Passes a call to the writer, encoded again for another phase of the version's roll-out if necessary.
  func append(_ call: EncodedCall<Event>) async throws(AnnalsError) -> Appended {
    var call = call
    while true {
      call.request.rules = rules(call.form)
      do throws(AnnalsError) { return try await log.append(call.request) } catch {
        try encodeAgain(&call, after: error)
      }
    }
  }
}

extension AppendCall {
  /// Adds `events` to the end of `stream`.
  ///
  /// Expectations apply to the stream as it was before the call, even if the call appends to it twice.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have.
  // Inlinable, so that it is specialised where the event's type is known. As generic code, a call took twice
  // as long.
  @inlinable
  public mutating func append<Bare: SchemaEvent>(
    _ events: [Bare], to stream: StreamName, expecting expected: Expectation = .any
  ) where Event == NewEvent<Bare> {
    guard takesEncoded else { return append(events.map { NewEvent($0) }, to: stream, expecting: expected) }
    guard begin(stream, expected) else { return }
    for event in events {
      var payload: [UInt8] = []
      payload.reserveCapacity(64)
      do throws(CodingFailure) { try event.encode(into: &payload) } catch { return refuse(error) }
      guard add(payload, case: event.caseIndex, tags: wantsTags ? event.tags : []) else { return }
    }
  }
}
