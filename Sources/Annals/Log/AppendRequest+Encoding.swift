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
    parts = []
    self.time = time.microseconds
    for part in call.parts {
      try NameRule.check(part.stream.text, role: "stream")
      var events: [Event] = []
      events.reserveCapacity(part.events.count)
      for event in part.events {
        try NameRule.check(event.type, role: "type")
        events.append(
          Event(
            type: event.type, version: event.version, payload: event.payload.bytes, id: event.id,
            metadata: try event.metadata.encoded(), time: try event.time?.checked()))
      }
      parts.append(Part(stream: part.stream, expectation: part.expectation, events: events))
    }
    try checkSizes(maximumPayload: maximumPayload)
  }

  /// Throws `.tooLarge` for a payload, metadata or call over its limit.
  func checkSizes(maximumPayload: Int) throws(AnnalsError) {
    var total = 0
    for part in parts {
      for event in part.events {
        try Self.check(event.payload.count, limit: maximumPayload, what: "a payload", part.stream, event.type)
        try Self.check(
          event.metadata.count, limit: AppendLimit.metadata, what: "metadata", part.stream, event.type)
        total += event.payload.count + event.metadata.count + AppendLimit.overhead
        total += part.stream.text.utf8.count + event.type.utf8.count
      }
    }
    guard total <= AppendLimit.transaction else {
      throw AnnalsError(
        .tooLarge,
        "a call stores at most \(AppendLimit.transaction) bytes, and this one has \(total); append in several calls"
      )
    }
  }

  private static func check(
    _ count: Int, limit: Int, what: String, _ stream: StreamName, _ type: String
  ) throws(AnnalsError) {
    if count <= limit { return }
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
