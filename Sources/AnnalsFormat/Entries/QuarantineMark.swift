package import AnnalsCoding

/// The mark of an entry that a pass could not upcast and has quarantined: an extension, which readers skip.
package struct QuarantineMark: Equatable, Sendable {
  /// The key of the extension. It is odd, because the entry is read in the same way without it.
  package static let key: UInt64 = 1

  /// The version that the payload is stored under; `nil` for none.
  package var from: SchemaVersion?
  /// The version that the pass led to.
  package var to: SchemaVersion
  /// The reason in words.
  package var cause: String

  /// Both versions, cause (counted text).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(from)
    bytes.append(to)
    bytes.append(counted: cause.utf8)
    return bytes
  }

  package init(from: SchemaVersion?, to: SchemaVersion, cause: String) {
    self.from = from
    self.to = to
    self.cause = cause
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    from = try reader.schemaVersion()
    let start = reader.offset
    guard let to = try reader.schemaVersion() else { throw FormatFailure(.value, at: start) }
    self.to = to
    cause = try reader.countedText()
    try reader.finish()
  }
}
