internal import AnnalsFormat

/// The slots of tags by the hashes of their texts: open addressing with linear probing.
///
/// Nothing is ever removed. Each of several tags with one hash has an element of its own.
struct TagIndex: Sendable {
  private struct Element {
    /// The half of the hash that is compared, whose lowest bits are the place that is tried first.
    var hash: UInt64 = 0
    /// One more than the slot; 0 if the element is free.
    var number = 0
  }

  /// A power of two, of which at most half are in use; empty at first.
  private var elements: [Element] = []
  private var count = 0

  /// The first slot of a hash for which `isWanted` returns `true`.
  @inline(__always)
  func first(of hash: StreamHash, where isWanted: (Int) -> Bool) -> Int? {
    let elements = elements.span
    if elements.isEmpty { return nil }
    let mask = elements.count - 1
    var place = Int(truncatingIfNeeded: hash.low) & mask
    while elements[place].number != 0 {
      let slot = elements[place].number - 1
      if elements[place].hash == hash.low, isWanted(slot) { return slot }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Adds a slot.
  mutating func add(_ hash: StreamHash, _ slot: Int) {
    if count * 2 >= elements.count { grow() }
    insert(Element(hash: hash.low, number: slot + 1))
    count += 1
  }

  private mutating func grow() {
    let old = elements
    elements = [Element](repeating: Element(), count: max(16, old.count * 2))
    for element in old where element.number != 0 { insert(element) }
  }

  private mutating func insert(_ element: Element) {
    let mask = elements.count - 1
    var place = Int(truncatingIfNeeded: element.hash) & mask
    while elements[place].number != 0 { place = (place + 1) & mask }
    elements[place] = element
  }
}
