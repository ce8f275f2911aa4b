#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID {
  /// The 16 bytes in the order of the text form.
  package var bytes: [UInt8] {
    let id = uuid
    return [
      id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15,
    ]
  }

  /// Creates the UUID of these bytes; `nil` if there are not exactly 16.
  package init?(bytes id: [UInt8]) {
    guard id.count == 16 else { return nil }
    self.init(
      uuid: (
        id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13],
        id[14], id[15]
      ))
  }

  /// Returns a random UUID (RFC 9562, version 4).
  ///
  /// On Linux `UUID()` reads a file, and gives one value always in a process that has no descriptor left. Two
  /// of them would then be taken for the same.
  package static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    var (first, last) = (generator.next() as UInt64, generator.next() as UInt64)
    first = first & ~0xf000 | 0x4000
    last = last & ~(0xc0 << 56) | 0x80 << 56
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return UUID(
      uuid: (
        byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4), byte(first, 5),
        byte(first, 6), byte(first, 7), byte(last, 0), byte(last, 1), byte(last, 2), byte(last, 3),
        byte(last, 4), byte(last, 5), byte(last, 6), byte(last, 7)
      ))
  }

  /// Returns the id of an event, unless it is what `UUID()` gives in a process that has no descriptor left.
  /// Events with it would be taken for repeated ones.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  package func checked() throws(AnnalsError) -> UUID {
    guard self == UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)) else { return self }
    throw AnnalsError(
      .malformed,
      "the event id \(uuidString.lowercased()) is not random: UUID() gives it where a process has no descriptor left; give the event another id"
    )
  }

  /// Calls `body` with the 16 bytes.
  @inlinable @inline(__always)
  package func withBytes(_ body: (Span<UInt8>) -> Void) {
    unsafe withUnsafeBytes(of: uuid) { bytes in
      unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }
  }
}
