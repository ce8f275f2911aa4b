/// The order of a map's keys, or a set's elements, during encoding: recorded for each entry, sorted at the
/// end.
///
/// Keys are sorted by their encoded bytes (RFC 8949, section 4.2.1), which puts shorter texts first.
@usableFromInline
package struct KeyOrder {
  private struct Entry {
    let start: Int
    let keyEnd: Int
    let end: Int
  }
  private var entries: [Entry] = []
  private var start: Int
  private var keyEnd: Int
  private var lastKey: Range<Int>?
  private var isSorted = true

  /// Creates the order of entries, the first of which begins at `start`.
  package init(at start: Int) {
    self.start = start
    self.keyEnd = start
  }

  /// Records that a key has just been written.
  package mutating func endKey(in bytes: [UInt8]) {
    keyEnd = bytes.count
    if isSorted, let lastKey {
      isSorted = bytes.span.order(of: lastKey, against: start..<keyEnd) < 0
    }
    lastKey = start..<keyEnd
  }

  /// Records that the value of that key has just been written.
  package mutating func endValue(in bytes: [UInt8]) {
    entries.append(Entry(start: start, keyEnd: keyEnd, end: bytes.count))
    start = bytes.count
  }

  /// Sorts the entries, which must be the last of `bytes`.
  ///
  /// - Returns: The offset of an entry with a duplicate key, if there is one.
  package func sort(_ bytes: inout [UInt8]) -> Int? {
    guard !isSorted, let first = entries.first else { return nil }
    let (sorted, twice) = arranged(in: bytes.span)
    // Only this map's bytes are copied: copying the preceding ones would make many small maps quadratic.
    let written = [UInt8](bytes[first.start...])
    bytes.removeSubrange(first.start...)
    for entry in sorted {
      bytes.append(contentsOf: written[(entry.start - first.start)..<(entry.end - first.start)])
    }
    return twice
  }

  /// Returns the entries in order, and the offset of the first one with a duplicate key.
  private func arranged(in bytes: Span<UInt8>) -> ([Entry], twice: Int?) {
    // No item is a prefix of another, so comparing whole entries compares their keys first.
    let sorted = entries.sorted { left, right in
      bytes.order(of: left.start..<left.end, against: right.start..<right.end) < 0
    }
    let twice = zip(sorted, sorted.dropFirst()).first { left, right in
      bytes.order(of: left.start..<left.keyEnd, against: right.start..<right.keyEnd) == 0
    }
    return (sorted, twice?.1.start)
  }
}
