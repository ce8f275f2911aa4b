#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONWriter {
  /// Appends the lines of an entry: one, or one a part where a split has left several.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the entry holds what no payload may; the bytes then end
  ///   somewhere inside the line.
  package mutating func entry(_ entry: LogEntry) throws(AnnalsError) {
    do throws(CodingFailure) {
      switch entry.content {
      case .payload(let payload):
        try head(of: entry, type: entry.type, version: entry.version)
        raw(",\"data\":")
        try self.payload(payload.bytes.span)
        raw("}\n")
      case .stub(let reason):
        try head(of: entry, type: entry.type, version: entry.version)
        raw(",\"stub\":")
        text(reason)
        raw("}\n")
      case .parts(let parts):
        for part in parts {
          try head(of: entry, type: part.type, version: part.version)
          raw(",\"path\":")
          list(part.path) { $0.unsigned(UInt64($1)) }
          raw(",\"data\":")
          try payload(part.payload.bytes.span)
          raw("}\n")
        }
      }
    } catch {
      throw AnnalsError(
        .damaged, "position \(entry.position): the payload is not valid: \(error); run 'annals verify'",
        details: AnnalsError.Details { $0.position = entry.position }, underlying: error)
    }
  }

  /// Appends what is before the content of an entry.
  private mutating func head(
    of entry: LogEntry, type: String, version: SchemaVersion?
  ) throws(CodingFailure) {
    raw("{\"position\":")
    unsigned(entry.position.rawValue)
    raw(",\"stream\":")
    text(entry.stream.text)
    raw(",\"revision\":")
    unsigned(entry.revision.rawValue)
    raw(",\"type\":")
    text(type)
    raw(",\"version\":")
    self.version(version)
    raw(",\"time\":")
    time(entry.time)
    if let id = entry.id {
      raw(",\"id\":")
      self.id(id)
    }
    if !entry.metadata.isEmpty {
      raw(",\"metadata\":")
      try value(.map(entry.metadata.map { CBOR.Pair(.text($0.key), $0.value) }))
    }
    if !entry.attachments.isEmpty {
      raw(",\"attachments\":")
      list(entry.attachments) { $0.text($1.description) }
    }
    if !entry.tags.isEmpty {
      raw(",\"tags\":")
      list(entry.tags) { $0.text($1.text) }
    }
  }
}

extension JSONWriter {
  /// Appends a schema version as text; null for none.
  package mutating func version(_ version: SchemaVersion?) {
    guard let version else { return raw("null") }
    raw("\"")
    unsigned(UInt64(version.major))
    raw(".")
    unsigned(UInt64(version.minor))
    raw(".")
    unsigned(UInt64(version.patch))
    raw("\"")
  }

  /// Appends a moment as text.
  package mutating func time(_ time: Timestamp) {
    raw("\"")
    time.append(to: &bytes)
    raw("\"")
  }

  /// Appends a UUID as text, in lower case (RFC 9562, section 4).
  package mutating func id(_ id: UUID) {
    raw("\"")
    for (index, byte) in id.bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { raw("-") }
      hexadecimal(byte)
    }
    raw("\"")
  }

  /// Appends a byte as two hexadecimal digits.
  package mutating func hexadecimal(_ byte: UInt8) {
    // No list of both: it would be allocated for each byte of a payload.
    hexadecimal(digit: byte >> 4)
    hexadecimal(digit: byte & 15)
  }

  private mutating func hexadecimal(digit: UInt8) {
    bytes.append(digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
  }

  /// Appends an array, each element as `write` does.
  package mutating func list<Element>(
    _ elements: some Collection<Element>, _ write: (inout Self, Element) -> Void
  ) {
    raw("[")
    var isFirst = true
    for element in elements {
      if !isFirst { raw(",") }
      isFirst = false
      write(&self, element)
    }
    raw("]")
  }
}
