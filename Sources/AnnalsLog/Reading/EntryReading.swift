package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Turns stored bytes into entries that can be kept.
package struct EntryReading: Sendable {
  package let kinds: KindRegistry

  package init(kinds: KindRegistry) {
    self.kinds = kinds
  }

  /// The kind of this number, whose absence is damage.
  package func kind(_ number: UInt32, at position: Position) throws(AnnalsError) -> KindRegistry.Kind {
    if let kind = kinds[number] { return kind }
    throw AnnalsError(
      .damaged, "position \(position): the store knows no kind \(number); run 'annals verify'",
      details: AnnalsError.Details { $0.position = position })
  }

  /// The entry lent as `entry`, of the stream called `stream`.
  ///
  /// - Parameter reader: The snapshot that it was read from.
  package func entry(
    _ entry: borrowing LentEntry, _ stream: StreamName, _ reader: StoreReader
  ) throws(AnnalsError) -> LogEntry {
    var stream = stream
    let (header, position) = (entry.header, entry.position)
    // Most entries are a payload, which is copied once.
    let body = entry.payload == nil ? try Self.body(of: entry) : nil
    let metadata = try Self.metadata(of: entry)
    let attachments = try Self.attachments(of: entry)
    let content: LogEntry.Content
    let kind: KindRegistry.Kind
    switch body {
    case nil, .payload:
      kind = try self.kind(header.kind, at: position)
      content = .payload(try self.payload(entry.body, of: kind, position))
    case .stub(let stub):
      content = .stub(reason: stub.reason)
      if header.isSystem { return systemEntry(entry, stream, content) }
      if stub.mark != nil { stream = try reader.shownName(stream, of: header.stream, at: header.revision) }
      kind = try self.kind(header.kind, at: position)
    case .parts(let parts):
      var read: [LogEntry.Part] = []
      for part in parts {
        let kind = try self.kind(part.kind, at: position)
        read.append(
          LogEntry.Part(
            path: part.path, type: kind.row.name, version: kind.version,
            payload: try self.payload(part.payload.span, of: kind, position)))
      }
      content = .parts(read)
      kind = try self.kind(parts.first?.kind ?? 0, at: position)
    }
    return LogEntry(
      position: position, stream: stream, revision: header.revision, type: kind.row.name,
      version: kind.version,
      time: Timestamp(microseconds: header.time),
      id: entry.id, metadata: metadata,
      isEndOfCall: header.flags.contains(.endOfCall), content: content, attachments: attachments,
      tags: try entry.tags)
  }

  /// The body of an entry that is not one payload.
  package static func body(of entry: borrowing LentEntry) throws(AnnalsError) -> EntryBody {
    do { return try EntryBody(entry.bytes, header: entry.header) } catch {
      throw AnnalsError(error, place: "position \(entry.position)", position: entry.position)
    }
  }

  /// An entry that records a change of the log itself.
  private func systemEntry(
    _ entry: borrowing LentEntry, _ stream: StreamName, _ content: LogEntry.Content
  ) -> LogEntry {
    LogEntry(
      position: entry.position, stream: stream, revision: entry.header.revision,
      type: SystemEntry.stream.text,
      version: nil, time: Timestamp(microseconds: entry.header.time), id: nil, metadata: Metadata(),
      isEndOfCall: entry.header.flags.contains(.endOfCall), content: content)
  }

  /// The payload of an entry of `kind`, by name.
  package func payload(
    _ bytes: Span<UInt8>, of kind: KindRegistry.Kind, _ position: Position
  ) throws(AnnalsError) -> Payload {
    guard let shape = kind.shape else { return Payload(stored: bytes.copied) }
    var named: [UInt8] = []
    do throws(CodingFailure) { try shape.storedNames.write(bytes, to: &named) } catch {
      throw AnnalsError(
        .damaged,
        "position \(position): the payload is not of the shape that its kind has: \(error); run 'annals verify'",
        details: AnnalsError.Details { $0.position = position }, underlying: error)
    }
    return Payload(stored: named)
  }

  /// Returns the hashes of the attachments that the entry refers to.
  package static func attachments(of entry: borrowing LentEntry) throws(AnnalsError) -> [ContentHash] {
    try entry.layout { () throws(FormatFailure) in try entry.header.attachments(entry.bytes) }
  }

  /// Returns the metadata of the event.
  package static func metadata(of entry: borrowing LentEntry) throws(AnnalsError) -> Metadata {
    if entry.header.metadata.isEmpty { return Metadata() }
    do { return try Metadata(encoded: entry.bytes.extracting(entry.header.metadata)) } catch {
      throw AnnalsError(
        .damaged, "position \(entry.position): the metadata is not valid: \(error); run 'annals verify'",
        details: AnnalsError.Details { $0.position = entry.position }, underlying: error)
    }
  }
}
