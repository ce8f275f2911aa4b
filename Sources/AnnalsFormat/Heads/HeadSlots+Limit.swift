extension HeadSlots {
  /// The bytes of a slot.
  private static let slotBytes = words * 8
  /// The bytes of lists for each entry of an interval of merges: entries and births of three and a half
  /// intervals, heads that wait for a merge, and those of a merge, twice while they are sorted.
  private static let listBytes = 140

  /// Returns the number of heads for which `bytes` of memory are enough, with their indexes and the lists of
  /// the tail.
  ///
  /// An index has a power of two of words, at least two for each head, and is doubled when it is half full.
  /// So the best number of words is searched. An eighth of it stays free for heads that cannot be evicted
  /// yet.
  ///
  /// - Parameter entries: The number of entries appended between two merges.
  package static func limit(in bytes: Int, entriesPerMerge entries: UInt64) -> Int {
    let bytes = min(max(bytes, 0), 1 << 50) - listBytes * Int(clamping: entries)
    var limit = 1
    var count = 2 * leastSlots
    while true {
      let heads = min((bytes - 2 * 8 * count) / slotBytes, count / 2 - count / 16)
      // While the second index is doubled, its old words are there as well.
      let isDoubled = count == 2 * leastSlots || count / 4 * slotBytes + (8 + 8 + 4) * count <= bytes
      guard heads > limit, isDoubled else { return limit }
      limit = heads
      count *= 2
    }
  }
}
