package import AnnalsCoding
internal import CAnnals

/// The hash of a stream's name, by which names are distinguished in memory.
///
/// SipHash-2-4 with 128 bits under a key that each process draws for itself: names that collide cannot be
/// chosen from outside, and by chance they do not within the life of the machine. It is never stored.
@usableFromInline package struct StreamHash: Hashable, Sendable {
  @usableFromInline package let low, high: UInt64

  private static let key = (low: UInt64.random(in: .min ... .max), high: UInt64.random(in: .min ... .max))

  /// The hash of the name's bytes.
  package init(_ name: StreamName) {
    self.init(name.text.utf8.span, key: (Self.key.low, Self.key.high))
  }

  /// The hash of a name's bytes.
  package init(_ bytes: Span<UInt8>) {
    self.init(bytes, key: (Self.key.low, Self.key.high))
  }

  /// The hash under a key of the caller's, for comparison with the paper's vectors.
  package init(_ bytes: Span<UInt8>, key: (UInt64, UInt64)) {
    var key = key
    var hash: (UInt64, UInt64) = (0, 0)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeBytes(of: &key) { key in
        unsafe withUnsafeMutableBytes(of: &hash) { hash in
          unsafe annals_siphash(
            key.assumingMemoryBound(to: UInt64.self).baseAddress, bytes.baseAddress, bytes.count,
            hash.assumingMemoryBound(to: UInt64.self).baseAddress)
        }
      }
    }
    low = hash.0
    high = hash.1
  }

  /// Hashes one half of it, which is as good as random.
  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(low) }

  /// What an index keeps of it.
  @inlinable package var tag: UInt32 { UInt32(truncatingIfNeeded: low) }
}
