package import AnnalsCoding

/// The row in `meta` for one version of a rule that appends go through, which is an inline projection. Its
/// number is in the row's name, and is the prefix of its rows in the table `inline`.
package struct RuleRow: Equatable, Sendable {
  /// The state of the version.
  package enum State: UInt8, Sendable {
    /// Stored entries are being folded, while an older version may be in force.
    case building = 0
    /// In force: each append by a program that knows it folds it.
    case live = 1
    /// A newer version is in force, and the rows are being removed.
    case retired = 2
  }

  /// The number of the version, from 1.
  package var number: UInt16
  package var state = State.building
  /// Whether programs that do not know it are refused once it is live. Earlier libraries had projections
  /// without this; they count as not in force until the next activation.
  package var isMandatory: Bool
  /// The version of the fold.
  package var version: Int
  /// The name of the projection.
  package var name: String
  /// The description of its tables.
  package var text: String
  /// The position of the last folded entry, stored in the row `folded`.
  package var folded: UInt64 = 0

  package init(number: UInt16, isMandatory: Bool = true, version: Int, name: String, text: String) {
    self.number = number
    self.isMandatory = isMandatory
    self.version = version
    self.name = name
    self.text = text
  }

  /// The prefix of the names of the rows.
  package static let prefix = "inline "
  /// The name of the row with the positions up to which all are folded.
  package static let foldedName = "folded"

  /// The row's name in `meta`.
  package var rowName: String { Self.prefix + String(number) }

  /// The prefix of every key of its rows.
  package var keyPrefix: [UInt8] { Self.keyPrefix(number) }

  /// Returns the prefix of every key of the rows of a number: the number, highest byte first.
  package static func keyPrefix(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  /// Whether every append goes through it, so that programs that do not know it may not append.
  package var isInForce: Bool { state == .live && isMandatory }

  /// State, 1 where it is mandatory and else 0, version (varint), name and tables (counted).
  package func encoded() -> [UInt8] {
    var bytes = [state.rawValue, isMandatory ? 1 : 0]
    bytes.append(varint: UInt64(version))
    bytes.append(counted: name.utf8)
    bytes.append(counted: text.utf8)
    return bytes
  }

  package init(number: UInt16, _ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    guard let state = State(rawValue: try reader.byte()) else { throw FormatFailure(.value, at: 0) }
    let mandatory = try reader.flag()
    self.number = number
    self.state = state
    isMandatory = mandatory
    self.version = Int(try reader.number(in: FormatRange.folds))
    name = try reader.countedText()
    text = try reader.countedText()
    try reader.finish()
  }

  /// Count, then number and position of each (varints).
  package static func folded(_ rows: [RuleRow]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(rows.count))
    for row in rows {
      bytes.append(varint: UInt64(row.number))
      bytes.append(varint: row.folded)
    }
    return bytes
  }
}
