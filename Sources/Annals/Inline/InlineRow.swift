internal import AnnalsCoding
internal import LMDB

/// What `meta` says of one version of an inline projection; its number is in the row's name, and its rows in the table `inline` begin with it.
struct InlineRow: Equatable, Sendable {
  /// How far the version is.
  enum State: UInt8, Sendable {
    /// What stands in the log is being folded, beside an older version that may be in force.
    case building = 0
    /// It is in force: each append that knows it folds it.
    case live = 1
    /// A newer version is in force, and the rows are being removed.
    case retired = 2
  }

  /// The number of the version, from 1.
  var number: UInt16
  var state = State.building
  /// Whether only programs that know it append.
  var isMandatory: Bool
  /// The version of the fold.
  var version: Int
  /// The name of the projection.
  var name: String
  /// What its tables look like.
  var text: String
  /// The position of the last entry that was folded, which stands in the row `folded`.
  var folded: UInt64 = 0

  init(number: UInt16, isMandatory: Bool, version: Int, name: String, text: String) {
    self.number = number
    self.isMandatory = isMandatory
    self.version = version
    self.name = name
    self.text = text
  }

  /// What the names of the rows begin with.
  static let prefix = "inline "
  /// The name of the row that says how far all are folded.
  static let foldedName = "folded"

  /// The row's name in `meta`.
  var rowName: String { Self.prefix + String(number) }

  /// What every key of its rows begins with.
  var keyPrefix: [UInt8] { Self.keyPrefix(number) }

  /// What every key of the rows of a number begins with: the number, the highest byte first.
  static func keyPrefix(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  /// Whether nobody appends who does not know it.
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
  /// Who appends must know that there are inline projections.
  static let inline = StoreMeta.Requirement(name: "inline", isForReading: false)
}

extension StoreReader {
  /// The inline projections of the store, by number; none is folded further than the log goes.
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

  /// The inline projections as `meta` has them, by number.
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

  /// By number, up to which position an inline projection is folded.
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

  /// Puts up to where inline projections are folded.
  mutating func put(folded rows: [InlineRow], in meta: Table) throws(AnnalsError) {
    try put(InlineRow.folded(rows), InlineRow.foldedName, in: meta)
  }
}
