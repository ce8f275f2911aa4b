public import AnnalsCoding

/// Something about a store that is not as docs/format.md says.
public struct Finding: Hashable, Sendable {
  /// Where it is: a position, a row of a table, or a page of the file.
  public let place: String
  /// The position of the entry concerned, where there is one.
  public let position: Position?
  /// What is wrong; never a payload.
  public let problem: String
  /// What mends it.
  public let repair: Repair

  /// What mends a finding.
  public enum Repair: String, Hashable, Sendable {
    /// The bytes are lost: only a backup has them.
    case restore = "restore from a backup"
    /// The rows follow from the log and can be made again from it.
    case rebuild = "rebuild from the log"
    /// A newer version of the library knows more.
    case upgrade = "use a newer version"
  }

  init(place: String, position: Position? = nil, problem: String, repair: Repair) {
    self.place = place
    self.position = position
    self.problem = problem
    self.repair = repair
  }
}
