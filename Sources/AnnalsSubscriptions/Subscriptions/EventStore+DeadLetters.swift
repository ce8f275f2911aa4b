public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Passes a consumer's dead letters to a handler again, and removes those that it handles.
  ///
  /// The handler receives each event of the letter: those that the plan now makes of the part that was set
  /// apart. It receives only events that the consumer had selected, even if they were renamed or split since.
  ///
  /// A letter is removed when all its events are handled. It stays if the handler throws, if its entry still
  /// cannot be read or is no longer in the log, or if the plan makes no selected event of it. Its
  /// ``DeadLetter/reason`` says why. To discard it, call ``EventLog/remove(_:of:)``. If the handler throws at
  /// one of several events, the next retry passes all of them again.
  ///
  /// The consumer may be processing meanwhile. Only one task of all processes may retry for a name.
  ///
  /// - Parameters:
  ///   - consumer: The name.
  ///   - letters: The letters to retry; all by default. Letters that were removed meanwhile are skipped.
  ///   - events: The types of events to pass, instead of those that the consumer had selected. Letters of
  ///     older libraries record no selection: all their events are passed unless you name some.
  ///   - actor: The isolation in which `handle` runs: the caller's.
  ///   - handle: Handles one event.
  /// - Returns: The number of letters that were handled and removed.
  /// - Throws: ``AnnalsError`` with code `busy` if another task or process retries for the name, or has
  ///   locked the file for the `lockTimeout` of the store's options; otherwise as ``EventLog/keep(_:of:)``.
  ///   Errors of `handle` and of reading an entry are recorded in the letter and not thrown.
  @discardableResult
  public func retryDeadLetters(
    _ consumer: String, _ letters: [DeadLetter]? = nil, to events: EventQuery<Event>? = nil,
    isolation actor: isolated (any Actor)? = #isolation, _ handle: (Entry<Event>) async throws -> Void
  ) async throws(AnnalsError) -> Int {
    try NameRule.check(consumer, role: "consumer")
    try log.mustChangeConsumers()
    guard try !log.deadLetters(consumer).isEmpty else { return 0 }
    let file = try log.createdConsumers()
    let turn = try ConsumerTurn.takeLetters(consumer, in: file)
    let wanted = letters.map { Set($0.map { DeadLetterRow.key(consumer, $0.position, $0.path) }) }
    let limit = log.options.lockTimeout
    // Entries that readers skip must not count as handled.
    let reach = reach.stopping()
    var count = 0
    // Read the letters only now: the task that had the turn before may have handled some.
    for letter in try file.letters(of: consumer) where !Task.isCancelled {
      let key = DeadLetterRow.key(consumer, letter.position, letter.path)
      guard wanted?.contains(key) ?? true else { continue }
      // The letter may have been removed meanwhile.
      let isThere = try file.read { (view) throws(AnnalsError) in
        try file.row(key, in: file.letters, view) { (_) throws(FormatFailure) in true }
      }
      guard isThere == true else { continue }
      let change: LetterChange
      do {
        switch try content(of: letter, events, reach) {
        case .events(let found):
          for entry in found { try await handle(entry) }
          change = .remove(key: key)
        case .nothing(let reason):
          if reason == letter.reason { continue }
          change = .replace(key: key, letter.row(of: consumer, reason, attempts: letter.attempts))
        }
      } catch {
        if Task.isCancelled { break }
        let reason = AnnalsError.reason(error)
        change = .replace(key: key, letter.row(of: consumer, reason, attempts: letter.attempts + 1))
      }
      // Outside the `do`: no letter is to blame for an error of the file.
      try await file.store(nil, of: consumer, [change], within: limit)
      if case .remove = change { count += 1 }
    }
    _ = consume turn
    return count
  }

  /// Returns the events that the plan now makes of a letter.
  private func content(
    of letter: DeadLetter, _ events: EventQuery<Event>?, _ reach: PlanResolver
  ) throws(AnnalsError) -> LetterContent<Event> {
    let snapshot = try StoreSnapshot<Event>(log.core, reach)
    if let reason = try snapshot.mismatch(of: letter) { return .nothing(reason) }
    let cases = letter.selection.map { reach.plan.cases(selectedBy: $0) }
    var found: [Entry<Event>] = []
    var entries = try snapshot.entries(at: letter.position)
    while let entry = try entries.next() {
      guard letter.covers(entry.path) else { continue }
      let isSelected = events.map { $0.includes(entry) } ?? cases?.contains(entry.event.caseIndex) ?? true
      if isSelected { found.append(entry) }
    }
    if !found.isEmpty { return .events(found) }
    return .nothing(
      "position \(letter.position): the plan makes no event of the entry that the consumer selected; "
        + "remove the letter if it needs no handling any more"
    )
  }

  /// Returns a consumer's dead letters. See ``EventLog/deadLetters(_:)``.
  public func deadLetters(_ consumer: String) throws(AnnalsError) -> [DeadLetter] {
    try log.deadLetters(consumer)
  }

  /// Returns the checkpoint of a consumer. See ``EventLog/checkpoint(of:)``.
  public func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try log.checkpoint(of: consumer)
  }
}

/// The events that a retry finds for a letter.
private enum LetterContent<Event: SchemaEvent>: Sendable {
  /// The events to handle; at least one.
  case events([Entry<Event>])
  /// No event to handle, with the reason.
  case nothing(String)
}

extension StoreSnapshot {
  /// Explains why the log no longer has the entry of a letter; `nil` if it has the entry.
  fileprivate func mismatch(of letter: DeadLetter) throws(AnnalsError) -> String? {
    if let place = letter.place {
      do throws(AnnalsError) {
        try reader.mustAgree(with: place, log: generation.current.log, of: "the letter's entry")
        return nil
      } catch {
        guard error.code == .checkpointMismatch else { throw error }
        return error.message
      }
    }
    // A letter of an older library identifies its entry by position and stream only.
    guard let stream = try stream(at: letter.position) else {
      return "the letter's entry is at position \(letter.position), and the log has none there any more"
    }
    if stream == letter.stream { return nil }
    if try reader.moved(letter.stream) != nil { return nil }
    return
      "the letter's entry was in stream '\(letter.stream)', and the entry at position \(letter.position) "
      + "is in stream '\(stream)': the log lost its end or was restored, and went on"
  }
}

extension CompiledPlan {
  /// Returns the current cases that selected records of an earlier version can become.
  func cases(selectedBy selection: LetterSelection) -> Set<Int> {
    guard let records = indices[selection.version] else {
      // A program of another version set the letter apart, and names are all that the two versions share.
      return Set(selection.records.compactMap { current.index(of: ExactText($0)) })
    }
    let steps = Set(selection.records.compactMap { records[ExactText($0)] })
    return Set(current.records.indices.filter { sources(of: $0).contains(where: steps.contains) })
  }
}

extension EventQuery {
  /// The selection as a letter records it; `nil` for all events.
  func letterSelection(in plan: CompiledPlan) -> LetterSelection? {
    cases.map { cases in
      LetterSelection(
        version: plan.current.version, records: cases.sorted().map { plan.current.records[$0].name.text })
    }
  }
}
