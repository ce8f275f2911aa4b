public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Handles the entries of the store in order, each at least once, and stores a checkpoint under a name.
  ///
  /// ```swift
  /// try await store.process("mailer", to: [\.orderPlaced], options: ProcessingOptions(poison:
  /// .deadLetter(after: 3))) { element in
  ///   try await mail(element.entry.event)
  /// }
  /// ```
  ///
  /// It begins after the checkpoint stored under the name, and follows the log until its task is cancelled,
  /// which is not an error. It stores the checkpoint only after entries are handled. Some entries are
  /// therefore delivered again after a crash, so let the handler recognise a repeated entry by its
  /// ``Entry/position``. Only one task of all processes handles entries for a name.
  ///
  /// An entry that the plan cannot read is never passed over, even if the store was opened with
  /// `StoreOptions.unreadable` as `quarantine`: the policy of the options decides. An event of a newer type
  /// is passed over with `StoreOptions.newerTypes` as `skip`, and a newer program never gets it under the
  /// name.
  ///
  /// - Parameters:
  ///   - consumer: The name, 1 to 500 bytes of UTF-8 without NUL.
  ///   - start: The place to begin if no checkpoint is stored. The default is the first entry. With
  ///     ``SubscriptionStart/after(_:)`` a position beyond the end, none is stored until the log reaches it.
  ///   - events: The types of events to handle. The checkpoint moves past all others.
  ///   - prefix: The prefix of the names of the streams. The default matches all.
  ///   - options: The policy for entries that cannot be handled, and how often the checkpoint is stored.
  ///   - actor: The isolation in which `handle` runs: the caller's.
  ///   - handle: Handles one entry. It is called again for the same entry only if
  ///     ``ProcessingOptions/poison`` says so.
  /// - Throws: ``AnnalsError`` with code `ruleFailed` and the position if `handle` throws and processing
  ///   stops. Code `busy` if another task or process handles entries for the name. Also `readOnly`,
  ///   `invalidName`, `checkpointMismatch`, and the errors of ``Subscription`` and ``EventLog/keep(_:of:)``.
  public func process(
    _ consumer: String, startingAt start: SubscriptionStart = .beginning,
    to events: EventQuery<Event> = .all, streamPrefix prefix: String? = nil,
    options: ProcessingOptions = ProcessingOptions(), isolation actor: isolated (any Actor)? = #isolation,
    _ handle: (SubscribedEntry<Entry<Event>>) async throws -> Void
  ) async throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let file = try log.createdConsumers()
    guard let turn = try await ConsumerTurn.take(consumer, in: file, of: log, waiting: options.takesOver)
    else {
      return
    }
    let isKnown = try file.checkpoint(of: consumer) != nil
    var floor: Position = 0
    if !isKnown, case .after(let position) = start { floor = position }
    var processor = Processor(
      consumer, file, options, turn, from: floor, selecting: events.letterSelection(in: reach.plan),
      within: log.options.lockTimeout, log.options.observer)
    // The checkpoint is shared with programs that can read more, so no entry is passed over in silence.
    var steps = steps(
      from: isKnown ? .stored(consumer) : start, to: events, streamPrefix: prefix, through: reach.stopping()
    ).makeAsyncIterator()
    do throws(AnnalsError) {
      while !Task.isCancelled, let step = try await steps.next(isolation: actor) {
        switch step {
        case .step(.entry(let element)):
          if let error = try await processor.attempt(element, isolation: actor, handle) {
            if Task.isCancelled { break }
            throw error
          }
        case .step(.passed(let checkpoint)):
          try await processor.finish(checkpoint, count: 0, isResting: true, isolation: actor)
        case .step(.caughtUp(let checkpoint)):
          try await processor.finish(checkpoint, count: 0, isResting: true, isolation: actor)
          if options.endsAtHead { return }
        case .unreadable(let entry, let checkpoint):
          guard options.poison.attempts != nil else { throw entry.error }
          try await processor.deadLetter(entry, after: checkpoint, isolation: actor)
        }
      }
    } catch {
      // Finished work is stored in any case. The first failure is the one to report.
      do throws(AnnalsError) { try await processor.store(isolation: actor) } catch {}
      throw error
    }
    try await processor.store(isolation: actor)
  }
}

extension ConsumerTurn {
  /// The time between two attempts to take the turn.
  private static let interval = Duration.milliseconds(100)

  /// Takes the turn, waiting for it if needed.
  ///
  /// - Returns: `nil` if the task is cancelled while it waits.
  static func take(
    _ consumer: String, in file: ConsumerFile, of log: EventLog, waiting: Bool
  ) async throws(AnnalsError) -> ConsumerTurn? {
    while true {
      do throws(AnnalsError) { return try take(consumer, in: file) } catch {
        guard waiting, error.code == .busy else { throw error }
      }
      // A cancelled sleep returns at once, so cancellation is reported here without another attempt.
      do { try await Task.sleep(for: interval) } catch { return nil }
      // Follows a switch, so that a task that only waits does not keep the former generation open. The reads
      // after the wait report a failure.
      _ = try? log.core.newest()
    }
  }
}

extension Processor {
  /// Passes an entry to a handler, as often as the policy allows.
  ///
  /// - Returns: The error that stops the consumer; `nil` if the entry is finished.
  mutating func attempt<Event>(
    _ element: SubscribedEntry<Entry<Event>>, isolation actor: isolated (any Actor)?,
    _ handle: (SubscribedEntry<Entry<Event>>) async throws -> Void
  ) async throws(AnnalsError) -> AnnalsError? {
    let entry = element.entry
    var attempt = 1
    while true {
      var cause: (any Error)?
      do { try await handle(element) } catch { cause = error }
      guard let error = cause else {
        try await finish(element.checkpoint, count: 1, isolation: actor)
        return nil
      }
      guard !Task.isCancelled, let most = policy.attempts else {
        return stopped(at: entry.position, entry.stream, by: error)
      }
      if attempt >= most {
        try await deadLetter(element, reason: AnnalsError.reason(error), attempts: attempt, isolation: actor)
        return nil
      }
      attempt += 1
      reportRetry(attempt, of: entry.stream)
      // A task that is cancelled meanwhile tries once more; the check for cancellation follows.
      // The sum of the pause and the present must have room.
      do { try await Task.sleep(for: min(policy.pause, .seconds(UInt32.max))) } catch {}
    }
  }
}
