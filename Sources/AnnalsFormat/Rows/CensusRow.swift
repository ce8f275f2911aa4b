package import AnnalsCoding

/// The value of a row of `census`, whose key is a kind: the kind's counts in the log.
package struct CensusRow: Equatable, Sendable {
  /// Delivered parts: an unsplit entry is one.
  package var parts: UInt64 = 0
  /// The bytes of their payloads.
  package var bytes: UInt64 = 0
  /// Entries of which only a stub is left.
  package var stubs: UInt64 = 0
  /// Events that a pass has quarantined because a rule failed on their entry. Each part counts, and a stub in
  /// place of an unreadable entry.
  package var quarantined: UInt64 = 0

  /// Parts, bytes, stubs, quarantined; all varints.
  package func encoded() -> [UInt8] {
    var encoded: [UInt8] = []
    for number in [parts, bytes, stubs, quarantined] {
      encoded.append(varint: number)
    }
    return encoded
  }

  package init() {}

  /// Counts one more delivered part with a payload of `bytes` bytes.
  package mutating func add(bytes: Int) {
    parts += 1
    self.bytes += UInt64(bytes)
  }

  /// Adds the counts of another row. A damaged row that still has its checksum must not stop the process;
  /// 'verify' finds it.
  package mutating func add(_ other: CensusRow) {
    parts &+= other.parts
    bytes &+= other.bytes
    stubs &+= other.stubs
    quarantined &+= other.quarantined
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    parts = try reader.number()
    self.bytes = try reader.number()
    stubs = try reader.number()
    quarantined = try reader.number()
    try reader.finish()
  }
}
