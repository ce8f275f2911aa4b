internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// The right to handle entries for a consumer. One task in one process has it at a time.
///
/// Each turn opens the lock file again, so that two tasks of a process exclude each other as two processes
/// do, on any thread.
final class ConsumerTurn: Sendable {
  private let hold: FileLock.Hold

  private init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }

  /// Takes the turn.
  ///
  /// - Throws: `busy` if another task or process has it.
  static func take(_ consumer: String, in file: ConsumerFile) throws(AnnalsError) -> ConsumerTurn {
    try take(consumer, consumer, "is processing already", in: file)
  }

  /// Takes the turn to retry the consumer's dead letters.
  ///
  /// - Throws: `busy` if another task or process has it.
  static func takeLetters(_ consumer: String, in file: ConsumerFile) throws(AnnalsError) -> ConsumerTurn {
    // No consumer's name contains NUL.
    try take(consumer, consumer + "\0letters", "retries what it has put aside already", in: file)
  }

  private static func take(
    _ consumer: String, _ lockName: String, _ doing: String, in file: ConsumerFile
  ) throws(AnnalsError) -> ConsumerTurn {
    let lock = try files { () throws(StoreFileError) in
      try FileLock(fileName(lockName), in: file.directory)
    }
    if let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) {
      return ConsumerTurn(hold)
    }
    let holder = try files { () throws(StoreFileError) in try lock.lastHolder() }
    throw AnnalsError(
      .busy,
      "the consumer '\(consumer)' \(doing)\(holder.map { ", in process \($0)" } ?? ""); end that one first, or wait for it",
      details: AnnalsError.Details { $0.holder = holder })
  }

  /// Returns the name of a lock file, which does not reveal the consumer's name.
  private static func fileName(_ name: String) -> String {
    let digits = DeadLetterRow.keyStart(name).prefix(8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "consumer-\(digits.joined()).lock"
  }
}
