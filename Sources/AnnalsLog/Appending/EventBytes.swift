internal import AnnalsCoding

/// The payloads and the metadata of a call's events.
///
/// Short ones are copied into one list. So no thread touches the reference count of each, the writer reads
/// memory in order, and a call is released at once. Long ones are kept as they are.
struct EventBytes: Sendable {
  /// Where the payload and the metadata of an event are, one after the other.
  struct Place: Sendable {
    /// The index of the first byte in the list of short ones; for others, the complement of their index in
    /// the list of long ones.
    fileprivate let start: Int
    fileprivate let payload, metadata: UInt32
  }

  /// The most bytes of an event that are copied. Counting a reference takes as long as copying about as many.
  private static let most = 1024

  /// The short ones.
  var short: [UInt8] = []
  private var long: [[UInt8]] = []

  /// Adds the payload and the metadata of an event.
  @inline(__always)
  mutating func add(_ payload: [UInt8], _ metadata: [UInt8]) -> Place {
    let counts = (UInt32(payload.count), UInt32(metadata.count))
    guard payload.count + metadata.count <= Self.most else {
      long.append(payload)
      long.append(metadata)
      return Place(start: ~(long.count - 2), payload: counts.0, metadata: counts.1)
    }
    let start = short.count
    short.append(payload.span)
    if !metadata.isEmpty { short.append(metadata.span) }
    return Place(start: start, payload: counts.0, metadata: counts.1)
  }

  /// Calls `body` with the payload and the metadata of an event.
  @inline(__always)
  func with<Result, Failure: Error>(
    _ place: Place, _ body: (Span<UInt8>, Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if place.start < 0 {
      let (payload, metadata) = (long[~place.start], long[~place.start + 1])
      return try body(payload.span, metadata.span)
    }
    let middle = place.start + Int(place.payload)
    let bytes = short.span
    return try body(
      bytes.extracting(place.start..<middle), bytes.extracting(middle..<middle + Int(place.metadata)))
  }

  /// Removes those of the event that was added last.
  mutating func removeLast(_ place: Place) {
    if place.start < 0 { long.removeLast(2) } else { short.removeSubrange(place.start...) }
  }
}

extension EventBytes.Place {
  /// The number of bytes of the payload.
  var payloadCount: Int { Int(payload) }
}
