internal import AnnalsCoding

/// Heads in memory, each in a slot of 128 bytes, found by the hash of the stream's name and by its id.
///
/// A slot stays in place until it is removed. Beyond `limit` slots, evictable heads are replaced by others.
@usableFromInline package struct HeadSlots: ~Copyable {
  /// The words of a slot. After them come the positions of the newest multiples of 4, 16, … 4^9; 0 where
  /// unknown or none.
  @usableFromInline enum Word {
    @inlinable static var hashLow: Int { 0 }
    @inlinable static var hashHigh: Int { 1 }
    /// The position of the stream's first entry; 0 in a free slot.
    @inlinable static var id: Int { 2 }
    @inlinable static var last: Int { 3 }
    @inlinable static var revision: Int { 4 }
    /// The revision of the newest entry with an id plus one, 0 for none, `unknownID` if it is only in the
    /// row.
    @inlinable static var newestID: Int { 5 }
    @inlinable static var flags: Int { 6 }
    @inlinable static var levels: Int { 7 }
  }

  @usableFromInline enum Flag {
    @inlinable static var hasHash: UInt64 { 1 }
    /// Some of its levels, or its newest id, are only in the row.
    @inlinable static var isPartial: UInt64 { 2 }
    @inlinable static var wasUsed: UInt64 { 4 }
    /// Above these bits the owner's mark.
    @inlinable static var shift: UInt64 { 8 }
  }

  @inlinable static var words: Int { 16 }
  /// The initial number of slots.
  static let leastSlots = 1024
  /// The levels that a slot has room for; a stream with 4^10 entries has more.
  static let inlineLevels = 9
  /// In place of a newest id that is not known.
  static let unknownID = UInt64.max

  @usableFromInline var memory: PageMemory
  @usableFromInline var byHash: SlotIndex
  private var byID: SlotIndex
  /// The higher levels of long streams, from level 10 on.
  private var deep: [Int: [UInt64]] = [:]
  private var free: [Int] = []
  private var end = 0
  private var hand = 0
  /// The number of slots beyond which heads are evicted.
  let limit: Int

  /// The number of heads.
  private(set) var count = 0
  /// Whether a head was ever evicted.
  private(set) var hasRemoved = false

  /// Slots for up to `limit` heads; memory grows as they come.
  init(limit: Int) {
    self.limit = max(limit, 1)
    memory = PageMemory(count: Self.leastSlots * Self.words)
    byHash = SlotIndex(capacity: Self.leastSlots, isSecond: true)
    byID = SlotIndex(capacity: Self.leastSlots)
  }

  /// The bytes of memory that are in use, but for the few higher levels of long streams.
  var bytes: Int { end * Self.words * 8 + byHash.bytes + byID.bytes + free.count * 8 }

  @inlinable @inline(__always)
  func word(_ slot: Int, _ word: Int) -> UInt64 {
    memory[slot * Self.words + word]
  }

  @inlinable @inline(__always)
  mutating func set(_ slot: Int, _ word: Int, _ value: UInt64) {
    memory[slot * Self.words + word] = value
  }

  private static func tag(_ id: UInt64) -> UInt32 {
    // The finalizer of MurmurHash3: ids are positions, whose low bits alone would fill neighbouring places.
    var mixed = id
    mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
    mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return UInt32(truncatingIfNeeded: mixed ^ (mixed >> 33))
  }
}

extension HeadSlots {
  /// The slot of the stream whose name has this hash.
  @inlinable @inline(__always)
  mutating func find(_ hash: StreamHash) -> Int? {
    let found = byHash.find(hash.tag) { slot in
      word(slot, Word.hashLow) == hash.low && word(slot, Word.hashHigh) == hash.high
    }
    if let found { set(found, Word.flags, word(found, Word.flags) | Flag.wasUsed) }
    return found
  }

  /// The slot of the stream whose first entry is at `id`.
  package func find(id: UInt64) -> Int? {
    byID.find(Self.tag(id)) { word($0, Word.id) == id }
  }

