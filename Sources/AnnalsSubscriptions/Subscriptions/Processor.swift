internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

/// A running consumer: its progress, the part of it that is stored, and its new dead letters.
struct Processor: ~Copyable {
  private let consumer: String
  private let file: ConsumerFile
  private let options: ProcessingOptions
  /// The events that the consumer has selected; `nil` for all.
  private let selection: LetterSelection?
  private let turn: ConsumerTurn
  /// The position before which no checkpoint is stored: the next run would begin there, and handle entries
  /// that this one leaves out.
  private let floor: Position
  let observer: (any StoreObserver)?
  /// The time a transaction waits for its turn.
  private let limit: Duration
  /// The checkpoint after the last finished entry.
  private var done: Checkpoint?
  /// The checkpoint that is stored.
  private var stored: Checkpoint?
  /// The number of entries handled since the last store.
  private var handled = 0

  init(
    _ consumer: String, _ file: ConsumerFile, _ options: ProcessingOptions, _ turn: consuming ConsumerTurn,
    from floor: Position, selecting selection: LetterSelection?, within limit: Duration,
    _ observer: (any StoreObserver)?
  ) {
    self.observer = observer
    self.selection = selection
    self.limit = limit
    self.consumer = consumer
    self.file = file
    self.options = options
    self.turn = turn
    self.floor = floor
  }

  /// Records that all entries up to a checkpoint are finished. One before the floor is not stored.
  ///
  /// - Parameters:
  ///   - count: The number of entries handled among them.
  ///   - isResting: Whether there is nothing else to do now.
  mutating func finish(
    _ checkpoint: Checkpoint, count: Int, isResting: Bool = false, isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    handled += count
    guard checkpoint.position >= floor else { return }
    done = checkpoint
    if isResting || handled >= max(1, options.interval) { try await store(isolation: actor) }
  }

  /// Stores the checkpoint.
  mutating func store(isolation actor: isolated (any Actor)?) async throws(AnnalsError) {
    handled = 0
    guard let done, done != stored else { return }
    try await file.store(done, of: consumer, within: limit)
    stored = done
  }

  /// Makes an entry a dead letter, and records it as finished.
  private mutating func deadLetter(
    _ key: (position: Position, path: [UInt32]), _ row: DeadLetterRow, after checkpoint: Checkpoint,
    isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    let kept = checkpoint.position >= floor ? checkpoint : nil
    try await file.store(
      kept, of: consumer, [.put(key: DeadLetterRow.key(consumer, key.position, key.path), row)],
      within: limit)
    if let kept { (done, stored, handled) = (kept, kept, 0) }
    observer?.deadLettered(
      DeadLetterActivity(
        consumer: consumer, position: key.position, stream: row.stream, attempts: row.attempts))
  }

  /// The policy for an entry that cannot be handled.
  var policy: PoisonPolicy { options.poison }

  /// Makes a dead letter of an entry that the plan cannot read.
  mutating func deadLetter(
    _ entry: UnreadableEntry, after checkpoint: Checkpoint, isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    try await deadLetter(
      (entry.position, []),
      row(entry.stream, checkpoint, AnnalsError.reason(entry.error), attempts: 1, isUnreadable: true),
      after: checkpoint, isolation: actor)
  }

  /// Makes a dead letter of an entry that the handler cannot handle.
  mutating func deadLetter<Event>(
    _ element: SubscribedEntry<Entry<Event>>, reason: String, attempts: Int,
    isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    try await deadLetter(
      (element.entry.position, element.entry.path),
      row(element.entry.stream, element.place, reason, attempts: attempts, isUnreadable: false),
      after: element.checkpoint, isolation: actor)
  }

  private func row(
    _ stream: StreamName, _ place: Checkpoint, _ reason: String, attempts: Int, isUnreadable: Bool
  ) -> DeadLetterRow {
    DeadLetterRow(
      consumer: consumer, stream: stream, reason: reason, attempts: attempts,
      time: Timestamp.now.microseconds, isUnreadable: isUnreadable, place: place, selection: selection)
  }

  /// Reports that the handler is about to be called again.
  func reportRetry(_ attempt: Int, of stream: StreamName) {
    observer?.retried(RetryActivity(work: .handler, name: consumer, stream: stream, attempt: attempt))
  }

  /// Returns the error for an entry that stops the consumer.
  func stopped(at position: Position, _ stream: StreamName, by cause: any Error) -> AnnalsError {
    AnnalsError(
      .ruleFailed,
      "position \(position), stream '\(stream)': the consumer '\(consumer)' could not handle the entry: \(AnnalsError.reason(cause))",
      details: AnnalsError.Details {
        $0.position = position
        $0.stream = stream
      }, underlying: cause)
  }
}
