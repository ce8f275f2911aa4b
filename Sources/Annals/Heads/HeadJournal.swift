/// What a transaction changed in the heads, so that it can be taken back: memory must not be ahead of the log after a failed commit.
///
/// Of each entry only the slot is noted: where its stream's entry before it stands is kept for readers anyway, and revisions count
/// up by one. Levels and ids change less often, and are noted where they do.
struct HeadJournal {
  /// How long the lists of the table were when the transaction began.
  struct Lengths {
    var last: UInt64 = 0
    var births = 0
    var dirty = 0
    var dirtyBytes = 0
  }

  /// A level or newest id as it was.
  struct Change {
    let slot: Int
    /// 0 for the newest id.
    let level: Int
    let value: UInt64
  }

  private(set) var lengths = Lengths()
  /// The slots of the entries, in the order of their positions.
  private(set) var slots: [Int] = []
  /// What was changed besides, the oldest first.
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

  /// Notes what a level or the newest id was.
  mutating func note(_ change: Change) {
    changes.append(change)
  }
}
