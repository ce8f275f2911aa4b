internal import LMDB
import Synchronization

/// The merging of heads into their rows, a slice with each commit (docs/durability.md).
///
/// It is a value, so that a failed commit puts back the one from before.
struct HeadMerge {
  /// When the tail is frozen: it bounds what an open has to read.
  struct Interval: Sendable {
    /// After so many entries.
    var entries: UInt64 = 128 << 10
    /// Or so many bytes of them.
    var bytes = 16 << 20
  }

  /// Rows are written in runs of so many, because the first row on a page is the dear one.
  private static let run = 64
  /// The longest that a slice takes, in nanoseconds.
  private static let limit: Int64 = 2_000_000

  /// What a merge has to write, in the order of the rows, and how far it is.
  private struct Plan {
    let frozen: FrozenHeads
    let names: [(name: StreamName, id: UInt64)]
    var nextName = 0
    var nextHead = 0
    /// Rows that are due, for the entries that came since; the merge is to end within half an interval.
    var due = 0.0
    let perEntry: Double

    init(_ sorted: FrozenHeads, names: [(name: StreamName, id: UInt64)]) {
      frozen = sorted
      self.names = names
      perEntry = Double(sorted.heads.count + names.count) / (Double(max(sorted.length, 2)) / 2)
    }

    var rest: Int { names.count - nextName + frozen.heads.count - nextHead }
  }

  private enum Phase {
    case idle
    /// Another thread sorts what is to be written.
    case sorting(Sorting)
    case writing(Plan)
    /// The last row is in the transaction; with its commit the rows suffice up to here.
    case done(UInt64)
    /// A row that a head needs cannot be read. Appends go on; the tail grows until the store is mended and opened again.
    case stopped
  }

  /// What another thread sorts.
  private final class Sorting: Sendable {
    let frozen: FrozenHeads
    private let result = Mutex<Result<Plan, AnnalsError>?>(nil)
    private let thread = Mutex<WriterThread?>(nil)

    init(_ frozen: FrozenHeads) {
      self.frozen = frozen
    }

    /// Begins to sort; what cannot be begun is a failure.
    func start(in generation: Generation) {
      do {
        let started = try WriterThread(name: "annals-sorter") { [self, frozen] in
          let plan = Result { () throws(AnnalsError) in try HeadMerge.plan(frozen, in: generation) }
          result.withLock { $0 = plan }
        }
        thread.withLock { $0 = started }
      } catch {
        result.withLock { $0 = .failure(AnnalsError(error)) }
      }
    }

    /// What was sorted, `nil` before the end.
    var plan: Result<Plan, AnnalsError>? { result.withLock { $0 } }

    /// Waits for the end, after which the thread holds nothing.
    func join() {
      thread.withLock { $0 }?.join()
    }
  }

  private let generation: Generation
  private let interval: Interval
  private var phase = Phase.idle
  /// Up to where this process's own merge leads, once it writes; kept until the next one does.
  private(set) var position: UInt64?
  private var row: [UInt8] = []

  init(_ generation: Generation, _ interval: Interval) {
    self.generation = generation
    self.interval = interval
  }
}

extension HeadMerge {
  /// Freezes the tail if it is long enough, after a commit.
  ///
  /// - Parameter other: The merge of another process, if one runs: while it may still be at work the tail is left to it.
  mutating func freezeIfDue(beside other: MergeRow?) {
    guard case .idle = phase else { return }
    let frozen = generation.heads.withTable { [interval] table -> FrozenHeads? in
      guard table.tail >= interval.entries || table.dirtyBytes >= interval.bytes else { return nil }
      let isLong = table.dirtyBytes >= 2 * interval.bytes
      if let other, !isLong, table.last < other.position + max(interval.entries, 1) { return nil }
      return table.freeze()
    }
    guard let frozen else { return }
    let sorting = Sorting(frozen)
    phase = .sorting(sorting)
    sorting.start(in: generation)
  }

