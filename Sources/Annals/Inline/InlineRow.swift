internal import AnnalsCoding
internal import LMDB

/// The row in `meta` for one version of an inline projection. Its number is in the row's name, and is the
/// prefix of its rows in the table `inline`.
struct InlineRow: Equatable, Sendable {
  /// The state of the version.
  enum State: UInt8, Sendable {
    /// Stored entries are being folded, while an older version may be in force.
    case building = 0
    /// In force: each append by a program that knows it folds it.
    case live = 1
    /// A newer version is in force, and the rows are being removed.
    case retired = 2
  }

  /// The number of the version, from 1.
  var number: UInt16
  var state = State.building
  /// Whether only programs that know it may append.
  var isMandatory: Bool
  /// The version of the fold.
  var version: Int
  /// The name of the projection.
  var name: String
  /// The description of its tables.
  var text: String
  /// The position of the last folded entry, stored in the row `folded`.
  var folded: UInt64 = 0

  init(number: UInt16, isMandatory: Bool, version: Int, name: String, text: String) {
    self.number = number
    self.isMandatory = isMandatory
    self.version = version
    self.name = name
    self.text = text
  }

  /// The prefix of the names of the rows.
  static let prefix = "inline "
  /// The name of the row with the positions up to which all are folded.
  static let foldedName = "folded"

  /// The row's name in `meta`.
  var rowName: String { Self.prefix + String(number) }

  /// The prefix of every key of its rows.
  var keyPrefix: [UInt8] { Self.keyPrefix(number) }

  /// Returns the prefix of every key of the rows of a number: the number, highest byte first.
  static func keyPrefix(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  /// Whether programs that do not know it may not append.
  var isInForce: Bool { state == .live && isMandatory }

  /// State, 1 where it is mandatory and else 0, version (varint), name and tables (counted).
  func encoded() -> [UInt8] {
    var bytes = [state.rawValue, isMandatory ? 1 : 0]
    bytes.append(varint: UInt64(version))
    bytes.append(counted: name.utf8)
    bytes.append(counted: text.utf8)
    return bytes
  }

  init(number: UInt16, _ bytes: Span<UInt8>) throws(FormatFailure) {
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
  static func folded(_ rows: [InlineRow]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(rows.count))
    for row in rows {
      bytes.append(varint: UInt64(row.number))
      bytes.append(varint: row.folded)
    }
    return bytes
  }
}

extension StoreMeta.Requirement {
  /// The requirement that programs that append know of inline projections.
  static let inline = StoreMeta.Requirement(name: "inline", isForReading: false)
}

extension StoreReader {
  /// Returns the inline projections of the store, by number. No position is after the end of the log.
  func inlineRows() throws(AnnalsError) -> [InlineRow] {
    let rows = try storedInlineRows()
    guard !rows.isEmpty else { return [] }
    let last = try last()
    if let row = rows.first(where: { $0.folded > last }) {
      throw AnnalsError(
        .damaged,
        "table 'meta': the inline projection '\(row.name)' is folded up to position \(row.folded), and the log ends at \(last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    return rows
  }

  /// Returns the inline projections as stored in `meta`, by number.
  func storedInlineRows() throws(AnnalsError) -> [InlineRow] {
    var rows: [InlineRow] = []
    for name in try metaNames(beginningWith: InlineRow.prefix) {
      guard let number = UInt16(name.dropFirst(InlineRow.prefix.count)) else {
        throw AnnalsError(
          .damaged, "table 'meta': a row is called '\(name)', which is no number; run 'annals verify'",
          details: AnnalsError.Details { $0.table = "meta" })
      }
      let row = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in
        try InlineRow(number: number, bytes)
      }
      if let row { rows.append(row) }
    }
    guard !rows.isEmpty else { return [] }
    rows.sort { $0.number < $1.number }
    let folded = try foldedInline()
    for index in rows.indices { rows[index].folded = folded[rows[index].number] ?? 0 }
    return rows
  }

  /// Returns the position up to which each inline projection is folded, by number.
  private func foldedInline() throws(AnnalsError) -> [UInt16: UInt64] {
    try row(InlineRow.foldedName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      var folded: [UInt16: UInt64] = [:]
      for _ in 0..<(try reader.varint()) {
        let number = try reader.varint(as: UInt16.self)
        folded[number] = try reader.number()
      }
      try reader.finish()
      return folded
    } ?? [:]
  }
}

extension WriteTransaction {
  /// Puts the row of an inline projection.
  mutating func put(_ row: InlineRow, in meta: Table) throws(AnnalsError) {
    try put(row.encoded(), row.rowName, in: meta)
  }

  /// Puts the positions up to which inline projections are folded.
  mutating func put(folded rows: [InlineRow], in meta: Table) throws(AnnalsError) {
    try put(InlineRow.folded(rows), InlineRow.foldedName, in: meta)
  }
}
