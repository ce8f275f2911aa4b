package import AnnalsCoding

/// The body of an entry, after its header.
package enum EntryBody: Equatable, Sendable {
  /// One payload, a CBOR item, of the entry's kind.
  case payload([UInt8])
  /// The parts of a split, each with its own kind.
  case parts([Part])
  /// The stub of a drop.
  case stub(Stub)

  /// One part of a split entry.
  package struct Part: Equatable, Sendable {
    /// The kind of the payload.
    package var kind: UInt32
    /// The part's path: an index for each split that it came through.
    package var path: [UInt32]
    /// A CBOR item.
    package var payload: [UInt8]
  }

  package var isParts: Bool {
    if case .parts = self { true } else { false }
  }

  /// Appends a payload unchanged; parts as count, then kind, path (count, indices), payload (counted) of
  /// each; a stub in the layout of ``Stub``.
  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .payload(let payload):
      bytes += payload
    case .parts(let parts):
      bytes.append(varint: UInt64(parts.count))
      for part in parts {
        bytes.append(varint: UInt64(part.kind))
        bytes.append(varint: UInt64(part.path.count))
        for index in part.path { bytes.append(varint: UInt64(index)) }
        bytes.append(counted: part.payload)
      }
    case .stub(let stub):
      stub.append(to: &bytes)
    }
  }

  /// The form of the body in a draft.
  package var form: EntryDraft.Form {
    switch self {
    case .payload: .payload
    case .parts: .parts
    case .stub: .stub
    }
  }

  /// Its bytes.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// Reads the body of an entry with `header`.
  package init(_ bytes: Span<UInt8>, header: EntryHeader) throws(FormatFailure) {
    var reader = ByteReader(bytes, from: header.body.lowerBound)
    if header.flags.contains(.stub) {
      self = .stub(try Stub(&reader))
    } else if header.flags.contains(.parts) {
      var parts: [Part] = []
      for _ in 0..<(try reader.varint()) {
        let kind = try reader.varint(as: UInt32.self)
        var path: [UInt32] = []
        for _ in 0..<(try reader.varint()) { path.append(try reader.varint(as: UInt32.self)) }
        let payload = try reader.countedRange()
        parts.append(Part(kind: kind, path: path, payload: reader.copy(payload)))
      }
      self = .parts(parts)
    } else {
      let payload = try reader.range(count: header.body.count)
      self = .payload(reader.copy(payload))
    }
    try reader.finish()
  }
}
