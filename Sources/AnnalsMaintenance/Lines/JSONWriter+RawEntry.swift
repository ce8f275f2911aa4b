internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONWriter {
  /// Appends a line that shows an entry as it is stored (docs/format.md): every field of the header, and the
  /// bytes after it in hexadecimal digits.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `formatVersion` or `needsNewer`; the bytes then end
  ///   somewhere inside the line.
  mutating func rawEntry(
    at position: Position, _ reader: StoreReader, _ kinds: KindRegistry
  ) throws(AnnalsError) {
    let bytes = try reader.bytes(at: position)
    let header = try reader.header(bytes, at: position)
    try rawEntry(at: position, bytes, header, named: try reader.name(of: header.stream), reader, kinds)
  }

  /// Appends the line of the entry with these bytes.
  ///
  /// - Parameter name: The name in the first entry of its stream.
  mutating func rawEntry(
    at position: Position, _ bytes: Span<UInt8>, _ header: EntryHeader, named name: StreamName,
    _ reader: StoreReader, _ kinds: KindRegistry
  ) throws(AnnalsError) {
    let body: EntryBody
    let links: [Position]
    do throws(FormatFailure) {
      body = try EntryBody(bytes, header: header)
      links = try header.links(from: position, in: bytes)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    raw("{\"position\":")
    unsigned(position.rawValue)
    raw(",\"bytes\":")
    unsigned(UInt64(bytes.count))
    raw(",\"format\":")
    unsigned(UInt64(bytes[0]))
    raw(",\"flags\":")
    list(EntryFlags.names.filter { header.flags.contains($0.flag) }) { $0.text($1.name) }
    raw(",\"crc32c\":\"")
    // Stored with the lowest byte first; a number is written with the highest.
    for index in EntryHeader.checksum.reversed() { hexadecimal(bytes[index]) }
    raw("\"")
    if header.kind != 0 { try kind(header.kind, at: position, kinds) }
    raw(",\"time\":")
    time(Timestamp(microseconds: header.time))
    raw(",\"stream\":")
    var name = name
    if case .stub(let stub) = body, stub.mark != nil {
      name = try reader.shownName(name, of: header.stream, at: header.revision)
    }
    text(name.text)
    raw(",\"streamID\":")
    unsigned(header.stream.rawValue)
    raw(",\"revision\":")
    unsigned(header.revision.rawValue)
    raw(",\"links\":")
    list(links) { $0.unsigned($1.rawValue) }
    if header.flags.contains(.id) {
      raw(",\"id\":")
      id(UUID(bytes, at: header.id.lowerBound))
    }
    if header.flags.contains(.metadata) {
      raw(",\"metadata\":")
      hexadecimal(bytes.extracting(header.metadata))
    }
    if header.flags.contains(.extensions) {
      raw(",\"extensions\":")
      hexadecimal(bytes.extracting(header.extensions..<header.rows))
    }
    if header.flags.contains(.rows) {
      raw(",\"rows\":")
      hexadecimal(bytes.extracting(header.rows..<header.body.lowerBound))
    }
    try rawBody(body, at: position, kinds)
    raw("}\n")
  }

  /// Appends the line of a problem that no position has.
  mutating func problem(_ text: String) {
    raw("{\"problem\":")
    self.text(text)
    raw("}\n")
  }

  /// Appends the line of an entry that cannot be read.
  mutating func unreadable(_ position: Position, _ problem: String, _ bytes: Span<UInt8>) {
    raw("{\"position\":")
    unsigned(position.rawValue)
    raw(",\"problem\":")
    text(problem)
    raw(",\"stored\":")
    hexadecimal(bytes)
    raw("}\n")
  }

  /// Appends the line of a range of positions that have no entry.
  mutating func missing(from first: UInt64, through last: UInt64, _ problem: String) {
    raw("{\"position\":")
    unsigned(first)
    raw(",\"through\":")
    unsigned(last)
    raw(",\"problem\":")
    text(problem)
    raw("}\n")
  }

  private mutating func rawBody(
    _ body: EntryBody, at position: Position, _ kinds: KindRegistry
  ) throws(AnnalsError) {
    switch body {
    case .payload(let payload):
      raw(",\"payload\":")
      hexadecimal(payload.span)
    case .parts(let parts):
      raw(",\"parts\":[")
      for (index, part) in parts.enumerated() {
        raw(index == 0 ? "{\"path\":" : ",{\"path\":")
        list(part.path) { $0.unsigned(UInt64($1)) }
        try kind(part.kind, at: position, kinds)
        raw(",\"payload\":")
        hexadecimal(part.payload.span)
        raw("}")
      }
      raw("]")
    case .stub(let stub):
      raw(",\"stub\":{\"cause\":")
      text(stub.cause.name)
      raw(",\"from\":")
      version(stub.from)
      raw(",\"to\":")
      version(stub.to)
      raw(",\"reason\":")
      text(stub.reason)
      raw("}")
    }
  }

  /// Appends the members that say what a kind is.
  private mutating func kind(
    _ number: UInt32, at position: Position, _ kinds: KindRegistry
  ) throws(AnnalsError) {
    let kind = try EntryReading(kinds: kinds).kind(number, at: position)
    raw(",\"kind\":")
    unsigned(UInt64(number))
    raw(",\"type\":")
    text(kind.row.name)
    raw(",\"version\":")
    version(kind.version)
    if case .declared(let fingerprint, _) = kind.row.shape {
      raw(",\"shape\":")
      hexadecimal(fingerprint.span)
    }
  }

  private mutating func hexadecimal(_ bytes: Span<UInt8>) {
    raw("\"")
    for index in bytes.indices { hexadecimal(bytes[index]) }
    raw("\"")
  }
}

extension EntryFlags {
  /// The flags by the names that docs/format.md gives them.
  fileprivate static let names: [(flag: EntryFlags, name: String)] = [
    (.first, "first"), (.endOfCall, "endOfCall"), (.id, "id"), (.metadata, "metadata"),
    (.extensions, "extensions"), (.rows, "rows"), (.parts, "parts"), (.stub, "stub"),
  ]
}

extension RemovalCause {
  /// The name that docs/format.md gives it.
  var name: String {
    switch self {
    case .rule: "rule"
    case .fold: "fold"
    case .erased: "erased"
    case .quarantined: "quarantined"
    case .moved: "moved"
    case .givenUp: "givenUp"
    case .system: "system"
    case .truncated: "truncated"
    }
  }
}

extension EntryHeader {
  /// The positions that the entry's links lead to, the nearest revision first.
  fileprivate func links(from position: Position, in bytes: Span<UInt8>) throws(FormatFailure) -> [Position] {
    var positions: [Position] = []
    for level in 0..<Head.levels(dividing: revision) {
      positions.append(try linked(level: level, from: position, in: bytes))
    }
    return positions
  }
}
