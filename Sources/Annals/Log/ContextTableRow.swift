internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The value of a row of `meta` that says where a table of a stage stands, whose chunks are rows of `meta` too.
struct ContextTableRow: Sendable {
  /// What a table is of.
  enum Use: String, CaseIterable {
    /// A context that is stored by key.
    case keyed
    /// Where the groups of folds end.
    case groups
  }

  /// What tells its chunks from those of others.
  let id: UUID
  /// By chunk, its first key.
  let firstKeys: [[UInt8]]

  init(id: UUID, firstKeys: [[UInt8]]) {
    self.id = id
    self.firstKeys = firstKeys
  }

  /// What the names of all rows of chunks begin with.
  static let chunkPrefix = "table "

  /// The name of the row for the stage to `version`.
  static func name(_ use: Use, of version: SchemaVersion) -> String { "\(use.rawValue) \(version)" }

  /// The name of the row that has the chunk numbered `index`.
  func chunkName(_ index: Int) -> String {
    let number = String(index, radix: 16)
    return Self.chunkPrefix + id.uuidString + " " + String(repeating: "0", count: max(8 - number.count, 0))
      + number
  }

  /// The id (16 bytes), how many chunks there are (varint), and the first key of each (counted).
  func encoded() -> [UInt8] {
    var bytes = id.bytes
    bytes.append(varint: UInt64(firstKeys.count))
    for key in firstKeys { bytes.append(counted: key) }
    return bytes
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    id = try reader.uuid()
    var firstKeys: [[UInt8]] = []
    for _ in 0..<(try reader.varint()) {
      let key = try reader.countedRange()
      firstKeys.append(reader.copy(key))
    }
    try reader.finish()
    self.firstKeys = firstKeys
  }

  /// The table, whose chunks are read from whatever generation of the log is in use.
  func table(in core: LogCore) -> ContextTable {
    ContextTable(firstKeys: firstKeys) { (index) throws(AnnalsError) in
      try core.generation.read { (reader) throws(AnnalsError) in
        try reader.chunk(index, of: self)
      }
    }
  }
}