  /// Begins to load the index where a name is looked for.
  @inlinable @inline(__always)
  package func prefetchIndex(_ hash: StreamHash) {
    byHash.prefetch(hash.tag)
  }

  /// Begins to load the index where the stream whose first entry is at `id` is looked for.
  func prefetchIndex(id: UInt64) {
    byID.prefetch(Self.tag(id))
  }

  /// Begins to load the slot that the stream whose first entry is at `id` probably has.
  func prefetchSlot(id: UInt64) {
    if let slot = byID.likely(Self.tag(id)) { memory.prefetch(slot * Self.words) }
  }

  /// Begins to load the slot that a name probably has.
  @inlinable @inline(__always)
  package func prefetchSlot(_ hash: StreamHash) {
    if let slot = byHash.likely(hash.tag) { memory.prefetch(slot * Self.words) }
  }

  /// Adds the head of a stream that has no slot.
  ///
  /// - Parameter floor: The position up to which streams' newest entries must be for their heads to be
  ///   evicted.
  mutating func insert(id: UInt64, removable floor: UInt64) -> Int {
    let slot = place(removable: floor)
    for index in 0..<Self.words { set(slot, index, 0) }
    set(slot, Word.id, id)
    byID.insert(Self.tag(id), slot)
    count += 1
    return slot
  }

  /// Notes the hash of the stream's name.
  mutating func name(_ slot: Int, _ hash: StreamHash) {
    guard word(slot, Word.flags) & Flag.hasHash == 0 else { return }
    set(slot, Word.hashLow, hash.low)
    set(slot, Word.hashHigh, hash.high)
    set(slot, Word.flags, word(slot, Word.flags) | Flag.hasHash | Flag.wasUsed)
    byHash.insert(hash.tag, slot)
  }

  /// Frees a slot.
  mutating func remove(_ slot: Int) {
    if word(slot, Word.flags) & Flag.hasHash != 0 {
      byHash.remove(UInt32(truncatingIfNeeded: word(slot, Word.hashLow)), slot)
    }
    byID.remove(Self.tag(word(slot, Word.id)), slot)
    deep[slot] = nil
    set(slot, Word.id, 0)
    count -= 1
    free.append(slot)
  }

  private mutating func place(removable floor: UInt64) -> Int {
    // Even if a slot is free: later evictions make up for an excess.
    if count >= limit { makeRoom(floor) }
    if let slot = free.popLast() { return slot }
    if end * Self.words == memory.count { memory.double() }
    end += 1
    return end - 1
  }

  /// Evicts a head that was not used since the hand last passed it, or two if there are too many.
  ///
  /// It checks only a few, so that no append waits for long.
  private mutating func makeRoom(_ floor: UInt64) {
    var excess = min(count - limit + 1, 2)
    for _ in 0..<64 {
      hand = hand + 1 < end ? hand + 1 : 0
      guard word(hand, Word.id) != 0, last(hand) <= floor else { continue }
      let flags = word(hand, Word.flags)
      if flags & Flag.wasUsed == 0 {
        hasRemoved = true
        remove(hand)
        excess -= 1
        if excess == 0 { return }
        continue
      }
      set(hand, Word.flags, flags & ~Flag.wasUsed)
    }
  }
}

extension HeadSlots {
  /// The position of the stream's first entry.
  @inlinable package func id(_ slot: Int) -> UInt64 { word(slot, Word.id) }
  /// The position of the newest entry.
  @inlinable package func last(_ slot: Int) -> UInt64 { word(slot, Word.last) }
  /// The revision of the newest entry.
  @inlinable package func revision(_ slot: Int) -> UInt64 { word(slot, Word.revision) }
  /// The revision of the newest entry with an id plus one; 0 for none.
  func newestID(_ slot: Int) -> UInt64 { word(slot, Word.newestID) }
  /// Whether some of it is only in the row.
  @inlinable package func isPartial(_ slot: Int) -> Bool { word(slot, Word.flags) & Flag.isPartial != 0 }
  /// The owner's mark, of 56 bits.
  func epoch(_ slot: Int) -> UInt64 { word(slot, Word.flags) >> Flag.shift }

