package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of a `meta` row that locates a table of a stage. The table's chunks are rows of `meta` too.
package struct ContextTableRow: Sendable {
  /// The content of a table.
  package enum Use: String, CaseIterable {
    /// A context that is stored by key.
    case keyed
    /// The ends of the groups of folds.
    case groups
  }

  /// The id that distinguishes its chunks from those of others.
  package let id: UUID
  /// The first key of each chunk.
  package let firstKeys: [[UInt8]]

  package init(id: UUID, firstKeys: [[UInt8]]) {
    self.id = id
    self.firstKeys = firstKeys
  }

  /// The prefix of the names of all chunk rows.
  package static let chunkPrefix = "table "

  /// The name of the row for the stage to `version`.
  package static func name(_ use: Use, of version: SchemaVersion) -> String { "\(use.rawValue) \(version)" }

  /// Returns the name of the row that has the chunk numbered `index`.
  package func chunkName(_ index: Int) -> String {
    let number = String(index, radix: 16)
    return Self.chunkPrefix + id.uuidString + " " + String(repeating: "0", count: max(8 - number.count, 0))
      + number
  }

  /// Encodes the id (16 bytes), the number of chunks (varint), and the first key of each (counted).
  package func encoded() -> [UInt8] {
    var bytes = id.bytes
    bytes.append(varint: UInt64(firstKeys.count))
    for key in firstKeys { bytes.append(counted: key) }
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
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
}
