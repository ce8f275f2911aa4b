/// What a transaction changed in the heads, so that it can be taken back: memory must not be ahead of the log after a failed commit.
struct HeadJournal {
  /// How long the lists of the table were when the transaction began.
  struct Lengths {
    var last: UInt64 = 0
    var previous = 0
    var births = 0
    var dirty = 0
    var dirtyBytes = 0
  }

  private(set) var lengths = Lengths()
  /// The number of the transaction, which marks slots that are saved already.
  private var mark: UInt64 = 0
  private var saved: [HeadSlots.Saved] = []
  private var words: [UInt64] = []
  private var born: [Int] = []

  mutating func begin(_ lengths: Lengths) {
    self.lengths = lengths
    mark += 1
  }

  mutating func end() {
    saved.removeAll(keepingCapacity: saved.count < 65_536)
    words.removeAll(keepingCapacity: words.count < 1 << 20)
    born.removeAll(keepingCapacity: born.count < 65_536)
    // What is changed outside a transaction is never taken back.
    mark += 1
  }

  /// Saves a slot before its first change.
  mutating func save(_ slot: Int, of slots: inout HeadSlots) {
    if slots.mark(slot) == mark { return }
    saved.append(slots.save(slot, to: &words))
    slots.setMark(slot, mark)
  }

  /// Notes a slot that the transaction added.
  mutating func born(_ slot: Int, of slots: inout HeadSlots) {
    slots.setMark(slot, mark)
    born.append(slot)
  }

  /// Puts everything back.
  mutating func restore(_ slots: inout HeadSlots) {
    for (index, slot) in saved.enumerated() { slots.restore(slot, from: words, at: index * HeadSlots.words) }
    for slot in born { slots.remove(slot) }
    end()
  }
}
