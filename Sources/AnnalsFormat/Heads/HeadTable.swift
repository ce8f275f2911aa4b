package import AnnalsCoding

/// The heads of streams in memory, and the tail of the log that the rows of `heads` do not include yet.
///
/// Three invariants always hold (docs/durability.md, decision 8). Each head here is that of its stream's
/// newest entry up to `last`. Every stream with an entry after `base` has one. `previous` leads from each
/// entry after `base` to the stream's entry before it.
///
/// `@unchecked Sendable`: it cannot be copied, and its pages are reachable through it alone. So one thread at
/// a time reads or changes them, wherever the value is moved.
@usableFromInline package struct HeadTable: ~Copyable, @unchecked Sendable {
  /// The heads.
  @usableFromInline package internal(set) var slots: HeadSlots
  /// The position up to which the rows of `heads` are complete: the checkpoint before the newest one, so that
  /// a snapshot which began before a merge ended still finds its own tail.
  private(set) var base: UInt64
  /// The newest entry that is known, committed or not.
  package private(set) var last: UInt64
  /// The position up to which the rows of the newest state are complete.
  package private(set) var checkpoint: UInt64
  /// For each entry after `base`, the position of the stream's entry before it; 0 for none, or for one that
  /// is not after `base`.
  private var previous: [UInt64] = []
  /// The first positions of the streams that began after `base`.
  private var births: [UInt64] = []
  /// The heads of streams with an entry that no merge has taken. Their ids are here too, so that freezing
  /// them touches no slot.
  private var dirty: [FrozenHeads.Place] = []
  /// The bytes of entries that no merge has taken.
  package private(set) var dirtyBytes = 0
  private var epoch: UInt64 = 1
  /// The number of resets; slots from before one are invalid.
  package private(set) var resets = 0
  /// Whether the log was followed from its first entry on.
  private let beganEmpty: Bool
  private var journal = HeadJournal()
  /// Lists may not become shorter then, because a roll-back cuts them at their former ends.
  private var isInTransaction = false

  /// Creates a table for a log whose rows of `heads` are complete up to `checkpoint`.
  ///
  /// - Parameter limit: The number of heads kept in addition to those of the tail.
  package init(checkpoint: UInt64, limit: Int) {
    slots = HeadSlots(limit: limit)
    base = checkpoint
    last = checkpoint
    self.checkpoint = checkpoint
    beganEmpty = checkpoint == 0
  }
}

extension HeadTable {
  /// Resets the table: the rows are complete up to `checkpoint`, and nothing is known after it.
  package mutating func reset(to checkpoint: UInt64) {
    precondition(!isInTransaction, "the log ends before what this process writes")
    let resets = resets
    self = HeadTable(checkpoint: checkpoint, limit: slots.limit)
    self.resets = resets + 1
  }

  /// Adds a committed entry; one that is known already changes nothing.
  ///
  /// - Returns: Whether the entry is its stream's next one, as far as that is known; if not, it is not added.
  package mutating func take(_ fact: TailFact) -> Bool {
    guard fact.position == last + 1 else { return true }
    let slot: Int
    if let known = slots.find(id: fact.stream) {
      guard slots.last(known) == fact.previous, slots.revision(known) + 1 == fact.revision else {
        return false
      }
      slot = known
      previous.append(fact.previous)
    } else {
      guard (fact.revision == 0) == (fact.stream == fact.position) else { return false }
      slot = slots.insert(id: fact.stream, removable: base)
      previous.append(0)
      if fact.revision > 0 { slots.setPartial(slot) }
    }
    last = fact.position
    if let hash = fact.hash { slots.name(slot, hash) }
    if fact.stream == fact.position { births.append(fact.position) }
    slots.move(slot, to: fact.position, revision: fact.revision, hasID: fact.hasID)
    touch(slot)
    dirtyBytes += fact.size
    return true
  }

  /// Counts the bytes of entries that were added.
  package mutating func count(bytes: Int) {
    dirtyBytes += bytes
  }

