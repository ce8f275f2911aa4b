/// A transaction's changes to the heads, for undoing them: memory must not be ahead of the log after a failed
/// commit.
///
/// Only the slot of each entry is recorded. The position of its stream's previous entry is kept for readers
/// anyway, and revisions count up by one. Levels and ids change less often, and are recorded when they do.
struct HeadJournal {
  /// The lengths of the table's lists when the transaction began.
  struct Lengths {
    var last: UInt64 = 0
    var births = 0
    var dirty = 0
    var dirtyBytes = 0
  }

  /// The earlier value of a level or newest id.
  struct Change {
    let slot: Int
    /// 0 for the newest id.
    let level: Int
    let value: UInt64
  }

  private(set) var lengths = Lengths()
  /// The slots of the entries, in the order of their positions.
  private(set) var slots: [Int] = []
  /// The other changes, oldest first.
  private(set) var changes: [Change] = []

  /// The bytes of memory that the lists take.
  var bytes: Int { slots.count * 8 + changes.count * MemoryLayout<Change>.stride }

  mutating func begin(_ lengths: Lengths) {
    self.lengths = lengths
    slots.removeAll(keepingCapacity: slots.count < 1 << 16)
    changes.removeAll(keepingCapacity: changes.count < 1 << 16)
  }

  /// Notes the slot of the next entry.
  @inline(__always)
  mutating func note(_ slot: Int) {
    slots.append(slot)
  }

  /// Records the earlier value of a level or the newest id.
  mutating func note(_ change: Change) {
    changes.append(change)
  }
}
