public import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where a subscription begins.
public enum SubscriptionStart: Sendable {
  /// At the first entry of the log.
  case beginning
  /// Behind the entry that was the last one when the subscription was asked for.
  case end
  /// Behind the entry at a position, which may come later.
  case after(Position)
  /// Behind the entry that a checkpoint is of. It is compared with the log first.
  case checkpoint(Checkpoint)
  /// Behind the checkpoint that the store keeps under a name; at the first entry where it keeps none.
  case stored(String)
}

/// Why a checkpoint is none of a log as it is now; the ``AnnalsError/underlying`` of an error with code `checkpointMismatch`.
public enum CheckpointMismatch: Error, Hashable, Sendable {
  /// It is of another log.
  case otherLog
  /// The log ends before it, at the position given: it lost its end to a power cut, or was restored from a backup.
  case ahead(of: Position)
  /// Another entry stands at its position: the log lost its end or was restored, and went on.
  case differs
}

extension AnnalsError {
  /// A checkpoint that is none of the log as it is.
  ///
  /// - Parameter owner: Whose it is, in words.
  init(_ mismatch: CheckpointMismatch, _ checkpoint: Checkpoint, of owner: String) {
    let reason =
      switch mismatch {
      case .otherLog: "is of another log, \(checkpoint.log)"
      case .ahead(let last):
        "is at position \(checkpoint.position), and the log ends at \(last): it lost its end, or was restored from a backup"
      case .differs:
        "is of another entry at position \(checkpoint.position) than the log has there: it lost its end or was restored, and went on"
      }
    self.init(
      .checkpointMismatch,
      "\(owner) \(reason); undo what was done for entries that are gone, then begin from a position that is certain",
      details: Details { $0.position = checkpoint.position }, underlying: mismatch)
  }
}

extension StoreReader {
  /// Throws unless a checkpoint is one of this log.
  func mustAgree(
    with checkpoint: Checkpoint, log: UUID, of owner: @autoclosure () -> String
  ) throws(AnnalsError) {
    let mismatch: CheckpointMismatch
    switch try agreement(with: checkpoint, log: log) {
    case .agrees: return
    case .otherLog: mismatch = .otherLog
    case .ahead(let last): mismatch = .ahead(of: last)
    case .differs: mismatch = .differs
    }
    throw AnnalsError(mismatch, checkpoint, of: owner())
  }
}
