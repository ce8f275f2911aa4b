package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog

/// The entries that truncations hide, as a pass finds them when it begins. The pass turns them into stubs.
///
/// All threads of a pass use one value, and so does its comparison: a truncation during the pass hides in the
/// new generation as it does in the old one, and the next pass turns its entries into stubs.
package struct HiddenEntries: Equatable, Sendable {
  /// Of each truncated stream, by its id, the oldest revision that is read.
  private let oldest: [UInt64: UInt64]

  private init(_ oldest: [UInt64: UInt64]) {
    self.oldest = oldest
  }

  /// No entries.
  package static let none = HiddenEntries([:])

  /// The entries that are hidden in the snapshot of `reader`.
  ///
  /// - Complexity: O(streams with a limit), also in memory.
  package init(_ reader: StoreReader) throws(AnnalsError) {
    var oldest: [UInt64: UInt64] = [:]
    try reader.eachLimit { (id, limit) in
      if limit.oldest > 0 { oldest[id.rawValue] = limit.oldest.rawValue }
      return true
    }
    self.init(oldest)
  }

  /// The SHA-256 of the ids and revisions, in order: only equal entries have the same.
  package var mark: [UInt8] {
    var bytes: [UInt8] = []
    for (stream, revision) in oldest.sorted(by: { $0.key < $1.key }) {
      bytes.append(varint: stream)
      bytes.append(varint: revision)
    }
    return SHA256.hash(bytes)
  }

  /// Whether an entry has an event that is hidden.
  @inline(__always)
  package func contains(_ header: EntryHeader) -> Bool {
    !oldest.isEmpty && !header.flags.contains(.stub) && covers(header)
  }

  /// Whether an entry has a hidden place, even if a pass has turned it into a stub.
  @inline(__always)
  package func covers(_ header: EntryHeader) -> Bool {
    if oldest.isEmpty { return false }
    return header.revision.rawValue < oldest[header.stream.rawValue] ?? 0
  }
}

extension Stub {
  /// The stub of an entry that a truncation hides.
  package static let truncated = Stub(
    cause: .truncated, reason: "it was before the oldest revision that its stream shows")
}
