package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The size limits of a store.
package enum AppendLimit {
  /// The maximum number of bytes of a transaction, as LMDB leaks and spills beyond (docs/durability.md).
  static let transaction = 128 << 20
  /// The upper bound of the option that limits a payload.
  package static let payload = 100 << 20
  /// The maximum number of bytes of one event's metadata.
  package static let metadata = 1 << 20
  /// The maximum number of bytes of the author or the reason of a change.
  static let text = 4_096
  /// The size of an entry without payload, metadata and names, rounded up generously.
  package static let overhead = 200
  /// The size of an ordinary entry without payload, metadata and names, with its key and as a change of a
  /// record.
  static let usualOverhead = 72
}

extension AppendRequest {
  /// Adds a part after checking its stream's name.
  package mutating func add(
    checking stream: StreamName, expecting expectation: Expectation
  ) throws(AnnalsError) {
    try NameRule.check(stream.text, role: "stream")
    guard !SystemEntry.isReserved(stream) else { throw AnnalsError(reservedStream: stream) }
    add(stream, expecting: expectation)
  }

  /// Adds an event after checking its type's name and its sizes.
  package mutating func add(_ event: Event, maximumPayload: Int) throws(AnnalsError) {
    try checkSizes(
      event.payload.count, event.metadata.count, maximumPayload: maximumPayload, event.record.type.text)
    try check(event.tags, event.record.type.text)
    let index = try index(checking: event.record)
    add(record: index, event.payload, id: event.id, metadata: event.metadata, time: event.time ?? time)
    attach(event.attachments)
    tag(event.tags)
  }

  /// Adds one of several events of an untyped log, with the same checks.
  ///
  /// Each property is read where it lies. A copy of the event would count references to all that it has.
  @inline(__always)
  mutating func add(
    _ index: Int, of events: Span<NewEntry>, maximumPayload: Int
  ) throws(AnnalsError) {
    let metadata = events[index].metadata.isEmpty ? [] : try events[index].metadata.encoded()
    try checkSizes(
      events[index].payload.bytes.count, metadata.count, maximumPayload: maximumPayload, events[index].type)
    if !events[index].tags.isEmpty { try check(events[index].tags, events[index].type) }
    let (id, time) = (try events[index].id?.checked(), try events[index].time?.checked() ?? time)
    let record: Int
    if let last = self.index(ofLast: events[index].type, events[index].version) {
      record = last
    } else {
      record = try self.index(
        checking: Record(type: ExactText(events[index].type), version: events[index].version))
    }
    add(record: record, events[index].payload.bytes, id: id, metadata: metadata, time: time)
    if !events[index].attachments.isEmpty { attach(events[index].attachments.compactMap(\.hash)) }
    if !events[index].tags.isEmpty { tag(events[index].tags) }
  }

  /// Throws `.invalidName` for a tag that cannot be stored, and `.tooLarge` for too many.
  @inline(__always)
  func check(_ tags: [EventTag], _ type: String) throws(AnnalsError) {
    if tags.isEmpty { return }
    for tag in tags { try tag.check() }
    guard tags.count > TagList.maximumCount else { return }
    let count = Set(tags).count
    if count > TagList.maximumCount {
      throw tooLarge(count, limit: TagList.maximumCount, what: "an event", unit: "tags", type)
    }
  }

  /// Returns the index of a record type, whose name is checked at its first occurrence.
  @inline(__always)
  mutating func index(checking record: Record) throws(AnnalsError) -> Int {
    let known = records.count
    let index = index(of: record)
    if records.count > known { try NameRule.check(record.type.text, role: "type") }
    return index
  }

  /// Returns the index of the last event's record type, if this is its name and version and it is stored by
  /// name. Neighbouring events mostly have one type.
  @inline(__always)
  private func index(ofLast type: String, _ version: SchemaVersion?) -> Int? {
    guard let index = lastRecord, records[index].shape == nil, records[index].version == version,
      records[index].type == ExactText(type)
    else { return nil }
    return index
  }

  @inline(__always)
  func checkSizes(
    _ payload: Int, _ metadata: Int, maximumPayload: Int, _ type: String
  ) throws(AnnalsError) {
    if payload > maximumPayload { throw tooLarge(payload, limit: maximumPayload, what: "a payload", type) }
    if metadata > AppendLimit.metadata {
      throw tooLarge(metadata, limit: AppendLimit.metadata, what: "metadata", type)
    }
  }

  /// Throws `.tooLarge` for a call that exceeds a transaction.
  package func checkSize() throws(AnnalsError) {
    guard bytes <= AppendLimit.transaction else {
      throw AnnalsError(
        .tooLarge,
        "a call stores at most \(AppendLimit.transaction) bytes, and this one has \(bytes); append in several calls"
      )
    }
  }

  private func tooLarge(
    _ count: Int, limit: Int, what: String, unit: String = "bytes", _ type: String
  ) -> AnnalsError {
    let stream = parts.last?.stream ?? ""
    return AnnalsError(
      .tooLarge,
      "\(what) has at most \(limit) \(unit), and that of a '\(type)' for stream '\(stream)' has \(count)",
      details: AnnalsError.Details {
        $0.stream = stream
        $0.type = type
      })
  }
}

extension AnnalsError {
  /// The error for the name of the stream that holds system entries.
  package init(reservedStream stream: StreamName) {
    self.init(
      .invalidName, "the stream '\(stream)' holds the log's own entries and no events; use another name",
      details: Details { $0.stream = stream })
  }
}

extension Timestamp {
  /// Returns the microseconds, if they are within the years that can be written.
  func checked() throws(AnnalsError) -> Int64 {
    guard Self.range.contains(self) else {
      throw AnnalsError(
        .malformed, "a time lies within the years 1 to 9999; this one is \(microseconds) µs from 1970")
    }
    return microseconds
  }
}

extension Metadata {
  /// Returns the CBOR map to store, or nothing if there is no metadata.
  package func encoded() throws(AnnalsError) -> [UInt8] {
    if isEmpty { return [] }
    do throws(CodingFailure) {
      return try cbor.encodedPayload()
    } catch {
      throw AnnalsError(malformed: error, what: "the metadata")
    }
  }

  /// Reads stored metadata.
  package init(encoded bytes: Span<UInt8>) throws(CodingFailure) {
    guard let metadata = Metadata(try CBOR(payload: bytes)) else {
      throw CodingFailure(.wrongType, at: 0, detail: "metadata is a map")
    }
    self = metadata
  }
}
