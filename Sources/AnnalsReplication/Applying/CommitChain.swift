internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// A running hash of the accepted commits of a cluster: equal on two machines if and only if they have
/// accepted the same commits at the same places, but for accidents of 2^-128.
///
/// It detects machines that differ by a fault. It is no protection against a person who forges one.
package struct CommitChain: Hashable, Sendable {
  package var low: UInt64
  package var high: UInt64

  /// The hash before the first commit.
  package init() { self.init(low: 0, high: 0) }

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Adds an accepted commit.
  ///
  /// - Parameters:
  ///   - message: The bytes of its message, or those of the call in a message with several.
  ///   - places: Where its events are.
  ///   - bytes: Memory that is used for the bytes to hash.
  mutating func add(
    _ message: Span<UInt8>, at sequence: UInt64, _ places: Appended, _ bytes: inout [UInt8]
  ) {
    begin(at: sequence, places.positions.count, &bytes)
    for (position, revision) in zip(places.positions, places.revisions) {
      bytes.append(varint: position.rawValue)
      bytes.append(varint: revision.rawValue)
    }
    end(with: message, &bytes)
  }

  /// Adds an accepted commit, whose events are at neighbouring positions.
  mutating func add(
    _ message: Span<UInt8>, at sequence: UInt64, _ first: Position, _ revisions: Span<Revision>,
    _ bytes: inout [UInt8]
  ) {
    begin(at: sequence, revisions.count, &bytes)
    for index in revisions.indices {
      bytes.append(varint: first.rawValue + UInt64(index))
      bytes.append(varint: revisions[index].rawValue)
    }
    end(with: message, &bytes)
  }

  private func begin(at sequence: UInt64, _ events: Int, _ bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(littleEndian: sequence)
    bytes.append(varint: UInt64(events))
  }

  private mutating func end(with message: Span<UInt8>, _ bytes: inout [UInt8]) {
    bytes.append(message)
    let hash = StreamHash(bytes.span, key: (low, high))
    (low, high) = (hash.low, hash.high)
  }
}

extension CommitChain: CustomStringConvertible {
  /// The hash as 32 hexadecimal digits.
  package var description: String {
    [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
