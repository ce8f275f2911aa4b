public import AnnalsCoding

/// A difference between a store and docs/format.md.
public struct Finding: Hashable, Sendable {
  /// The place: a position, a row of a table, or a page of the file.
  public let place: String
  /// The position of the entry concerned, if there is one.
  public let position: Position?
  /// The problem; never a payload.
  public let problem: String
  /// The way to repair it.
  public let repair: Repair

  /// The way to repair a finding.
  public enum Repair: String, Hashable, Sendable {
    /// The bytes are lost: only a backup has them.
    case restore = "restore from a backup"
    /// The rows follow from the log and can be made again from it.
    case rebuild = "rebuild from the log"
    /// The file does not follow from the log, and is in no backup. Consumers without it begin again.
    case remove = "remove the file while nobody has the store open"
    /// A newer version of the library knows more.
    case upgrade = "use a newer version"
  }

  package init(place: String, position: Position? = nil, problem: String, repair: Repair) {
    self.place = place
    self.position = position
    self.problem = problem
    self.repair = repair
  }
}
