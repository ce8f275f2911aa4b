public import AnnalsCoding

/// An entry that a consumer has put aside, because it could not be handled.
public struct DeadLetter: Hashable, Sendable {
  /// Where the entry stands.
  public let position: Position
  /// Which part of a split it is; `[]` for an entry that no rule has split.
  public let path: [UInt32]
  /// The stream of the entry.
  public let stream: StreamName
  /// Why it was put aside: the message of an ``AnnalsError``, or the type of any other error. It holds no payload.
  public let reason: String
  /// How often it was tried.
  public let attempts: Int
  /// When it was put aside.
  public let time: Timestamp
  /// Whether the plan could not read the entry, so that the consumer has not seen it.
  public let isUnreadable: Bool
  /// The entry as the log had it; `nil` for a letter of an older library.
  let place: Checkpoint?
  /// The events that the consumer had selected; `nil` for all, and for a letter of an older library.
  let selection: LetterSelection?

  init(_ row: DeadLetterRow, position: Position, path: [UInt32]) {
    self.position = position
    self.path = path
    stream = row.stream
    reason = row.reason
    attempts = row.attempts
    time = Timestamp(microseconds: row.time)
    isUnreadable = row.isUnreadable
    place = row.place
    selection = row.selection
  }

  /// Whether an event of the entry is part of the letter.
  ///
  /// A stage that came later may have split the part further. An earlier version may not split it yet.
  func covers(_ path: [UInt32]) -> Bool { path.starts(with: self.path) || self.path.starts(with: path) }

  /// The letter's row after another try.
  func row(of consumer: String, _ reason: String, attempts: Int) -> DeadLetterRow {
    DeadLetterRow(
      consumer: consumer, stream: stream, reason: reason, attempts: attempts,
      time: Timestamp.now.microseconds, isUnreadable: isUnreadable, place: place, selection: selection)
  }
}

/// How far a consumer is.
public struct ConsumerInfo: Hashable, Sendable {
  /// The name.
  public let name: String
  /// Behind which entry it goes on.
  public let checkpoint: Checkpoint
  /// When that was stored.
  public let time: Timestamp
  /// How many entries the log has behind it; 0 also where it has fewer.
  public let lag: UInt64
  /// How many entries it has put aside.
  public let deadLetters: Int
}

extension AnnalsError {
  /// Why an entry was put aside, without what a stranger's error may say of it.
  static func reason(_ cause: any Error) -> String {
    (cause as? AnnalsError).map { "\($0)" } ?? "\(type(of: cause))"
  }
}
