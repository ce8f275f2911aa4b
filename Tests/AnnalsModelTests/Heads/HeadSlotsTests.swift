import Testing

@testable import AnnalsFormat
@testable import AnnalsLog

@Suite struct HeadSlotsTests {
  private func hash(_ number: UInt64) -> StreamHash { StreamHash(StreamName("\(number)")) }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `slots are found as in a dictionary, after any insertions and removals`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var slots = HeadSlots(limit: 100_000)
    var model: [UInt64: Int] = [:]
    for _ in 0..<20_000 {
      let id = UInt64.random(in: 1...4_000, using: &generator)
      if let slot = model[id] {
        #expect(slots.find(id: id) == slot)
        #expect(slots.find(hash(id)) == slot)
        if Int.random(in: 0..<3, using: &generator) > 0 {
          slots.remove(slot)
          model[id] = nil
          #expect(slots.find(id: id) == nil)
          #expect(slots.find(hash(id)) == nil)
        }
      } else {
        let slot = slots.insert(id: id, removable: 0)
        slots.name(slot, hash(id))
        model[id] = slot
      }
    }
    #expect(slots.count == model.count)
    for (id, slot) in model { #expect(slots.find(id: id) == slot && slots.find(hash(id)) == slot) }
  }

  @Test func `heads that may go make room, the others never`() {
    var slots = HeadSlots(limit: 0)
    for id in 1...20_000 as ClosedRange<UInt64> {
      let slot = slots.insert(id: id, removable: 5_000)
      slots.name(slot, hash(id))
      slots.move(slot, to: id, revision: 0, hasID: false)
    }
    for id in 5_001...20_000 as ClosedRange<UInt64> { #expect(slots.find(id: id) != nil) }
    #expect(slots.count < 17_000)
  }

  @Test func `a long stream keeps all of its levels`() {
    var slots = HeadSlots(limit: 0)
    let slot = slots.insert(id: 1, removable: 0)
    let revision: UInt64 = 1 << 24
    for level in 1...12 { slots.setLevel(slot, level, UInt64(100 + level)) }
    slots.move(slot, to: 1 << 30, revision: revision + 1, hasID: true)
    let head = slots.head(slot)
    #expect(head.levels.map(\.rawValue) == (101...112).map { UInt64($0) })
    slots.move(slot, to: 1 << 31, revision: revision + 2, hasID: false)
    #expect(slots.head(slot) != head)
    slots.moveBack(slot, to: 1 << 30)
    #expect(slots.head(slot) == head)
  }
}
