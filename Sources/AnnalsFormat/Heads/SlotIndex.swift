/// An open-addressing index from a tag of 32 bits to slots, with linear probing. The caller distinguishes
/// equal tags.
///
/// Entries are removed by shifting back those after them (Knuth, volume 3, 6.4, algorithm R), so there are no
/// marks of removed ones.
@usableFromInline package struct SlotIndex: ~Copyable {
  /// A word is 0 where it is free, else the tag in its upper half and the slot plus one in its lower.
  @usableFromInline package private(set) var words: PageMemory
  @usableFromInline package private(set) var mask: Int
  private var used = 0

  /// An index for at least `capacity` slots before it grows; a power of two.
  package init(capacity: Int) {
    words = PageMemory(count: capacity * 2)
    mask = capacity * 2 - 1
  }

  /// The bytes of the index.
  package var bytes: Int { words.count * 8 }

  /// The slot with `tag` that `matches`.
  @inlinable
  @inline(__always)
  package func find(_ tag: UInt32, _ matches: (Int) -> Bool) -> Int? {
    var place = Int(tag) & mask
    while true {
      let word = words[place]
      if word == 0 { return nil }
      if UInt32(truncatingIfNeeded: word >> 32) == tag {
        let slot = Int(word & 0xffff_ffff) - 1
        if matches(slot) { return slot }
      }
      place = (place + 1) & mask
    }
  }

  /// Begins to load where `tag` is looked for first.
  @inlinable @inline(__always)
  package func prefetch(_ tag: UInt32) {
    words.prefetch(Int(tag) & mask)
  }

  /// The slot in the first place that a search for `tag` looks at, which may have another tag; for
  /// prefetching.
  @inlinable @inline(__always)
  package func likely(_ tag: UInt32) -> Int? {
    let word = words[Int(tag) & mask]
    return word == 0 ? nil : Int(word & 0xffff_ffff) - 1
  }

  /// Adds a slot, which must not be there.
  package mutating func insert(_ tag: UInt32, _ slot: Int) {
    // Half full at most: a probe then looks at one and a half words on average.
    if (used + 1) * 2 > mask { grow() }
    put(UInt64(tag) << 32 | UInt64(slot + 1))
    used += 1
  }

  private mutating func put(_ word: UInt64) {
    var place = Int(word >> 32) & mask
    while words[place] != 0 { place = (place + 1) & mask }
    words[place] = word
  }

  private mutating func grow() {
    var old = PageMemory(count: (mask + 1) * 2)
    swap(&old, &words)
    mask = mask * 2 + 1
    for place in 0..<old.count where old[place] != 0 { put(old[place]) }
  }

  /// Removes a slot, which must be there.
  package mutating func remove(_ tag: UInt32, _ slot: Int) {
    let word = UInt64(tag) << 32 | UInt64(slot + 1)
    var gap = Int(tag) & mask
    while words[gap] != word { gap = (gap + 1) & mask }
    var place = gap
    while true {
      place = (place + 1) & mask
      let next = words[place]
      if next == 0 { break }
      let home = Int(next >> 32) & mask
      // It may move to the gap unless its home lies after the gap, on the way to where it is.
      if (place - home) & mask >= (place - gap) & mask {
        words[gap] = next
        gap = place
      }
    }
    words[gap] = 0
    used -= 1
  }
}
