public import AnnalsCoding

/// An entry that a consumer could not handle and set apart.
public struct DeadLetter: Hashable, Sendable {
  /// The position of the entry.
  public let position: Position
  /// The path of the part of a split; `[]` for an entry that no rule has split.
  public let path: [UInt32]
  /// The stream of the entry.
  public let stream: StreamName
  /// The reason: the message of an ``AnnalsError``, or the type of any other error. It contains no payload.
  public let reason: String
  /// The number of attempts to handle the entry.
  public let attempts: Int
  /// The time when the entry was set apart. Further attempts do not change it.
  public let time: Timestamp
  /// Whether the plan could not read the entry, so that the consumer has not seen it.
  public let isUnreadable: Bool
  /// The entry as it was in the log; `nil` for a letter of an older library.
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

  /// Whether an event of the entry belongs to the letter.
  ///
  /// A later stage may have split the part further, and an earlier version may not split it yet.
  func covers(_ path: [UInt32]) -> Bool { path.starts(with: self.path) || self.path.starts(with: path) }

  /// Makes the letter's row after another attempt.
  func row(of consumer: String, _ reason: String, attempts: Int) -> DeadLetterRow {
    DeadLetterRow(
      consumer: consumer, stream: stream, reason: reason, attempts: attempts, time: time.microseconds,
      isUnreadable: isUnreadable, place: place, selection: selection)
  }
}

/// The state of a consumer.
public struct ConsumerInfo: Hashable, Sendable {
  /// The name of the consumer.
  public let name: String
  /// The checkpoint after which the consumer continues.
  public let checkpoint: Checkpoint
  /// The time when the checkpoint was stored.
  public let time: Timestamp
  /// The number of entries in the log after the checkpoint; 0 also if the log ends before it.
  public let lag: UInt64
  /// The number of the consumer's dead letters.
  public let deadLetters: Int
}

extension AnnalsError {
  /// Returns the reason for setting an entry apart. Of a foreign error, and of one that a rule has thrown, it
  /// contains the type only, because the message may hold private data.
  static func reason(_ cause: any Error) -> String {
    guard let error = cause as? AnnalsError else { return "\(type(of: cause))" }
    guard error.code == .ruleFailed, let thrown = error.underlying else { return "\(error)" }
    return "\(error)".withholding(thrown)
  }
}
