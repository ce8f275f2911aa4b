internal import AnnalsCoding

/// The progress of an open that reads or rewrites the log before it returns.
public struct OpenProgress: Hashable, Sendable {
  /// The work of an open on the whole log.
  public enum Step: String, Hashable, Sendable {
    /// Reads the events that were stored without a version, which the plan adopts.
    case adopting
    /// Computes the contexts and the groups of folds of the plan's stages.
    case preparing
    /// Folds inline projections.
    case folding
    /// Runs a migration pass that ends before the open returns.
    case migrating
  }

  /// The current work.
  public let step: Step
  /// The number of positions that the step has read; a step may read the log more than once.
  public let done: UInt64
  /// The number of positions to read.
  public let total: UInt64

  package init(step: Step, done: UInt64, total: UInt64) {
    self.step = step
    self.done = done
    self.total = max(done, total)
  }
}

extension OpenProgress: CustomStringConvertible {
  /// The progress in a few words.
  public var description: String { "\(step.rawValue): \(done) of \(total) entries" }
}
