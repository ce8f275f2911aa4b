import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsVerify

/// Random histories of two processes with one log, compared with the log as an array. They have merges in
/// slices, crashes, failed commits, and snapshots that stay open meanwhile (docs/durability.md).
@Suite struct HeadModelTests {
  /// One committed state of the store.
  private struct Store {
    /// The stream of each entry. In the model, a stream has a number and no name.
    var log: [Int] = []
    /// The rows of `heads`: the newest entry of a stream as a merge wrote it.
    var rows: [Int: UInt64] = [:]
    var checkpoint: UInt64 = 0

    var end: SnapshotEnd { SnapshotEnd(checkpoint: checkpoint, last: UInt64(log.count)) }

    func positions(of stream: Int) -> [UInt64] {
      log.indices.filter { log[$0] == stream }.map { UInt64($0) + 1 }
    }

    func facts(_ range: ClosedRange<UInt64>) -> [TailFact] {
      range.map { position in
        let stream = log[Int(position) - 1]
        let before = positions(of: stream).prefix { $0 < position }
        return TailFact(
          position: position, stream: before.first ?? position, revision: UInt64(before.count),
          previous: before.last ?? 0, hasID: false,
          hash: before.isEmpty ? StreamHash(StreamName("\(stream)")) : nil, size: 10)
      }
    }

    /// A stream's head as the entries up to `last` make it.
    func head(of stream: Int, upTo last: UInt64) -> Head? {
      let positions = positions(of: stream).filter { $0 <= last }
      guard let first = positions.first, let newest = positions.last else { return nil }
      let levels = stride(from: 1, through: Head.levels(upTo: Revision(UInt64(positions.count - 1))), by: 1)
        .map {
          Position(positions[(positions.count - 1) / (1 << (2 * $0)) * (1 << (2 * $0))])
        }
      return Head(
        id: Position(first), revision: Revision(UInt64(positions.count - 1)), last: Position(newest),
        levels: levels,
        newestID: nil)
    }

    func row(of stream: Int) -> Head? {
      rows[stream].flatMap { head(of: stream, upTo: $0) }
    }
  }

  /// A process with the table in its memory and the merge it is at.
  private final class Process {
    var table: HeadTable
    var frozen: FrozenHeads?
    var next = 0

    init(_ store: Store, limit: Int) {
      table = HeadTable(checkpoint: store.checkpoint, limit: limit)
    }

    func follow(_ store: Store) {
      if store.checkpoint > table.last { table.reset(to: store.checkpoint) }
      if table.last < store.end.last {
        for fact in store.facts(table.last + 1...store.end.last) {
          let isNext = table.take(fact)
          #expect(isNext)
        }
      }
      table.follow(checkpoint: store.checkpoint)
      if let frozen, frozen.resets != table.resets { self.frozen = nil }
    }

    func slot(of stream: Int, in store: Store) -> Int? {
      let hash = StreamHash(StreamName("\(stream)"))
      if let slot = table.find(hash) {
        if table.slots.isPartial(slot), let row = store.row(of: stream) { table.complete(slot, with: row) }
        return slot
      }
      if table.isComplete { #expect(store.row(of: stream) == nil) }
      guard let row = store.row(of: stream) else { return nil }
      guard let slot = table.slots.find(id: row.id.rawValue) else { return table.load(row, hash) }
      table.name(slot, hash)
      if table.slots.isPartial(slot) { table.complete(slot, with: row) }
      return slot
    }

    /// The head that a reader in this process sees in a snapshot.
    func head(of stream: Int, in snapshot: Store) -> Head? {
      if table.last < snapshot.end.last { follow(snapshot) }
      guard table.covers(snapshot.end) else {
        let own = Process(snapshot, limit: 0)
        own.follow(snapshot)
        return own.head(of: stream, in: snapshot)
      }
      var found = table.find(StreamHash(StreamName("\(stream)")), in: snapshot.end)
      if case .unknown = found {
        guard let row = snapshot.row(of: stream) else { return nil }
        found = table.find(id: row.id, in: snapshot.end)
      }
      switch found {
      case .unknown, .row: return snapshot.row(of: stream)
      case .notYet: return nil
      case .head(let head): return head
      case .partial(let partial): return snapshot.row(of: stream).map { partial.head(with: $0) }
      case .entry(_, let position): return snapshot.head(of: stream, upTo: position.rawValue)
      }
    }
  }

  private static let streams = 12

