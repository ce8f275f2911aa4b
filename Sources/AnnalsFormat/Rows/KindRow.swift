package import AnnalsCoding

/// The value of a row of `kinds`, whose key is the kind's number.
@usableFromInline package struct KindRow: Equatable, Sendable {
  /// The largest number of a kind; a larger one is damage.
  @usableFromInline package static let maximum: UInt32 = 1 << 20

  /// The layout of payloads of the kind.
  package enum Shape: Equatable, Sendable {
    /// CBOR maps, by name.
    case undeclared
    /// CBOR arrays, in the order of the shape's fields.
    case declared(fingerprint: [UInt8], text: String)
  }

  /// The ordinal of the schema version.
  package var ordinal: UInt16
  /// The record's name on disk.
  package var name: String
  /// The layout of payloads.
  package var shape: Shape
  /// The position of the first entry of the kind.
  package var first: Position
  /// The oldest schema version whose programs read payloads of the kind; `nil` if the row does not record it,
  /// and always for undeclared kinds. Without it, only programs of the kind's own version and later ones read
  /// them.
  package var oldestReader: SchemaVersion?

  /// Ordinal (varint), name (counted), form (one byte: 0 undeclared; 1 declared, then the 32 bytes of the
  /// fingerprint and the shape's text, counted; 2 the same as 1, then the oldest reader's version), first
  /// position (varint).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(ordinal))
    bytes.append(counted: name.utf8)
    switch shape {
    case .undeclared:
      bytes.append(0)
    case .declared(let fingerprint, let text):
      bytes.append(oldestReader == nil ? 1 : 2)
      bytes += fingerprint
      bytes.append(counted: text.utf8)
      if let oldestReader { bytes.append(oldestReader) }
    }
    bytes.append(varint: first.rawValue)
    return bytes
  }

  package init(
    ordinal: UInt16, name: String, shape: Shape = .undeclared, first: Position,
    oldestReader: SchemaVersion? = nil
  ) {
    self.oldestReader = shape == .undeclared ? nil : oldestReader
    self.ordinal = ordinal
    self.name = name
    self.shape = shape
    self.first = first
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    ordinal = try reader.varint(as: UInt16.self)
    let nameStart = reader.offset
    name = try reader.countedText()
    guard NameRule.allows(name) else { throw FormatFailure(.text, at: nameStart) }
    let form = reader.offset
    switch try reader.byte() {
    case 0: shape = .undeclared
    case let number where number <= 2:
      let fingerprint = try reader.range(count: 32)
      shape = .declared(fingerprint: reader.copy(fingerprint), text: try reader.countedText())
      if number == 2 {
        let start = reader.offset
        guard let version = try reader.schemaVersion() else { throw FormatFailure(.value, at: start) }
        oldestReader = version
      }
    default: throw FormatFailure(.value, at: form)
    }
    first = Position(try reader.number())
    try reader.finish()
  }
}
