package import AnnalsCoding

/// The value of a row of `meta` that records where entries of a stream went. The row's name contains the
/// stream's.
package struct MovedRow: Equatable, Sendable {
  /// The maximum number of names in one row. Of a stream that was split into more, the first ones are kept.
  package static let maximum = 16
  /// The prefix of the rows' names. With the longest name of a stream after it, it is still a valid key.
  package static let prefix = "moved "

  /// Returns the name of the row that records where entries of `stream` went.
  package static func name(_ stream: StreamName) -> String { prefix + stream.text }

  /// The streams that entries went to, in the order in which the first ones did.
  package private(set) var streams: [StreamName] = []
  /// Whether there are others.
  private(set) var hasMore = false

  /// No streams yet.
  package init() {}

  /// Adds a stream.
  ///
  /// - Returns: Whether that changes anything.
  package mutating func add(_ stream: StreamName) -> Bool {
    if hasMore || streams.contains(stream) { return false }
    if streams.count < Self.maximum { streams.append(stream) } else { hasMore = true }
    return true
  }

  /// Returns the row with other names for some streams.
  ///
  /// - Parameter names: The placeholders of streams whose names were erased.
  /// - Returns: `nil` if the row leads to such streams alone.
  package func renaming(_ names: [StreamName: StreamName]) -> MovedRow? {
    var row = self
    row.streams = streams.map { names[$0] ?? $0 }
    return hasMore || row.streams.contains { !SystemEntry.isReserved($0) } ? row : nil
  }

  /// Whether nothing that is added changes it.
  package var isFull: Bool { hasMore }

  /// Count (varint), the names (counted), 1 where there are others and else 0.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(streams.count))
    for stream in streams { bytes.append(counted: stream.text.utf8) }
    bytes.append(hasMore ? 1 : 0)
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let count = try reader.varint()
    guard (1...UInt64(Self.maximum)).contains(count) else { throw FormatFailure(.value, at: 0) }
    for _ in 0..<count { streams.append(StreamName(try reader.countedText())) }
    let start = reader.offset
    switch try reader.byte() {
    case 0: hasMore = false
    case 1: hasMore = true
    default: throw FormatFailure(.value, at: start)
    }
    try reader.finish()
  }
}
