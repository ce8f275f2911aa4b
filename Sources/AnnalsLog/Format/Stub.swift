package import AnnalsCoding

/// The stub of a drop, which replaces the payload and gives the reason.
package struct Stub: Equatable, Sendable {
  package var cause: RemovalCause
  /// The older version of the stage.
  package var from: SchemaVersion?
  /// The newer version of the stage.
  package var to: SchemaVersion?
  /// The reason in words.
  package var reason: String

  /// Cause (one byte), both versions, reason (counted text).
  package func append(to bytes: inout [UInt8]) {
    bytes.append(cause.rawValue)
    bytes.append(from)
    bytes.append(to)
    bytes.append(counted: reason.utf8)
  }

  package init(cause: RemovalCause, from: SchemaVersion? = nil, to: SchemaVersion? = nil, reason: String) {
    self.cause = cause
    self.from = from
    self.to = to
    self.reason = reason
  }

  init(_ reader: inout ByteReader) throws(FormatFailure) {
    let start = reader.offset
    guard let cause = RemovalCause(rawValue: try reader.byte()) else {
      throw FormatFailure(.value, at: start)
    }
    self.cause = cause
    from = try reader.schemaVersion()
    to = try reader.schemaVersion()
    reason = try reader.countedText()
  }
}
