internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension ClusterMessage {
  /// Format, kind, the log's id and the checksum.
  static let smallest = 1 + 1 + 16 + 4

  init(
    _ bytes: Span<UInt8>, _ kind: Kind, _ time: Int64, _ shapes: ShapeMemory
  ) throws(FormatFailure) {
    var reader = ByteReader(bytes, from: 2)
    log = try reader.uuid()
    switch kind {
    case .genesis: body = .genesis(try Genesis(&reader))
    case .append:
      let id = try CommitID(&reader)
      body = .append(try AppendRequest(&reader, time, shapes), id)
    case .change:
      let id = try CommitID(&reader)
      body = .change(try LogChange(&reader), id)
    case .retention:
      let id = try CommitID(&reader)
      body = .change(try LogChange(retention: &reader), id)
    case .audit: body = .audit(try Audit(&reader))
    case .roll:
      let id = try CommitID(&reader)
      body = .change(LogChange(.roll(try RolloutStep(&reader)), author: "", reason: ""), id)
    case .calls: body = .calls(try SharedCall.list(&reader, time, shapes))
    case .activation:
      let id = try CommitID(&reader)
      body = .change(LogChange(.roll(try RolloutStep(activation: &reader)), author: "", reason: ""), id)
    }
    try reader.finish()
  }
}

extension Genesis {
  fileprivate init(_ reader: inout ByteReader) throws(FormatFailure) {
    window = try reader.number(in: 0...65_536)
    rules = []
    for _ in 0..<(try reader.count(of: 2)) {
      rules.append(RuleVersion(name: try reader.countedText(), version: try reader.number()))
    }
  }
}

extension CommitID {
  init(_ reader: inout ByteReader) throws(FormatFailure) {
    id = try reader.uuid()
    base = try reader.number()
  }
}

extension Audit {
  fileprivate init(_ reader: inout ByteReader) throws(FormatFailure) {
    machine = try reader.uuid()
    commits = try reader.number()
    position = try reader.number()
    hash = CommitChain(
      low: try reader.littleEndian(UInt64.self), high: try reader.littleEndian(UInt64.self))
  }
}

extension RolloutStep {
  fileprivate init(_ reader: inout ByteReader) throws(FormatFailure) {
    let start = reader.offset
    guard let kind = Kind(rawValue: try reader.byte()),
      let stability = RecordFlag.stability(try reader.byte())
    else { throw FormatFailure(.value, at: start) }
    self.init(kind, try reader.version(), stability)
  }

  /// Reads an activation that changes inline projections.
  fileprivate init(activation reader: inout ByteReader) throws(FormatFailure) {
    let start = reader.offset
    guard let stability = RecordFlag.stability(try reader.byte()) else {
      throw FormatFailure(.value, at: start)
    }
    self.init(.activate, try reader.version(), stability)
    rules.begins = try reader.ruleVersions()
    rules.ends = try reader.ruleVersions()
    guard !rules.isEmpty else { throw FormatFailure(.value, at: reader.offset) }
  }
}

extension ByteReader {
  /// Reads versions of inline projections, each of another one, in the order of their names.
  fileprivate mutating func ruleVersions() throws(FormatFailure) -> [RuleVersion] {
    var rules: [RuleVersion] = []
    for _ in 0..<(try count(of: 2)) {
      let start = offset
      let rule = RuleVersion(name: try countedText(), version: try number(in: FormatRange.folds))
      if let last = rules.last, ExactText(last.name) >= ExactText(rule.name) {
        throw FormatFailure(.value, at: start)
      }
      rules.append(rule)
    }
    return rules
  }
}

extension AppendRequest {
  init(
    _ reader: inout ByteReader, _ time: Int64, _ shapes: ShapeMemory
  ) throws(FormatFailure) {
    self.init(time: time)
    let records = try reader.records(shapes)
    let count = try reader.count(of: 3)
    if count == 1 {
      try add(try reader.part(), of: records, &reader)
    } else {
      var parts: [CountedPart] = []
      for _ in 0..<count { parts.append(try reader.part()) }
      for part in parts { try add(part, of: records, &reader) }
    }
    for _ in 0..<(try reader.count(of: 2)) {
      let after = try reader.number()
      conditions.append(
        try SharedQuery(&reader).condition(after: after == 0 ? nil : Position(after)))
    }
    do throws(AnnalsError) { try checkSize() } catch { throw FormatFailure(.length, at: reader.offset) }
  }
}

extension AppendRequest {
  /// Reads the events of a part.
  fileprivate mutating func add(
    _ part: CountedPart, of records: RecordList, _ reader: inout ByteReader
  ) throws(FormatFailure) {
    let start = reader.offset
    // No count is believed before its events are there.
    guard part.count <= reader.remaining else { throw FormatFailure(.length, at: start) }
    do throws(AnnalsError) { try add(checking: part.stream, expecting: part.expectation) } catch {
      throw FormatFailure(.text, at: start)
    }
    for _ in 0..<part.count {
      let start = reader.offset
      let event = try reader.event(of: records.records)
      if items.isEmpty, records.isNamed { begin(with: records.records) }
      do throws(AnnalsError) { try add(event, maximumPayload: AppendLimit.payload) } catch {
        throw FormatFailure(.value, at: start)
      }
    }
  }
}