  private struct Trial {
    var generator: SeededGenerator
    var store = Store()
    var processes: [Process] = []
    var snapshots: [(process: Int, store: Store)] = []
    let limit: Int
    let interval: UInt64

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      limit = Int.random(in: 1...16, using: &generator)
      interval = UInt64.random(in: 4...24, using: &generator)
      processes = [Process(store, limit: limit), Process(store, limit: limit)]
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// A write transaction with a slice of a merge, which may fail at its commit.
    mutating func write(_ process: Process) {
      process.follow(store)
      var after = store
      process.table.begin()
      for _ in 0..<number(0..<6) {
        let stream = number(0..<HeadModelTests.streams)
        after.log.append(stream)
        if let slot = process.slot(of: stream, in: store) {
          let before = store.positions(of: stream)
          _ = process.table.extend(slot, hasID: false)
          #expect(process.table.slots.revision(slot) >= UInt64(before.count))
        } else {
          _ = process.table.begin(StreamHash(StreamName("\(stream)")), hasID: false)
        }
      }
      let (frozen, next) = (process.frozen, process.next)
      let done = slice(process, &after)
      if number(0..<100) < 15 {
        process.table.rollBack()
        (process.frozen, process.next) = (frozen, next)
        return
      }
      store = after
      process.table.keep()
      if let done {
        process.table.move(checkpoint: done)
        process.frozen = nil
      }
      if process.frozen == nil, process.table.tail >= interval {
        var frozen = process.table.freeze()
        frozen.sort()
        process.frozen = frozen
        process.next = 0
      }
    }

    /// - Returns: The checkpoint, if the merge is done.
    private mutating func slice(_ process: Process, _ after: inout Store) -> UInt64? {
      guard let frozen = process.frozen, number(0..<10) < 8 else { return nil }
      for _ in 0..<number(1..<4) where process.next < frozen.heads.count {
        let place = frozen.heads[process.next]
        process.next += 1
        guard process.table.slots.id(place.slot) == place.id else { continue }
        let stream = after.log[Int(place.id) - 1]
        if process.table.slots.isPartial(place.slot), let row = after.row(of: stream) {
          process.table.complete(place.slot, with: row)
        }
        #expect(process.table.slots.head(place.slot) == after.head(of: stream, upTo: after.end.last))
        after.rows[stream] = process.table.slots.last(place.slot)
      }
      guard process.next == frozen.heads.count else { return nil }
      after.checkpoint = max(after.checkpoint, frozen.position)
      return frozen.position
    }

    mutating func step() {
      let index = number(0..<2)
      switch number(0..<100) {
      case 0..<50: write(processes[index])
      case 50..<58:
        processes[index] = Process(store, limit: limit)
        snapshots.removeAll { $0.process == index }
      case 58..<74: snapshots.append((index, store))
      case 74..<82: if !snapshots.isEmpty { snapshots.remove(at: number(0..<snapshots.count)) }
      default: read(index)
      }
    }

    private mutating func read(_ index: Int) {
      let held = snapshots.filter { $0.process == index }.map(\.store) + [store]
      let snapshot = held[number(0..<held.count)]
      let stream = number(0..<HeadModelTests.streams)
      let found = processes[index].head(of: stream, in: snapshot)
      let wanted = snapshot.head(of: stream, upTo: snapshot.end.last)
      #expect(found == wanted)
      guard processes[index].table.covers(snapshot.end) else { return }
      let births = processes[index].table.births(in: snapshot.end)
      let tail = snapshot.end.checkpoint..<snapshot.end.last
      #expect(
        births == tail.map { $0 + 1 }.filter { snapshot.positions(of: snapshot.log[Int($0) - 1]).first == $0 }
      )
    }
  }

  @Test(arguments: RunLength.computing(60))
  func `every head in every snapshot is that of the log as an array`(seed: UInt64) {
    var trial = Trial(seed: seed)
    for _ in 0..<300 { trial.step() }
  }

  @Test func `every row is as new as the checkpoint says, and no newer than the store`() {
    for seed in RunLength.computing(32) {
      var trial = Trial(seed: seed)
      for _ in 0..<200 {
        trial.step()
        let store = trial.store
        for (stream, row) in store.rows {
          #expect(row <= store.end.last && store.log[Int(row) - 1] == stream)
        }
        for stream in 0..<Self.streams {
          let old = store.positions(of: stream).last { $0 <= store.checkpoint } ?? 0
          #expect(store.rows[stream] ?? 0 >= old)
        }
      }
    }
  }
}
