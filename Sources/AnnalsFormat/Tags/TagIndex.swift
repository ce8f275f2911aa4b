internal import AnnalsCoding

/// The slots of tags by the hashes of their texts: open addressing with linear probing.
///
/// Nothing is ever removed. Each of several tags with one hash has an element of its own.
struct TagIndex: Sendable {
  /// The part of a hash that is compared in the upper half, one more than the slot in the lower; 0 if the
  /// element is free. A power of two, of which at most half are in use; empty at first.
  private var elements: [UInt64] = []
  private var count = 0

  /// The first slot of a hash for which `isWanted` returns `true`.
  @inline(__always)
  func first(of hash: StreamHash, where isWanted: (Int) -> Bool) -> Int? {
    let elements = elements.span
    if elements.isEmpty { return nil }
    let mask = elements.count - 1
    var place = Int(hash.tag) & mask
    while elements[place] != 0 {
      if UInt32(truncatingIfNeeded: elements[place] >> 32) == hash.tag {
        let slot = Int(elements[place] & 0xffff_ffff) - 1
        if isWanted(slot) { return slot }
      }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Begins to load the element that is tried first for a hash.
  @inline(__always)
  func prefetch(_ hash: StreamHash) {
    elements.span.prefetch(Int(hash.tag) & (elements.count - 1))
  }

  /// The slot in the element that is tried first for a hash, which may be another's; for prefetching.
  @inline(__always)
  func likely(_ hash: StreamHash) -> Int? {
    if elements.isEmpty { return nil }
    let element = elements[Int(hash.tag) & (elements.count - 1)]
    return element == 0 ? nil : Int(element & 0xffff_ffff) - 1
  }

  /// Adds a slot.
  mutating func add(_ hash: StreamHash, _ slot: Int) {
    if count * 2 >= elements.count { grow() }
    insert(UInt64(hash.tag) << 32 | UInt64(slot + 1))
    count += 1
  }

  private mutating func grow() {
    let old = elements
    elements = [UInt64](repeating: 0, count: max(16, old.count * 2))
    for element in old where element != 0 { insert(element) }
  }

  private mutating func insert(_ element: UInt64) {
    let mask = elements.count - 1
    var place = Int(element >> 32) & mask
    while elements[place] != 0 { place = (place + 1) & mask }
    elements[place] = element
  }
}
