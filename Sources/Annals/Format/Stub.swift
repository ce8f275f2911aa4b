/// What a drop leaves at a position in place of the payload: why it is gone.
struct Stub: Equatable, Sendable {
  /// What removed the payload.
  enum Cause: UInt8, Sendable {
    /// A rule of a stage dropped the entry.
    case rule = 0
    /// A fold took the entry into a later one.
    case fold = 1
    /// Somebody's data was erased.
    case erased = 2
    /// A damaged or failing entry was set aside.
    case quarantined = 3
    /// The entry moved to another stream.
    case moved = 4
    /// A pass had set the entry aside, and whoever gave up older versions gave it up too.
    case givenUp = 5
  }

  var cause: Cause
  /// The stage: the version before it.
  var from: SchemaVersion?
  /// The stage: the version after it.
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

  init(cause: Cause, from: SchemaVersion? = nil, to: SchemaVersion? = nil, reason: String) {
    self.cause = cause
    self.from = from
    self.to = to
    self.reason = reason
  }

  init(_ reader: inout ByteReader) throws(FormatFailure) {
    let start = reader.offset
    guard let cause = Cause(rawValue: try reader.byte()) else { throw FormatFailure(.value, at: start) }
    self.cause = cause
    from = try reader.schemaVersion()
    to = try reader.schemaVersion()
    reason = try reader.countedText()
  }
}