/// A part of a call, as a message has it before the events.
struct CountedPart {
  var stream: StreamName
  var expectation: Expectation
  var count: Int
}

extension UInt32 {
  fileprivate var asInt: Int { Int(self) }
}

extension ByteReader {
  /// Reads the number of elements that have `size` bytes or more each, so that no number makes the reader
  /// reserve memory.
  mutating func count(of size: Int) throws(FormatFailure) -> Int {
    let start = offset
    let count = try varint(as: UInt32.self).asInt
    guard count <= remaining / size else { throw FormatFailure(.length, at: start) }
    return count
  }

  mutating func version() throws(FormatFailure) -> SchemaVersion {
    SchemaVersion(
      try varint(as: UInt32.self), try varint(as: UInt32.self), try varint(as: UInt32.self))
  }

  /// Reads a list of record types.
  mutating func records(_ shapes: ShapeMemory) throws(FormatFailure) -> RecordList {
    try shapes.records(&self) { (reader) throws(FormatFailure) in
      var records: [RecordKind] = []
      for _ in 0..<(try reader.count(of: 3)) { records.append(try reader.record(shapes)) }
      return records
    }
  }

  fileprivate mutating func record(_ shapes: ShapeMemory) throws(FormatFailure) -> RecordKind {
    let type = ExactText(try countedText())
    let start = offset
    let flags = try byte()
    guard flags & ~RecordFlag.all == 0, let stability = RecordFlag.stability(try byte()) else {
      throw FormatFailure(.value, at: start)
    }
    let version = flags & RecordFlag.version == 0 ? nil : try version()
    var shape: StoredShape?
    if flags & RecordFlag.shape != 0 {
      let start = offset
      shape = try shapes.shape(try countedText(), at: start)
    }
    let oldest = flags & RecordFlag.oldestReader == 0 ? nil : try self.version()
    return RecordKind(
      type: type, version: version, shape: shape, stability: stability, oldestReader: oldest)
  }

  mutating func part() throws(FormatFailure) -> CountedPart {
    CountedPart(
      stream: StreamName(try countedText()), expectation: try expectation(),
      count: try varint(as: UInt32.self).asInt)
  }

  fileprivate mutating func expectation() throws(FormatFailure) -> Expectation {
    let start = offset
    switch try byte() {
    case 0: return .any
    case 1: return .noStream
    case 2: return .exists
    case 3: return .revision(Revision(try number()))
    default: throw FormatFailure(.value, at: start)
    }
  }

  fileprivate mutating func event(of records: [RecordKind]) throws(FormatFailure) -> AppendRequest.Event {
    let start = offset
    let (record, flags) = try eventHead(of: records.count)
    let id = flags & ItemFlag.id == 0 ? nil : try uuid()
    let metadata = try metadata(flags, of: start)
    let time = try time(flags, of: start)
    var tags: [EventTag] = []
    if flags & ItemFlag.tags != 0 {
      for _ in 0..<(try count(of: 2)) { tags.append(EventTag(try countedText())) }
    }
    var event = AppendRequest.Event(
      record: records[record], payload: try payload(of: start), id: id, metadata: metadata, time: time)
    event.tags = tags
    return event
  }

  /// Reads the number of an event's record type, of so many, and its flags.
  mutating func eventHead(of records: Int) throws(FormatFailure) -> (record: Int, flags: UInt8) {
    let start = offset
    let record = try varint(as: UInt32.self).asInt
    let flags = try byte()
    guard record < records, flags & ~ItemFlag.all == 0 else { throw FormatFailure(.value, at: start) }
    return (record, flags)
  }

  /// Reads the metadata of the event at `start`.
  mutating func metadata(_ flags: UInt8, of start: Int) throws(FormatFailure) -> [UInt8] {
    if flags & ItemFlag.metadata == 0 { return [] }
    let metadata = copy(try countedRange())
    try Self.check(metadata, isMap: true, at: start)
    return metadata
  }

  /// Reads the time of the event at `start`.
  mutating func time(_ flags: UInt8, of start: Int) throws(FormatFailure) -> Int64? {
    if flags & ItemFlag.time == 0 { return nil }
    let microseconds = Int64(bitPattern: try littleEndian(UInt64.self))
    guard Timestamp.range.contains(Timestamp(microseconds: microseconds)) else {
      throw FormatFailure(.value, at: start)
    }
    return microseconds
  }

  /// Reads the payload of the event at `start`.
  mutating func payload(of start: Int) throws(FormatFailure) -> [UInt8] {
    let payload = copy(try countedRange())
    try Self.check(payload, isMap: false, at: start)
    return payload
  }

  private static func check(_ payload: [UInt8], isMap: Bool, at offset: Int) throws(FormatFailure) {
    let major: CBORHead.Major
    // All machines decide alike, those with the first version of the library too.
    do throws(CodingFailure) {
      major = try PayloadCheck.validate(payload.span, levels: CBOR.typedDepthLimit)
    } catch {
      throw FormatFailure(.value, at: offset)
    }
    if isMap, major != .map { throw FormatFailure(.value, at: offset) }
  }
}
