/// An open-addressing index from a tag of 32 bits to slots, with linear probing. The caller distinguishes
/// equal tags.
///
/// Entries are removed by shifting back those after them (Knuth, volume 3, 6.4, algorithm R), so there are no
/// marks of removed ones. An index that grows moves its entries with the next insertions, a few with each, so
/// that none of them waits for all.
@usableFromInline package struct SlotIndex: ~Copyable {
  /// The number of older places whose entries move with an insertion.
  ///
  /// Half of the places are in use, and the index grows again after as many insertions as it had entries. So
  /// all are moved long before.
  private static let step = 32
  /// An older word whose entry was removed. No slot has this number.
  @usableFromInline static var removed: UInt64 { 0xffff_ffff }

  /// A word is 0 where it is free, else the tag in its upper half and the slot plus one in its lower.
  @usableFromInline package private(set) var words: PageMemory
  @usableFromInline package private(set) var mask: Int
  /// The words from before the index grew, until all their entries are moved. Entries stay there when they
  /// are moved.
  private var older: PageMemory?
  /// The number of older words; 0 if there are none.
  @usableFromInline private(set) var olderCount = 0
  /// The number of older places whose entries are moved.
  private var moved = 0
  private var used = 0
  private let isSecond: Bool

  /// An index for at least `capacity` slots before it grows; a power of two.
  ///
  /// - Parameter isSecond: Whether it has the slots of another index. It grows a little later then, when the
  ///   other has moved its entries, so that their older words are not in memory together.
  package init(capacity: Int, isSecond: Bool = false) {
    words = PageMemory(count: capacity * 2)
    mask = capacity * 2 - 1
    self.isSecond = isSecond
  }

  /// The bytes of the index.
  package var bytes: Int { (words.count + olderCount) * 8 }

  /// The slot with `tag` that `matches`.
  @inlinable
  @inline(__always)
  package func find(_ tag: UInt32, _ matches: (Int) -> Bool) -> Int? {
    var place = Int(tag) & mask
    while true {
      let word = words[place]
      if word == 0 { break }
      if UInt32(truncatingIfNeeded: word >> 32) == tag {
        let slot = Int(word & 0xffff_ffff) - 1
        if matches(slot) { return slot }
      }
      place = (place + 1) & mask
    }
    return olderCount == 0 ? nil : findOlder(tag, matches)
  }

  @usableFromInline func findOlder(_ tag: UInt32, _ matches: (Int) -> Bool) -> Int? {
    var place = Int(tag) & (mask >> 1)
    while true {
      let word = olderWord(place)
      if word == 0 { return nil }
      if UInt32(truncatingIfNeeded: word >> 32) == tag, word != Self.removed {
        let slot = Int(word & 0xffff_ffff) - 1
        if matches(slot) { return slot }
      }
      place = (place + 1) & (mask >> 1)
    }
  }

  private func olderWord(_ place: Int) -> UInt64 {
    switch older {
    case .some(let words): words[place]
    case .none: 0
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
    // Half full: a probe then looks at one and a half words on average.
    if (used + 1) * 2 > mask + (isSecond ? mask / Self.step * 2 : 0) { grow() }
    move(Self.step)
    put(UInt64(tag) << 32 | UInt64(slot + 1))
    used += 1
  }

  private mutating func put(_ word: UInt64) {
    var place = Int(word >> 32) & mask
    while words[place] != 0 { place = (place + 1) & mask }
    words[place] = word
  }

  private mutating func grow() {
    move(.max)
    var larger = PageMemory(count: (mask + 1) * 2)
    swap(&larger, &words)
    olderCount = larger.count
    older = consume larger
    mask = mask * 2 + 1
    moved = 0
  }

  /// Moves the entries of the next `count` older places.
  private mutating func move(_ count: Int) {
    guard olderCount > 0 else { return }
    let end = moved + min(count, olderCount - moved)
    for place in moved..<end {
      let word = olderWord(place)
      if word != 0, word != Self.removed { put(word) }
    }
    moved = end
    guard moved == olderCount else { return }
    older = nil
    olderCount = 0
  }

  /// Removes a slot, which must be there.
  package mutating func remove(_ tag: UInt32, _ slot: Int) {
    let word = UInt64(tag) << 32 | UInt64(slot + 1)
    used -= 1
    // An entry that was moved is in both.
    if let place = removeOlder(word), place >= moved { return }
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
  }

  /// Removes an entry from the older words, and returns its place; `nil` if it came later.
  private mutating func removeOlder(_ removed: UInt64) -> Int? {
    var place = Int(removed >> 32) & (mask >> 1)
    while true {
      let word = olderWord(place)
      if word == 0 { return nil }
      if word == removed {
        older?[place] = Self.removed
        return place
      }
      place = (place + 1) & (mask >> 1)
    }
  }
}
