internal import AnnalsCoding

/// The order of the texts of the tags that a writer has met, so that a batch of known tags needs no
/// comparisons.
struct TagOrder: Sendable {
  /// The number of tags that are sorted for each batch before they get a rank.
  private static let patience = 16

  /// The slots with a rank, in the order of their texts.
  private var ranked: [Int] = []
  /// The rank of each slot, from slot 0 on. Newer slots have none.
  private var ranks: [Int] = []
  /// A bit for each rank, all 0 between calls.
  private var marks: [UInt64] = []

  init() {}

  /// Sorts slots, each of which comes once, by their texts.
  mutating func sort(_ slots: inout [Int], _ texts: TagTexts) {
    if slots.count < 2 { return }
    let known = ranks.count
    var new = slots.filter { $0 >= known }
    if new.count < slots.count {
      slots.removeAll { $0 >= known }
      sortKnown(&slots)
      if new.isEmpty { return }
    } else {
      slots.removeAll(keepingCapacity: true)
    }
    sortNew(&new, texts)
    slots = merged(slots, new, texts)
  }

  /// Gives new tags a rank once they are many.
  mutating func learn(_ texts: TagTexts) {
    guard texts.count - ranks.count >= max(Self.patience, ranks.count / 4) else { return }
    var new = Array(ranks.count..<texts.count)
    sortNew(&new, texts)
    ranked = merged(ranked, new, texts)
    ranks = Array(repeating: 0, count: texts.count)
    for (rank, slot) in ranked.enumerated() { ranks[slot] = rank }
    marks = Array(repeating: 0, count: (texts.count + 63) / 64)
  }

  private mutating func sortKnown(_ slots: inout [Int]) {
    // Looking at every mark would be in vain.
    if slots.count < marks.count / 8 {
      let ranks = ranks
      return slots.sort { ranks[$0] < ranks[$1] }
    }
    for slot in slots { marks[ranks[slot] >> 6] |= 1 << UInt64(ranks[slot] & 63) }
    slots.removeAll(keepingCapacity: true)
    for word in marks.indices where marks[word] != 0 {
      var rest = marks[word]
      while rest != 0 {
        slots.append(ranked[word << 6 | rest.trailingZeroBitCount])
        rest &= rest - 1
      }
      marks[word] = 0
    }
  }

  private func sortNew(_ slots: inout [Int], _ texts: TagTexts) {
    // Those of one call have got their slots in this order.
    slots.sort()
    if zip(slots, slots.dropFirst()).allSatisfy({ texts.precedes($0, $1) }) { return }
    var names = FrozenNames()
    for slot in slots { texts.withText(slot) { names.add($0, id: UInt64(slot)) } }
    names.sort()
    for index in slots.indices { slots[index] = Int(names.id(index)) }
  }

  private func merged(_ left: [Int], _ right: [Int], _ texts: TagTexts) -> [Int] {
    var all: [Int] = []
    all.reserveCapacity(left.count + right.count)
    var next = 0
    for slot in left {
      while next < right.count, texts.precedes(right[next], slot) {
        all.append(right[next])
        next += 1
      }
      all.append(slot)
    }
    all += right[next...]
    return all
  }
}
