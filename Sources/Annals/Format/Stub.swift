internal import AnnalsCoding

/// The stub of a drop, which replaces the payload and gives the reason.
struct Stub: Equatable, Sendable {
  var cause: RemovalCause
  /// The older version of the stage.
  var from: SchemaVersion?
  /// The newer version of the stage.
  var to: SchemaVersion?
  /// The reason in words.
  var reason: String

  /// Cause (one byte), both versions, reason (counted text).
  func append(to bytes: inout [UInt8]) {
    bytes.append(cause.rawValue)
    bytes.append(from)
    bytes.append(to)
    bytes.append(counted: reason.utf8)
  }

  init(cause: RemovalCause, from: SchemaVersion? = nil, to: SchemaVersion? = nil, reason: String) {
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