  private mutating func touch(_ slot: Int) {
    if slots.epoch(slot) == epoch { return }
    slots.setEpoch(slot, epoch)
    dirty.append(FrozenHeads.Place(id: slots.id(slot), slot: slot))
  }

  /// Whether a stream without a head here has no entry up to `last`: the first entries of all streams were
  /// seen, and no head was evicted.
  package var isComplete: Bool { beganEmpty && !slots.hasRemoved }

  /// The number of entries that no merge has taken.
  package var tail: UInt64 { last - checkpoint }

  /// The bytes of memory that the heads and the lists of the tail take.
  package var bytes: Int {
    slots.bytes + (previous.count + births.count) * 8
      + dirty.count * MemoryLayout<FrozenHeads.Place>.stride + journal.bytes
  }
}

// The writer's operations inside a transaction.
extension HeadTable {
  /// The number of entries ahead at which the index is fetched for a stream that may begin there.
  private static let ahead: UInt64 = 16

  /// Begins a transaction: `rollBack` undoes later changes, and `keep` makes them permanent.
  package mutating func begin() {
    isInTransaction = true
    journal.begin(
      HeadJournal.Lengths(last: last, births: births.count, dirty: dirty.count, dirtyBytes: dirtyBytes))
  }

  /// Keeps what the transaction changed.
  package mutating func keep() {
    isInTransaction = false
  }

  /// Undoes the changes of the transaction, but not the rows that it loaded.
  package mutating func rollBack() {
    isInTransaction = false
    let lengths = journal.lengths
    for place in dirty[lengths.dirty...] { slots.setEpoch(place.slot, 0) }
    for change in journal.changes.reversed() { slots.restore(change) }
    for slot in journal.slots.reversed() {
      let before = previous.removeLast()
      if slots.revision(slot) == 0 { slots.remove(slot) } else { slots.moveBack(slot, to: before) }
    }
    last = lengths.last
    births.removeLast(births.count - lengths.births)
    dirty.removeLast(dirty.count - lengths.dirty)
    dirtyBytes = lengths.dirtyBytes
  }

  /// The slot of the stream whose name has this hash.
  @inlinable @inline(__always)
  package mutating func find(_ hash: StreamHash) -> Int? { slots.find(hash) }

  /// Adds a head from its row.
  package mutating func load(_ row: Head, _ hash: StreamHash) -> Int {
    let slot = slots.insert(id: row.id.rawValue, removable: base)
    slots.fill(slot, from: row)
    slots.name(slot, hash)
    return slot
  }

  /// Completes a head of the tail from its row.
  package mutating func complete(_ slot: Int, with row: Head) {
    slots.complete(slot, with: row)
  }

  /// Sets the hash of the name of a stream whose head came from the tail.
  package mutating func name(_ slot: Int, _ hash: StreamHash) {
    slots.name(slot, hash)
  }

  /// Begins a stream with the log's next entry.
  @discardableResult
  package mutating func begin(_ hash: StreamHash, hasID: Bool) -> Int {
    last += 1
    // Where one stream begins, more of them mostly do.
    slots.prefetchIndex(id: last + Self.ahead)
    let slot = slots.insert(id: last, removable: base)
    journal.note(slot)
    slots.name(slot, hash)
    slots.move(slot, to: last, revision: 0, hasID: hasID)
    previous.append(0)
    births.append(last)
    touch(slot)
    return slot
  }

  /// Extends a stream, whose head must be whole, by the log's next entry.
  ///
  /// - Returns: The entry's links.
  package mutating func extend(_ slot: Int, hasID: Bool) -> EntryLinks {
    journal.note(slot)
    last += 1
    let revision = slots.revision(slot) + 1
    let newest = slots.last(slot)
    var links = EntryLinks()
    links.append(last - newest)
    if revision & 3 == 0 {
      for level in 1..<Head.levels(dividing: Revision(revision)) {
        let multiple = slots.level(slot, level)
        journal.note(HeadJournal.Change(slot: slot, level: level, value: multiple))
        links.append(last - (multiple == 0 ? slots.id(slot) : multiple))
      }
    }
    if hasID { journal.note(HeadJournal.Change(slot: slot, level: 0, value: slots.newestID(slot))) }
    previous.append(newest)
    slots.move(slot, to: last, revision: revision, hasID: hasID)
    touch(slot)
    return links
  }
}

