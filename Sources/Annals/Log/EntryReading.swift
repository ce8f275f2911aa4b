#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns stored bytes into entries that can be kept.
struct EntryReading: Sendable {
  let kinds: KindRegistry

  /// The kind of this number, whose absence is damage.
  func kind(_ number: UInt32, at position: Position) throws(AnnalsError) -> KindRegistry.Kind {
    if let kind = kinds.kinds[number] { return kind }
    throw AnnalsError(
      .damaged, "position \(position): the store knows no kind \(number); run 'annals verify'",
      details: AnnalsError.Details { $0.position = position })
  }

  /// The entry stored at `position`.
  ///
  /// - Parameter stream: Its stream's name where that is known; it is read from the stream's first entry otherwise.
  func entry(
    _ bytes: Span<UInt8>, at position: Position, _ reader: StoreReader, _ stream: StreamName?
  ) throws(AnnalsError) -> LogEntry {
    let header = try reader.header(bytes, at: position)
    if let stream { return try entry(bytes, header, at: position, stream) }
    return try entry(bytes, header, at: position, reader.name(of: header.stream))
  }

  /// The entry stored at `position`, whose header has been read.
  func entry(
    _ bytes: Span<UInt8>, _ header: EntryHeader, at position: Position, _ stream: StreamName
  ) throws(AnnalsError) -> LogEntry {
    let body: EntryBody
    do { body = try EntryBody(bytes, header: header) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    let metadata = try metadata(bytes, header, at: position)
    var content: LogEntry.Content
    var first = header.kind
    switch body {
    case .payload(let payload): content = .payload(Payload(stored: payload))
    case .stub(let stub): content = .stub(reason: stub.reason)
    case .parts(let parts):
      var read: [LogEntry.Part] = []
      for part in parts {
        let kind = try kind(part.kind, at: position)
        read.append(
          LogEntry.Part(
            path: part.path, type: kind.row.name, version: kind.version,
            payload: Payload(stored: part.payload)))
      }
      content = .parts(read)
      first = parts.first?.kind ?? 0
    }
    let kind = try kind(first, at: position)
    return LogEntry(
      position: position, stream: stream, revision: header.revision, type: kind.row.name,
      version: kind.version,
      time: Timestamp(microseconds: header.time),
      id: header.flags.contains(.id) ? ByteReader(bytes).uuid(in: header.id) : nil, metadata: metadata,
      isEndOfCall: header.flags.contains(.endOfCall), content: content)
  }

  private func metadata(
    _ bytes: Span<UInt8>, _ header: EntryHeader, at position: Position
  ) throws(AnnalsError) -> Metadata {
    if header.metadata.isEmpty { return Metadata() }
    do { return try Metadata(encoded: bytes.extracting(header.metadata)) } catch {
      throw AnnalsError(
        .damaged, "position \(position): the metadata is not valid: \(error); run 'annals verify'",
        details: AnnalsError.Details { $0.position = position }, underlying: error)
    }
  }
}
