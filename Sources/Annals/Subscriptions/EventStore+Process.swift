extension EventStore {
  /// Handles the entries of the store one after the other, each at least once, and keeps how far that is under a name.
  ///
  /// ```swift
  /// try await store.process("mailer", to: [\.orderPlaced], options: ProcessingOptions(poison: .deadLetter(after: 3))) { element in
  ///   try await mail(element.entry.event)
  /// }
  /// ```
  ///
  /// It begins behind the checkpoint that is stored under the name and follows the log until its task is cancelled, which is no error. The checkpoint is stored when entries are done
  /// with, never before: after a crash some come again, so the handler should know an entry again by its ``Entry/position``. One task of all processes handles entries for a name.
  ///
  /// - Parameters:
  ///   - consumer: The name, 1 to 500 bytes of UTF-8 without NUL.
  ///   - start: Where it begins as long as no checkpoint is stored; at the first entry by default.
  ///   - events: The types of events that are handled; the checkpoint moves over others.
  ///   - prefix: What the names of the streams begin with; all by default.
  ///   - options: What becomes of entries that cannot be handled, and how often the checkpoint is stored.
  ///   - actor: Where `handle` runs: with the caller.
  ///   - handle: Handles one entry. It is called again for the same one only where ``ProcessingOptions/poison`` says so.
  /// - Throws: ``AnnalsError`` with code `ruleFailed` naming the position where `handle` throws and processing stops, `busy` where another task or process handles entries for the name, `readOnly`,
  ///   `invalidName`, `checkpointMismatch`, and as ``Subscription`` and ``EventLog/keep(_:of:)`` throw.
  public func process(
    _ consumer: String, startingAt start: SubscriptionStart = .beginning,
    to events: EventSelection<Event> = .all, streamPrefix prefix: String? = nil,
    options: ProcessingOptions = ProcessingOptions(), isolation actor: isolated (any Actor)? = #isolation,
    _ handle: (SubscribedEntry<Entry<Event>>) async throws -> Void
  ) async throws(AnnalsError) {
    try NameRule.check(consumer, role: "consumer")
    let file = try log.core.createdConsumers()
    guard let turn = try await ConsumerTurn.take(consumer, in: file, waiting: options.takesOver) else {
      return
    }
    let isKnown = try file.checkpoint(of: consumer) != nil
    var processor = Processor(consumer, file, options, turn, within: log.options.lockTimeout)
    var follower: Follower? = follower(
      from: isKnown ? .stored(consumer) : start, to: events, streamPrefix: prefix)
    do throws(AnnalsError) {
      while let known = follower {
        var page: [FollowStep<Entry<Event>>]
        (follower, page) = try await known.next()
        while !Task.isCancelled, let step = page.popLast() {
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
          case .poison(let poison):
            guard options.poison.attempts != nil else { throw poison.error }
            try await processor.putAside(poison, isolation: actor)
          }
        }
        if Task.isCancelled { follower = nil }
      }
    } catch {
      // What was done is stored all the same; the first failure is the one to tell.
      do throws(AnnalsError) { try await processor.store(isolation: actor) } catch {}
      throw error
    }
    try await processor.store(isolation: actor)
  }

  /// Gives entries that a consumer has put aside to a handler again, and removes those that it handles.
  ///
  /// What the handler cannot handle now either stays, with one attempt more. The consumer may be processing meanwhile; one task of all processes retries for a name.
  ///
  /// - Parameters:
  ///   - consumer: The name.
  ///   - letters: Which ones; all by default. Those that somebody has removed by now are passed over.
  ///   - actor: Where `handle` runs: with the caller.
  ///   - handle: Handles one entry.
  /// - Returns: How many were handled.
  /// - Throws: ``AnnalsError`` with code `busy` where another task or process retries for the name, or has kept the file for the `lockTimeout` of the store's options; as ``EventLog/keep(_:of:)``
  ///   and as reading does. What `handle` throws is noted and not thrown.
  @discardableResult
  public func retryDeadLetters(
    _ consumer: String, _ letters: [DeadLetter]? = nil, isolation actor: isolated (any Actor)? = #isolation,
    _ handle: (Entry<Event>) async throws -> Void
  ) async throws(AnnalsError) -> Int {
    try NameRule.check(consumer, role: "consumer")
    guard try !log.deadLetters(consumer).isEmpty else { return 0 }
    let file = try log.core.createdConsumers()
    let turn = try ConsumerTurn.takeLetters(consumer, in: file)
    let wanted = letters.map { Set($0.map { DeadLetterRow.key(consumer, $0.position, $0.path) }) }
    let limit = log.options.lockTimeout
    var count = 0
    // Only now: who had the turn before may have handled some.
    for letter in try file.letters(of: consumer) where !Task.isCancelled {
      let key = DeadLetterRow.key(consumer, letter.position, letter.path)
      guard wanted?.contains(key) ?? true else { continue }
      // It may have been given up meanwhile.
      let isThere = try file.read { (view) throws(AnnalsError) in
        try file.row(key, in: file.letters, view) { (_) throws(FormatFailure) in true }
      }
      guard isThere == true else { continue }
      var cause: (any Error)?
      do { for entry in try entries(of: letter) { try await handle(entry) } } catch { cause = error }
      if let error = cause {
        if Task.isCancelled { break }
        let row = DeadLetterRow(
          consumer: consumer, stream: letter.stream, reason: AnnalsError.reason(error),
          attempts: letter.attempts + 1, time: Timestamp.now.microseconds, isUnreadable: letter.isUnreadable)
        try await file.store(nil, of: consumer, [.replace(key: key, row)], within: limit)
      } else {
        try await file.store(nil, of: consumer, [.remove(key: key)], within: limit)
        count += 1
      }
    }
    _ = consume turn
    return count
  }

  /// What a letter is of: the parts of the entry that it names, or all where the plan could not read it then.
  private func entries(of letter: DeadLetter) throws(AnnalsError) -> [Entry<Event>] {
    try read { (snapshot) throws(AnnalsError) in
      var found: [Entry<Event>] = []
      var entries = try snapshot.entries(at: letter.position)
      while let entry = try entries.next() {
        if letter.isUnreadable || entry.path == letter.path { found.append(entry) }
      }
      return found
    }
  }

  /// What a consumer has put aside. See ``EventLog/deadLetters(_:)``.
  public func deadLetters(_ consumer: String) throws(AnnalsError) -> [DeadLetter] {
    try log.deadLetters(consumer)
  }

  /// How far a consumer is. See ``EventLog/checkpoint(of:)``.
  public func checkpoint(of consumer: String) throws(AnnalsError) -> Checkpoint? {
    try log.checkpoint(of: consumer)
  }
}

extension ConsumerTurn {
  /// How often a task that waits for its turn looks whether it is free.
  private static let interval = Duration.milliseconds(100)

  /// Takes the turn, or waits for it.
  ///
  /// - Returns: `nil` where the task is cancelled while it waits.
  static func take(
    _ consumer: String, in file: ConsumerFile, waiting: Bool
  ) async throws(AnnalsError) -> ConsumerTurn? {
    while true {
      do throws(AnnalsError) { return try take(consumer, in: file) } catch {
        guard waiting, error.code == .busy else { throw error }
      }
      // A cancelled sleep ends at once, and the look behind it is told here.
      do { try await Task.sleep(for: interval) } catch { return nil }
    }
  }
}

extension Processor {
  /// Gives an entry to a handler, as often as the policy says.
  ///
  /// - Returns: What stops the consumer; `nil` where the entry is done with.
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
        try await putAside(element, reason: AnnalsError.reason(error), attempts: attempt, isolation: actor)
        return nil
      }
      attempt += 1
      // Whoever is cancelled meanwhile tries once more and is asked behind that.
      do { try await Task.sleep(for: policy.pause) } catch {}
    }
  }
}
