package import AnnalsCoding
package import AnnalsFormat
package import AnnalsShapes

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One append call, encoded and checked, on its way to the writer: all of its events are stored or none.
///
/// It is flat, so that a call with thousands of streams is two arrays and not thousands.
package struct AppendRequest: Sendable {
  /// An event, encoded.
  package struct Event: Sendable {
    /// Its record type.
    package var record: Record
    /// A CBOR item.
    package var payload: [UInt8]
    /// The caller's id.
    package var id: UUID?
    /// A CBOR map, or nothing.
    package var metadata: [UInt8] = []
    /// The caller's time, in microseconds since 1970; the call's time where there is none.
    package var time: Int64?
    /// The attachments that the payload refers to.
    package var attachments: [ContentHash] = []
    /// The tags of the event, in any order.
    package var tags: [EventTag] = []

    package init(
      record: Record, payload: [UInt8], id: UUID? = nil, metadata: [UInt8] = [], time: Int64? = nil
    ) {
      self.record = record
      self.payload = payload
      self.id = id
      self.metadata = metadata
      self.time = time
    }
  }

  /// A record type in one schema version.
  package typealias Record = RecordKind

  /// An event of the call, whose record type is in ``records``.
  ///
  /// Batches have many of them, so what differs in size is in other lists, and no references are counted.
  package struct Item: Sendable {
    private let recordNumber: UInt32
    /// The place of its first tag in ``AppendRequest/tags``.
    fileprivate var firstTag: UInt32 = 0
    /// The place of its payload and its metadata in ``AppendRequest/contents``.
    let place: EventBytes.Place
    package let id: UUID?
    /// The number of its tags. It is here because it needs no memory of its own: a UUID leaves some free.
    fileprivate var tagCount: UInt16 = 0
    /// The place of its extensions in ``AppendRequest/extensions``, counted from 1; 0 without any.
    fileprivate var extensions: UInt32 = 0
    package let time: Int64

    package var record: Int { Int(recordNumber) }

    /// Its tags, as a range of ``AppendRequest/tags``.
    var tags: Range<Int> { Int(firstTag)..<Int(firstTag) + Int(tagCount) }

    fileprivate init(record: Int, _ place: EventBytes.Place, id: UUID?, time: Int64) {
      recordNumber = UInt32(record)
      self.place = place
      self.id = id
      self.time = time
    }
  }

  /// The part of the call for one stream. Without events, the stream is only checked.
  package struct Part: Sendable {
    package var stream: StreamName
    package var hash: StreamHash
    package var expectation: Expectation
    /// Its events, as a range of ``items``.
    package var items: Range<Int>
  }

  /// The time of events that bring none, in microseconds since 1970.
  package let time: Int64
  /// The parts in the order of the call. A stream may occur in several.
  package internal(set) var parts: [Part] = []
  /// The events of all parts, in order.
  package internal(set) var items: [Item] = []
  /// The payloads and the metadata of the events.
  var contents = EventBytes()
  /// The extensions of the events that have any besides tags, in order.
  private var extensions: [[UInt8]] = []
  /// The record types of the events.
  package private(set) var records: [Record] = []
  /// Whether any event has an id.
  private(set) var hasIDs = false
  /// The attachments that any event refers to.
  package private(set) var attachments: Set<ContentHash> = []
  /// The tags of all events, those of each event in the order of their bytes.
  private(set) var tags: [HashedTag] = []
  /// The queries that no entry after a position may match.
  package var conditions: [AppendCondition] = []
  /// Whether a record of the call has personal fields.
  private(set) var hasPersonalFields = false
  /// Whether any part expects something.
  private(set) var hasExpectations = false
  /// The approximate number of bytes that it adds to a transaction.
  package private(set) var bytes = 0
  /// The rules that it goes through; empty for a call without a plan.
  package var rules: [any AppendRule] = []
  /// For an import, the state of the log in which none of its ids was present. Ids that came later are left
  /// out.
  package var sight: LogSight?
  /// The change of the log that is asked for in place of events; `nil` in an ordinary call.
  package var change: LogChange?
  /// The time that the log of a cluster gave the call, in microseconds since 1970; `nil` for a call of this
  /// process alone.
  package var sharedTime: Int64?
  /// The time at which its caller began to wait, if it had to wait for space in the queue.
  var since: ContinuousClock.Instant? {
    get { waited.map { Self.origin.advanced(by: $0) } }
    set { waited = newValue.map { Self.origin.duration(to: $0) } }
  }
  /// ``since``, as a type whose layout the compiler knows. A call with an instant of a clock has none, and
  /// copies of it take several times as long.
  private var waited: Duration?
  private static let origin = ContinuousClock.now
  /// The places of the record types in ``records``, once there are too many to compare each.
  private var indices: [Record: Int] = [:]

  /// Creates an empty call.
  package init(time: Int64) {
    self.time = time
  }

  /// Begins with a record type that is the only one of its list, and whose name and shape have been checked.
  /// Calls that share the list's memory are compared at once.
  package mutating func begin(with list: [Record]) {
    if items.isEmpty, list.count == 1 { records = list }
  }

  /// Adds a part; the events that are added next are for its stream.
  package mutating func add(_ stream: StreamName, expecting expectation: Expectation) {
    if expectation != .any { hasExpectations = true }
    bytes += stream.text.utf8.count
    parts.append(
      Part(
        stream: stream, hash: StreamHash(stream), expectation: expectation, items: items.count..<items.count))
  }

  /// Adds an event to the last part.
  package mutating func add(_ event: Event) {
    let index = index(of: event.record)
    add(record: index, event.payload, id: event.id, metadata: event.metadata, time: event.time ?? time)
    attach(event.attachments)
    tag(event.tags)
  }

  /// Adds tags to the last event. They have been checked.
  @inline(__always)
  mutating func tag(_ tags: [EventTag]) {
    if tags.isEmpty { return }
    let start = self.tags.count
    if tags.count == 1 {
      keep(tags[0])
    } else {
      for tag in tags.sorted() where self.tags.count == start || self.tags.last?.tag != tag { keep(tag) }
    }
    let last = items.count - 1
    items[last].firstTag = UInt32(start)
    items[last].tagCount = UInt16(self.tags.count - start)
  }

  @inline(__always)
  private mutating func keep(_ tag: EventTag) {
    tags.append(HashedTag(tag))
    bytes += tag.text.utf8.count + Self.tagOverhead
  }

  /// The tags of an event, in the order of their bytes.
  package func tags(of item: Item) -> [EventTag] { tags[item.tags].map(\.tag) }

  /// The extensions of an event's entry besides its tags; empty for most events.
  @inline(__always)
  func extensions(of item: borrowing Item) -> [UInt8] {
    item.extensions == 0 ? [] : extensions[Int(item.extensions) - 1]
  }

  /// Calls `body` with the payload and the metadata of an event.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    of item: Item, _ body: (_ payload: Span<UInt8>, _ metadata: Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try contents.with(item.place, body)
  }

  /// The size of a tag in an entry and of its row, without the text, rounded up.
  package static let tagOverhead = 64

  /// Lets the last event refer to attachments.
  @inline(__always)
  mutating func attach(_ hashes: [ContentHash]) {
    guard !hashes.isEmpty else { return }
    attachments.formUnion(hashes)
    let extensions = AttachmentList(hashes).extensions
    bytes += extensions.count
    self.extensions.append(extensions)
    items[items.count - 1].extensions = UInt32(self.extensions.count)
  }

  /// Adds an event of the record type at `index` to the last part.
  @inline(__always)
  mutating func add(record index: Int, _ payload: [UInt8], id: UUID?, metadata: [UInt8], time: Int64) {
    if id != nil { hasIDs = true }
    bytes += payload.count + metadata.count + AppendLimit.overhead
    items.append(Item(record: index, contents.add(payload, metadata), id: id, time: time))
    let last = parts.count - 1
    parts[last].items = parts[last].items.lowerBound..<items.count
  }

  /// Returns the index of a record type, which is added if it is new.
  @inline(__always)
  mutating func index(of record: Record) -> Int {
    // Neighbouring events mostly have one type.
    if let last = lastRecord, records[last] == record { return last }
    return look(up: record)
  }

  /// The index of the last event's record type.
  @inline(__always)
  var lastRecord: Int? { items.isEmpty ? nil : items[items.count - 1].record }

  /// The number of record types from which on they are looked up by their hashes.
  private static let many = 8

  private mutating func look(up record: Record) -> Int {
    if records.count < Self.many {
      if let known = records.firstIndex(of: record) { return known }
    } else {
      if indices.isEmpty {
        for (index, known) in records.enumerated() { indices[known] = index }
      }
      if let known = indices[record] { return known }
      indices[record] = records.count
    }
    records.append(record)
    if record.shape?.personal != nil { hasPersonalFields = true }
    return records.count - 1
  }

  /// Removes all parts but the first ones, with their events. They have no tags and no attachments.
  mutating func keep(firstParts count: Int, bytes: Int) {
    if count < parts.count {
      let rest = parts[count].items.lowerBound...
      for item in items[rest].reversed() { contents.removeLast(item.place) }
      items.removeSubrange(rest)
    }
    parts.removeSubrange(min(count, parts.count)...)
    self.bytes = bytes
  }

  /// The events of a part.
  func items(of part: Part) -> ArraySlice<Item> { items[part.items] }

  /// Returns the same call without the events for which `isLeftOut` returns `true`. `isLeftOut` receives each
  /// part's index.
  func without(_ isLeftOut: (Int, Item) -> Bool) -> AppendRequest {
    var rest = self
    rest.items = []
    rest.hasIDs = false
    for index in parts.indices {
      let start = rest.items.count
      for item in items(of: parts[index]) where !isLeftOut(index, item) {
        rest.items.append(item)
        if item.id != nil { rest.hasIDs = true }
      }
      rest.parts[index].items = start..<rest.items.count
    }
    return rest
  }
}
