import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsVerify

/// The memory that heads take, counted by the table itself.
@Suite struct HeadMemoryTests {
  private func hash(_ number: UInt64) -> StreamHash { StreamHash(StreamName("\(number)")) }

  @Test(arguments: [(800 << 10, 60_000), (1 << 20, 100_000), (8 << 20, 300_000), (64 << 20, 1_200_000)])
  func `however many streams are new, heads take their memory and a twentieth more`(
    memory: Int, streams: UInt64
  ) {
    let interval = HeadMerge.Interval().fitting(memory: memory)
    let limit = HeadSlots.limit(in: memory, entriesPerMerge: interval.entries)
    var table = HeadTable(checkpoint: 0, limit: limit)
    var frozen: FrozenHeads?
    var most = 0
    while table.last < streams {
      table.begin()
      for _ in 0..<interval.entriesPerGroup { table.begin(hash(table.last + 1), hasID: false) }
      table.keep()
      // While it is sorted, the list of heads exists twice.
      most = max(most, table.bytes + 2 * (frozen?.bytes ?? 0))
      // The latest moment to which appends delay a merge: an interval, with an eighth of its rows late.
      if let merging = frozen, table.last - merging.position >= interval.entries * 9 / 8 {
        table.move(checkpoint: merging.position)
        frozen = nil
      }
      if frozen == nil, table.tail >= interval.entries { frozen = table.freeze() }
    }
    #expect(most <= memory + memory / 20, "\(most) bytes, limit \(limit) heads")
    // The memory is used, and not merely kept free.
    #expect(most >= memory * 3 / 4, "\(most) bytes, limit \(limit) heads")
    for position in table.base + 1...table.last {
      guard table.find(hash(position)) != nil else {
        Issue.record("the head of the stream at \(position) is gone before it was merged")
        return
      }
    }
  }

  @Test(arguments: [0, 800 << 10, 1 << 20, 64 << 20, 256 << 20, 1 << 30])
  func `heads that fit into memory do not exceed it with their indexes`(memory: Int) {
    let entries = HeadMerge.Interval().fitting(memory: memory).entries
    let limit = HeadSlots.limit(in: memory, entriesPerMerge: entries)
    #expect(limit >= 1)
    guard memory > 0 else { return }
    // An index has the least power of two of words with which it is no more than half full.
    var words = 2 * HeadSlots.leastSlots
    while limit + 1 > words / 2 { words *= 2 }
    #expect(limit * 128 + 16 * words + 140 * Int(entries) <= memory)
  }

  @Test func `slots keep their contents when their memory is doubled`() {
    var slots = HeadSlots(limit: 100_000)
    for id in 1...40_000 as ClosedRange<UInt64> {
      let slot = slots.insert(id: id, removable: 0)
      slots.name(slot, hash(id))
      slots.move(slot, to: id, revision: 0, hasID: id % 2 == 0)
    }
    for id in 1...40_000 as ClosedRange<UInt64> {
      guard let slot = slots.find(hash(id)), slots.id(slot) == id, slots.last(slot) == id,
        slots.newestID(slot) == (id % 2 == 0 ? 1 : 0)
      else {
        Issue.record("the head of the stream at \(id) is not what it was")
        return
      }
    }
  }
}
