internal import Annals

/// The hash of a row's values as the file has them. It changes if and only if a value does.
///
/// Columns without a value are left out. So a column that the app adds later changes no row.
struct RowDigest {
  private var hash = SHA256()

  /// Adds the value of a column.
  ///
  /// - Parameter content: The hash of a content in a file of its own, in place of the value.
  mutating func add(_ column: String, _ value: SQLiteValue, content: [UInt8]? = nil) {
    let (mark, bytes): (UInt8, [UInt8])
    switch value {
    case .null: return
    case .integer(let number): (mark, bytes) = (1, Self.bytes(UInt64(bitPattern: number)))
    case .real(let number): (mark, bytes) = (2, Self.bytes(number.bitPattern))
    case .text(let text): (mark, bytes) = (3, Array(text.utf8))
    case .malformedText(let text): (mark, bytes) = (3, text)
    case .blob(let blob): (mark, bytes) = content.map { (5, $0) } ?? (4, blob)
    }
    add(column, mark, bytes)
  }

  /// Adds the primary keys of a many-to-many relationship.
  mutating func add(_ table: String, _ keys: [Int64]) {
    if !keys.isEmpty { add(table, 6, keys.flatMap { Self.bytes(UInt64(bitPattern: $0)) }) }
  }

  private mutating func add(_ name: String, _ mark: UInt8, _ bytes: [UInt8]) {
    hash.update(Self.bytes(UInt64(name.utf8.count)) + Array(name.utf8) + [mark])
    hash.update(Self.bytes(UInt64(bytes.count)))
    hash.update(bytes)
  }

  /// The first 16 bytes of the hash.
  var bytes: [UInt8] { Array(hash.finalize().prefix(16)) }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }
}
