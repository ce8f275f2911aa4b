internal import AnnalsCoding
internal import AnnalsSchema

/// A consumer at work: what it has done with, what is stored of that, and what it puts aside.
struct Processor: ~Copyable {
  private let consumer: String
  private let file: ConsumerFile
  private let options: ProcessingOptions
  /// The events that the consumer has selected; `nil` for all.
  private let selection: LetterSelection?
  private let turn: ConsumerTurn
  /// How long a transaction waits for its turn.
  private let limit: Duration
  /// Behind what everything is done with.
  private var done: Checkpoint?
  /// What of that is stored.
  private var stored: Checkpoint?
  /// How many entries were handled since.
  private var handled = 0

  init(
    _ consumer: String, _ file: ConsumerFile, _ options: ProcessingOptions, _ turn: consuming ConsumerTurn,
    selecting selection: LetterSelection?, within limit: Duration
  ) {
    self.selection = selection
    self.limit = limit
    self.consumer = consumer
    self.file = file
    self.options = options
    self.turn = turn
  }

  /// Takes note that everything up to a checkpoint is done with.
  ///
  /// - Parameters:
  ///   - count: How many entries of that were handled.
  ///   - isResting: Whether nothing else is to be done now.
  mutating func finish(
    _ checkpoint: Checkpoint, count: Int, isResting: Bool = false, isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    done = checkpoint
    handled += count
    if isResting || handled >= max(1, options.interval) { try await store(isolation: actor) }
  }

  /// Stores how far it is.
  mutating func store(isolation actor: isolated (any Actor)?) async throws(AnnalsError) {
    handled = 0
    guard let done, done != stored else { return }
    try await file.store(done, of: consumer, within: limit)
    stored = done
  }

  /// Puts an entry aside, and is done with it.
  private mutating func putAside(
    _ key: (position: Position, path: [UInt32]), _ row: DeadLetterRow, behind checkpoint: Checkpoint,
    isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    try await file.store(
      checkpoint, of: consumer, [.put(key: DeadLetterRow.key(consumer, key.position, key.path), row)],
      within: limit)
    (done, stored, handled) = (checkpoint, checkpoint, 0)
  }

  /// What becomes of an entry that cannot be handled.
  var policy: PoisonPolicy { options.poison }

  /// Puts an entry aside that the plan cannot read.
  mutating func putAside(
    _ entry: UnreadableEntry, behind checkpoint: Checkpoint, isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    try await putAside(
      (entry.position, []),
      row(entry.stream, checkpoint, "\(entry.error)", attempts: 1, isUnreadable: true),
      behind: checkpoint, isolation: actor)
  }

  /// Puts an entry aside that the handler cannot handle.
  mutating func putAside<Event>(
    _ element: SubscribedEntry<Entry<Event>>, reason: String, attempts: Int,
    isolation actor: isolated (any Actor)?
  ) async throws(AnnalsError) {
    try await putAside(
      (element.entry.position, element.entry.path),
      row(element.entry.stream, element.place, reason, attempts: attempts, isUnreadable: false),
      behind: element.checkpoint, isolation: actor)
  }

  private func row(
    _ stream: StreamName, _ place: Checkpoint, _ reason: String, attempts: Int, isUnreadable: Bool
  ) -> DeadLetterRow {
    DeadLetterRow(
      consumer: consumer, stream: stream, reason: reason, attempts: attempts,
      time: Timestamp.now.microseconds, isUnreadable: isUnreadable, place: place, selection: selection)
  }

  /// What is told of an entry that stops it.
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
