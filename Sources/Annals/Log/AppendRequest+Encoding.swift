#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a store takes at most.
enum AppendLimit {
  /// The most bytes of a transaction, as LMDB leaks and spills beyond (docs/durability.md).
  static let transaction = 128 << 20
  /// The most that the limit of a payload may be set to.
  static let payload = 100 << 20
  /// The most bytes of one event's metadata.
  static let metadata = 1 << 20
  /// What an entry takes beside payload, metadata and names, generously.
  static let overhead = 200
}

extension AppendRequest {
  /// Encodes and checks a call to an untyped log.
  ///
  /// - Parameters:
  ///   - time: The time of events that bring none.
  ///   - maximumPayload: The most bytes that a payload may have.
  init(
    _ call: borrowing AppendCall<NewEntry>, time: Timestamp, maximumPayload: Int
  ) throws(AnnalsError) {
    self.init(time: time.microseconds)
    reserve(parts: call.parts.count, items: call.parts.reduce(0) { $0 + $1.events.count })
    for part in call.parts {
      try add(checking: part.stream, expecting: part.expectation)
      for event in part.events {
        try add(
          Event(
            type: event.type, version: event.version, payload: event.payload.bytes, id: event.id,
            metadata: try event.metadata.encoded(), time: try event.time?.checked()),
          maximumPayload: maximumPayload)
      }
    }
    try checkSize()
  }

  /// Adds a part, whose stream's name is checked.
  mutating func add(
    checking stream: StreamName, expecting expectation: Expectation
  ) throws(AnnalsError) {
    try NameRule.check(stream.text, role: "stream")
    add(stream, expecting: expectation)
  }

  /// Adds an event, whose type's name and sizes are checked.
  mutating func add(_ event: Event, maximumPayload: Int) throws(AnnalsError) {
    let known = records.count
    try Self.check(event.payload.count, limit: maximumPayload, what: "a payload", parts.last, event.type)
    try Self.check(
      event.metadata.count, limit: AppendLimit.metadata, what: "metadata", parts.last, event.type)
    add(event)
    if records.count > known { try NameRule.check(event.type, role: "type") }
  }

  /// Throws `.tooLarge` for a call that is more than a transaction holds.
  func checkSize() throws(AnnalsError) {
    guard bytes <= AppendLimit.transaction else {
      throw AnnalsError(
        .tooLarge,
        "a call stores at most \(AppendLimit.transaction) bytes, and this one has \(bytes); append in several calls"
      )
    }
  }

  private static func check(
    _ count: Int, limit: Int, what: String, _ part: Part?, _ type: String
  ) throws(AnnalsError) {
    if count <= limit { return }
    let stream = part?.stream ?? ""
    throw AnnalsError(
      .tooLarge,
      "\(what) has at most \(limit) bytes, and that of a '\(type)' for stream '\(stream)' has \(count)",
      details: AnnalsError.Details {
        $0.stream = stream
        $0.type = type
      })
  }
}

extension Timestamp {
  /// The microseconds, if they are within the years that can be written down.
  func checked() throws(AnnalsError) -> Int64 {
    guard Self.range.contains(self) else {
      throw AnnalsError(
        .malformed, "a time lies within the years 1 to 9999; this one is \(microseconds) µs from 1970")
    }
    return microseconds
  }
}

extension Metadata {
  /// The CBOR map that is stored, nothing where there is no metadata.
  func encoded() throws(AnnalsError) -> [UInt8] {
    if isEmpty { return [] }
    do throws(CodingFailure) {
      return try cbor.encodedPayload()
    } catch {
      throw AnnalsError(malformed: error, what: "the metadata")
    }
  }

  /// Reads what was stored.
  init(encoded bytes: Span<UInt8>) throws(CodingFailure) {
    guard let metadata = Metadata(try CBOR(payload: bytes)) else {
      throw CodingFailure(.wrongType, at: 0, detail: "metadata is a map")
    }
    self = metadata
  }
}