  mutating func setEpoch(_ slot: Int, _ epoch: UInt64) {
    set(slot, Word.flags, word(slot, Word.flags) & 0xff | epoch << Flag.shift)
  }

  /// The position of the newest multiple of 4^`level`, for a level from 1 on; 0 where unknown or none.
  func level(_ slot: Int, _ level: Int) -> UInt64 {
    if level <= Self.inlineLevels { return word(slot, Word.levels + level - 1) }
    guard let levels = deep[slot], level - Self.inlineLevels <= levels.count else { return 0 }
    return levels[level - Self.inlineLevels - 1]
  }

  mutating func setLevel(_ slot: Int, _ level: Int, _ position: UInt64) {
    if level <= Self.inlineLevels { return set(slot, Word.levels + level - 1, position) }
    var levels = deep[slot, default: []]
    while levels.count < level - Self.inlineLevels { levels.append(0) }
    levels[level - Self.inlineLevels - 1] = position
    deep[slot] = levels
  }

  /// Moves to the stream's next entry.
  mutating func move(_ slot: Int, to position: UInt64, revision: UInt64, hasID: Bool) {
    set(slot, Word.revision, revision)
    set(slot, Word.last, position)
    if hasID { set(slot, Word.newestID, revision + 1) }
    let levels = Head.levels(dividing: Revision(revision))
    if levels > 1 {
      for level in 1..<levels where Head.step(ofLevel: level) <= revision { setLevel(slot, level, position) }
    }
  }

  /// Marks older levels and ids as being only in the row.
  mutating func setPartial(_ slot: Int) {
    set(slot, Word.flags, word(slot, Word.flags) | Flag.isPartial)
    set(slot, Word.newestID, Self.unknownID)
  }

  /// Takes unknown values from the stream's row, which may be older.
  mutating func complete(_ slot: Int, with row: Head) {
    for level in stride(from: 1, through: Head.levels(upTo: Revision(revision(slot))), by: 1)
    where self.level(slot, level) == 0 {
      setLevel(slot, level, row.newest(atLevel: level).rawValue)
    }
    if newestID(slot) == Self.unknownID {
      set(slot, Word.newestID, row.newestID.map { $0.rawValue + 1 } ?? 0)
    }
    set(slot, Word.flags, word(slot, Word.flags) & ~Flag.isPartial)
  }

  /// Takes over a row.
  mutating func fill(_ slot: Int, from row: Head) {
    set(slot, Word.last, row.last.rawValue)
    set(slot, Word.revision, row.revision.rawValue)
    set(slot, Word.newestID, row.newestID.map { $0.rawValue + 1 } ?? 0)
    for (index, position) in row.levels.enumerated() { setLevel(slot, index + 1, position.rawValue) }
  }

  /// Begins to load a slot.
  @inlinable package func prefetch(_ slot: Int) {
    memory.prefetch(slot * Self.words)
  }

  /// The positions of the newest entries at each level; 0 where one is unknown.
  func levels(_ slot: Int) -> [UInt64] {
    stride(from: 1, through: Head.levels(upTo: Revision(revision(slot))), by: 1).map { level(slot, $0) }
  }
}

// Undoing changes.
extension HeadSlots {
  /// Moves back to the stream's entry before the newest one.
  mutating func moveBack(_ slot: Int, to position: UInt64) {
    set(slot, Word.last, position)
    set(slot, Word.revision, revision(slot) - 1)
  }

  /// Puts back a level or a newest id.
  mutating func restore(_ change: HeadJournal.Change) {
    if change.level == 0 {
      set(change.slot, Word.newestID, change.value)
    } else {
      setLevel(change.slot, change.level, change.value)
    }
  }
}