// Merging.
extension HeadTable {
  /// Freezes the tail: the heads of all streams with an entry that no merge has taken. When they are written,
  /// the rows are complete up to the entry that is the newest now.
  package mutating func freeze() -> FrozenHeads {
    defer {
      dirty = []
      dirtyBytes = 0
      epoch += 1
    }
    return FrozenHeads(
      resets: resets, position: last, length: last - checkpoint, heads: dirty,
      births: births.filter { $0 > checkpoint })
  }

  /// Records that another process has merged the heads up to `position`. Within a transaction it does
  /// nothing, and must be called again later.
  package mutating func follow(checkpoint position: UInt64) {
    guard position > checkpoint, !isInTransaction else { return }
    dirtyBytes = Int(Double(dirtyBytes) * Double(last - position) / Double(max(tail, 1)))
    dirty.removeAll { place in
      guard slots.last(place.slot) <= position else { return false }
      slots.setEpoch(place.slot, 0)
      return true
    }
    move(checkpoint: position)
  }

  /// Records that this process has merged the heads up to `position`.
  package mutating func move(checkpoint position: UInt64) {
    guard position > checkpoint else { return }
    precondition(!isInTransaction, "a checkpoint moves with a commit")
    let floor = checkpoint
    checkpoint = position
    guard floor > base else { return }
    previous.removeFirst(min(Int(floor - base), previous.count))
    births.removeFirst(births.firstIndex { $0 > floor } ?? births.count)
    base = floor
  }
}

// The readers' queries.
extension HeadTable {
  /// The table's knowledge of a stream in a snapshot.
  package enum Found: Sendable {
    /// The stream is not in the table: the snapshot's own row is complete.
    case unknown
    /// The stream began after the snapshot.
    case notYet
    /// The row of the stream with this id is complete: no entry of the snapshot is newer.
    case row(id: Position)
    /// The newest entry in the snapshot, unless the row has a newer one.
    case entry(id: Position, position: Position)
    /// The head.
    case head(Head)
    /// The known part of the head; the row has the rest.
    case partial(PartialHead)
  }

  /// Whether it can answer for a snapshot: the snapshot's whole tail is after `base`, and known.
  package func covers(_ snapshot: SnapshotEnd) -> Bool {
    base <= snapshot.checkpoint && last >= snapshot.last
  }

  /// Returns the known head of the stream whose name has this hash, in a snapshot that is covered.
  package mutating func find(_ hash: StreamHash, in snapshot: SnapshotEnd) -> Found {
    slots.find(hash).map { find($0, in: snapshot) } ?? .unknown
  }

  /// Returns the known head of the stream with this id, in a snapshot that is covered.
  package func find(id: Position, in snapshot: SnapshotEnd) -> Found {
    slots.find(id: id.rawValue).map { find($0, in: snapshot) } ?? .unknown
  }

  private func find(_ slot: Int, in snapshot: SnapshotEnd) -> Found {
    let id = Position(slots.id(slot))
    if id.rawValue > snapshot.last { return .notYet }
    var position = slots.last(slot)
    if position <= snapshot.last {
      return slots.isPartial(slot) ? .partial(slots.partialHead(slot)) : .head(slots.head(slot))
    }
    while position > snapshot.last { position = position > base ? previous[Int(position - base) - 1] : 0 }
    return position > snapshot.checkpoint ? .entry(id: id, position: Position(position)) : .row(id: id)
  }

  /// Returns the first positions of the streams that began in the tail of a snapshot that is covered.
  package func births(in snapshot: SnapshotEnd) -> [UInt64] {
    births.filter { $0 > snapshot.checkpoint && $0 <= snapshot.last }
  }
}