  /// Sorts what is to be written; the names of new streams stand in their first entries.
  private static func plan(
    _ frozen: FrozenHeads, in generation: Generation
  ) throws(AnnalsError) -> Plan {
    try generation.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try plan(frozen, StoreReader(transaction.view, generation.tables))
    }
  }

  private static func plan(
    _ frozen: FrozenHeads, _ reader: StoreReader
  ) throws(AnnalsError) -> Plan {
    var sorted = frozen
    sorted.sort()
    var names: [(name: StreamName, id: UInt64)] = []
    names.reserveCapacity(frozen.births.count)
    for id in frozen.births { names.append((try reader.name(of: Position(id)), id)) }
    names.sort { $0.name < $1.name }
    return Plan(sorted, names: names)
  }

  /// Writes what is due for `appended` more entries, in the transaction that adds them. Damage among the rows ends the merge and not the append.
  mutating func slice(
    for appended: UInt64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    do throws(AnnalsError) { try writeDue(for: appended, in: &transaction) } catch {
      guard error.code == .damaged, error.details.table != nil || error.details.position != nil else {
        throw error
      }
      phase = .stopped
    }
  }

  private mutating func writeDue(
    for appended: UInt64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    guard var plan = try ready(transaction) else { return }
    plan.due += Double(appended) * plan.perEntry
    let (position, length) = (plan.frozen.position, plan.frozen.length)
    let isBehind = generation.heads.withTable { $0.last > position + length + length / 2 }
    // Nothing waits for the last few rows of a merge.
    if plan.due < Double(min(Self.run, plan.rest)), plan.rest > 0 { return phase = .writing(plan) }
    let clock = ContinuousClock()
    let end = clock.now + .nanoseconds(Self.limit)
    while plan.rest > 0, plan.due >= 1 {
      let before = plan.rest
      try write(Self.run, of: &plan, in: &transaction)
      plan.due -= Double(before - plan.rest)
      if !isBehind, clock.now >= end { break }
    }
    try note(plan, in: &transaction)
  }

  /// Writes all of the tail, for an orderly end.
  mutating func finish(in transaction: inout WriteTransaction) throws(AnnalsError) {
    // The checkpoint must not pass heads that could not be written.
    if case .stopped = phase { return }
    if var plan = try ready(transaction, isLast: true) {
      while plan.rest > 0 { try write(Self.run, of: &plan, in: &transaction) }
    }
    let frozen = generation.heads.withTable { $0.freeze() }
    var plan = try Self.plan(frozen, StoreReader(transaction.view, generation.tables))
    while plan.rest > 0 { try write(Self.run, of: &plan, in: &transaction) }
    try note(plan, in: &transaction)
  }

  /// Waits until no other thread works for the merge.
  func join() {
    if case .sorting(let sorting) = phase { sorting.join() }
  }

  /// What is to be written, if it is sorted.
  private mutating func ready(
    _ transaction: borrowing WriteTransaction, isLast: Bool = false
  ) throws(AnnalsError) -> Plan? {
    let frozen: FrozenHeads
    var plan: Plan?
    switch phase {
    case .idle, .done, .stopped: return nil
    case .writing(let writing):
      plan = writing
      frozen = writing.frozen
    case .sorting(let sorting):
      frozen = sorting.frozen
      if isLast { sorting.join() }
      guard let sorted = sorting.plan else { return nil }
      // It has nothing left to do but to end.
      sorting.join()
      // What the other thread could not do the writer tries itself, and tells what is wrong.
      if case .success(let sorted) = sorted { plan = sorted }
    }
    // Slots from before a reset mean nothing; the tail is frozen anew when it is long enough.
    // And another process may have merged them all meanwhile.
    guard generation.heads.withTable({ $0.resets == frozen.resets && $0.checkpoint < frozen.position }) else {
      phase = .idle
      return nil
    }
    if let plan { return plan }
    return try Self.plan(frozen, StoreReader(transaction.view, generation.tables))
  }

  private mutating func write(
    _ count: Int, of plan: inout Plan, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let tables = generation.tables
    var rest = count
    while rest > 0, plan.nextName < plan.names.count {
      let (name, id) = plan.names[plan.nextName]
      let key = Array(name.text.utf8)
      let value = Row.seal(StreamRow(state: .live, id: Position(id)).encoded(), key: key)
      try storage { () throws(EnvironmentError) in
        try transaction.put(near: value.span, forKey: key.span, in: tables.streams)
      }
      plan.nextName += 1
      rest -= 1
    }
    let heads = plan.frozen.heads
    let end = min(plan.nextHead + rest, heads.count)
    try generation.heads.withTable { (table) throws(AnnalsError) in
      for index in plan.nextHead..<end { table.slots.prefetch(heads[index].slot) }
      for index in plan.nextHead..<end {
        let place = heads[index]
        // A head that made room for another was in its row by then.
        guard table.slots.id(place.slot) == place.id else { continue }
        try table.complete(place.slot, from: StoreReader(transaction.view, tables))
        row.removeAll(keepingCapacity: true)
        table.slots.encode(place.slot, into: &row)
        Row.seal(&row, key: place.id)
        try storage { () throws(EnvironmentError) in
          try transaction.put(near: row.span, forKey: place.id, in: tables.heads)
        }
      }
    }
    plan.nextHead = end
  }

  /// Notes in the transaction how far the merge is.
  private mutating func note(_ plan: Plan, in transaction: inout WriteTransaction) throws(AnnalsError) {
    let meta = generation.tables.meta
    if plan.rest > 0 {
      let next = plan.nextName < plan.names.count ? 0 : plan.frozen.heads[plan.nextHead].id
      position = plan.frozen.position
      try transaction.put(
        MergeRow(position: plan.frozen.position, next: next).encoded(), MergeRow.name, in: meta)
      return phase = .writing(plan)
    }
    var checkpoint: [UInt8] = []
    checkpoint.append(varint: plan.frozen.position)
    try transaction.put(checkpoint, StoreMeta.Name.checkpoint.rawValue, in: meta)
    let name = Array(MergeRow.name.utf8)
    try storage { () throws(EnvironmentError) in _ = try transaction.delete(key: name.span, in: meta) }
    phase = .done(plan.frozen.position)
  }

  /// Takes note that the transaction is committed.
  mutating func keep() {
    guard case .done(let position) = phase else { return }
    generation.heads.withTable { $0.move(checkpoint: position) }
    phase = .idle
  }
}
