/// A value of a column, with the type that SQLite stored it under.
enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Text whose bytes are not UTF-8.
  case malformedText([UInt8])
  case blob([UInt8])

  /// SQLite's name of the type.
  var kind: String {
    switch self {
    case .null: "null"
    case .integer: "integer"
    case .real: "real"
    case .text: "text"
    case .malformedText: "text that is not UTF-8"
    case .blob(let bytes): "blob of \(bytes.count) bytes"
    }
  }

  /// The number, if this is a whole one.
  var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The text, if this is one.
  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The bytes, if this is a blob.
  var blob: [UInt8]? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}
