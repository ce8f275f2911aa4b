package import AnnalsCoding

/// The body of an entry without a payload: it gives the reason for the removal, or is a system entry.
package struct Stub: Equatable, Sendable {
  package var cause: RemovalCause
  /// The older version of the stage.
  package var from: SchemaVersion?
  /// The newer version of the stage.
  package var to: SchemaVersion?
  /// The reason in words.
  package var reason: String
  /// The change of the log that a system entry records; `nil` in every other stub.
  package private(set) var system: SystemEntry?
  /// The mark by which checkpoints know an erased entry, whose id is gone; `nil` in every other stub.
  package private(set) var mark: UInt32?

  /// Cause (one byte), both versions, reason (counted text); then the change of a system entry, or the mark
  /// of an erased one (4 bytes).
  package func append(to bytes: inout [UInt8]) {
    bytes.append(cause.rawValue)
    bytes.append(from)
    bytes.append(to)
    bytes.append(counted: reason.utf8)
    system?.append(to: &bytes)
    if let mark { bytes.append(littleEndian: mark) }
  }

  /// The stub of an entry that is being erased, with the mark that it had.
  package init(erasedWithMark mark: UInt32, reason: String) {
    self.init(cause: .erased, reason: reason)
    self.mark = mark
  }

  /// The body of a system entry.
  package init(_ system: SystemEntry, reason: String) {
    self.init(cause: .system, reason: reason)
    self.system = system
  }

  package init(cause: RemovalCause, from: SchemaVersion? = nil, to: SchemaVersion? = nil, reason: String) {
    self.cause = cause
    self.from = from
    self.to = to
    self.reason = reason
  }

  package init(_ reader: inout ByteReader) throws(FormatFailure) {
    let start = reader.offset
    guard let cause = RemovalCause(rawValue: try reader.byte()) else {
      throw FormatFailure(.value, at: start)
    }
    self.cause = cause
    from = try reader.schemaVersion()
    to = try reader.schemaVersion()
    reason = try reader.countedText()
    if cause == .system { system = try SystemEntry(&reader) }
    // The mark was added to the format later.
    if cause == .erased, reader.offset < reader.bytes.count { mark = try reader.littleEndian(UInt32.self) }
  }
}
