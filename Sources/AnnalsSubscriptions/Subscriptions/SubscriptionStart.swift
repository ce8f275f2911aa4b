public import AnnalsCoding
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The place where a subscription begins.
public enum SubscriptionStart: Sendable {
  /// At the first entry of the log.
  case beginning
  /// After the entry that is the last one when the subscription is created.
  case end
  /// After the entry at a position, which may not exist yet. Until it does, restart with the position,
  /// because a subscription from a checkpoint before it delivers the entries in between.
  case after(Position)
  /// After the entry of a checkpoint, which is first compared with the log.
  case checkpoint(Checkpoint)
  /// After the checkpoint that the store keeps under a name; at the first entry if there is none.
  case stored(String)
}

/// The reason that a checkpoint does not match a log; the ``AnnalsError/underlying`` of an error with code
/// `checkpointMismatch`.
public enum CheckpointMismatch: Error, Hashable, Sendable {
  /// The checkpoint is of another log.
  case otherLog
  /// The log ends before the checkpoint, at the given position: a power loss took its end, or it was restored
  /// from a backup.
  case ahead(of: Position)
  /// The log has another entry at the position: it lost its end or was restored, and then grew again, or a
  /// repair has replaced the entry because it could not be read.
  case differs
}

extension AnnalsError {
  /// Creates the error for a checkpoint that does not match the log.
  ///
  /// - Parameters:
  ///   - owner: The owner of the checkpoint, in words.
  ///   - isReplaced: Whether a repair has replaced the entry at its position.
  init(
    _ mismatch: CheckpointMismatch, _ checkpoint: Checkpoint, of owner: String, isReplaced: Bool
  ) {
    let reason =
      switch mismatch {
      case .otherLog: "is of another log, \(checkpoint.log)"
      case .ahead(let last):
        "is at position \(checkpoint.position), and the log ends at \(last): it lost its end, or was restored from a backup"
      case .differs where isReplaced:
        "is at position \(checkpoint.position), where a repair has replaced an entry that could not be read, so that the two cannot be compared"
      case .differs:
        "is of another entry at position \(checkpoint.position) than the log has there: it lost its end or was restored, and went on"
      }
    let remedy =
      isReplaced
      ? "unless the log also lost its end or was restored, nothing is to be undone: begin after this position"
      : "undo what was done for entries that are gone, then begin from a position that is certain"
    self.init(
      .checkpointMismatch, "\(owner) \(reason); \(remedy)",
      details: Details { $0.position = checkpoint.position }, underlying: mismatch)
  }
}

extension StoreReader {
  /// Throws unless a checkpoint matches this log.
  func mustAgree(
    with checkpoint: Checkpoint, log: UUID, of owner: @autoclosure () -> String
  ) throws(AnnalsError) {
    let mismatch: CheckpointMismatch
    var isReplaced = false
    switch try agreement(with: checkpoint, log: log) {
    case .agrees: return
    case .otherLog: mismatch = .otherLog
    case .ahead(let last): mismatch = .ahead(of: last)
    case .differs:
      mismatch = .differs
      isReplaced = try isReplacement(at: checkpoint.position)
    }
    throw AnnalsError(mismatch, checkpoint, of: owner(), isReplaced: isReplaced)
  }
}
