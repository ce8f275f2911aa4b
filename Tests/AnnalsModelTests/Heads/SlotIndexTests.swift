import Testing

@testable import AnnalsFormat

@Suite struct SlotIndexTests {
  /// Few tags, so that many slots share one and their runs of places join.
  private func tag(_ slot: Int, of tags: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: slot % tags) &* 0x9e37_79b9
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>, [false, true])
  func `slots are found while the index moves its entries as it grows`(seed: UInt64, isSecond: Bool) {
    var generator = SeededGenerator(seed: seed)
    let tags = [16, 300, 1 << 20][Int(seed % 3)]
    var index = SlotIndex(capacity: 4, isSecond: isSecond)
    var slots: [Int] = []
    var places: [Int: Int] = [:]
    var next = 0
    // The share of insertions changes, so that removals come at every stage of a move.
    for step in 0..<6_000 {
      let grows = Int.random(in: 0..<4, using: &generator) > (step / 500) % 4
      if grows || slots.isEmpty {
        index.insert(tag(next, of: tags), next)
        places[next] = slots.count
        slots.append(next)
        next += 1
      } else {
        let place = Int.random(in: 0..<slots.count, using: &generator)
        let slot = slots[place]
        slots.swapAt(place, slots.count - 1)
        places[slots[place]] = place
        slots.removeLast()
        places[slot] = nil
        index.remove(tag(slot, of: tags), slot)
      }
      let asked = Int.random(in: 0..<next, using: &generator)
      let found = index.find(tag(asked, of: tags)) { $0 == asked }
      guard found == (places[asked] == nil ? nil : asked) else {
        Issue.record("slot \(asked) after step \(step): \(String(describing: found))")
        return
      }
    }
    for slot in 0..<next {
      #expect((index.find(tag(slot, of: tags)) { $0 == slot } != nil) == (places[slot] != nil))
    }
  }

  @Test func `an index that grows keeps its older words only until they are moved`() {
    var index = SlotIndex(capacity: 1024)
    for slot in 0..<1024 { index.insert(UInt32(slot), slot) }
    #expect(index.bytes == (2048 + 4096) * 8)
    for slot in 1024..<1088 { index.insert(UInt32(slot), slot) }
    #expect(index.bytes == 4096 * 8)
  }
}
