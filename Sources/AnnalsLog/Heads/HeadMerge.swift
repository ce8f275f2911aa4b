package import AnnalsCoding
internal import AnnalsFormat
package import LMDB

/// Merges heads into their rows, a slice with each commit (docs/durability.md).
///
/// It is a value, so a failed commit restores the previous one.
package struct HeadMerge {
  /// The number of rows written in a run, because the first row on a page is the expensive one.
  private static let run = 64
  /// The maximum number of rows of a transaction with few entries. Each may change a page, and LMDB keeps the
  /// memory of changed pages.
  private static let mostRows = 8192
  /// The maximum number of rows of any transaction.
  private static let mostRowsOfAll = 32_768
  /// The number of rows that each entry of a large group adds room for, up to `mostRowsOfAll`.
  private static let rowsPerEntry = 4
  /// The least share of the time for a merge in which its rows are written. A sort ends before five eighths
  /// of the time: appends wait for it after half, and a group takes an eighth at most.
  private static let leastShare = 0.375
  /// The longest that a slice takes with a small group, in nanoseconds.
  private static let limit: Int64 = 2_000_000
  /// The longest that a slice takes for each entry of a large group, in nanoseconds. If it took less, the
  /// merge would be late, and one of the next commits would wait for many rows at once.
  private static let limitPerEntry: Int64 = 2_000

  private enum Phase {
    case idle
    /// Another thread sorts the heads to write.
    case sorting(Sorting)
    case writing(Plan)
    /// The last row is in the transaction; with its commit the rows suffice up to here.
    case done(UInt64)
    /// A row that a head needs cannot be read. Appends continue. The tail grows until the store is repaired
    /// and opened again.
    case stopped
  }

  private let generation: Generation
  private let interval: Interval
  private var phase = Phase.idle
  /// The position that this process's own merge leads to, once it writes; kept until the next merge writes.
  private(set) var position: UInt64?
  private var row: [UInt8] = []

  package init(_ generation: Generation, _ interval: Interval) {
    self.generation = generation
    self.interval = interval
  }
}

extension HeadMerge {
  /// Freezes the tail if it is long enough, after a commit.
  ///
  /// - Parameter other: The merge of another process, if one runs. While it may still be at work, the tail is
  ///   left to it.
  mutating func freezeIfDue(against other: MergeRow?) {
    guard case .idle = phase else { return }
    let frozen = generation.heads.withTable { [interval] table -> FrozenHeads? in
      guard table.tail >= interval.entries || table.dirtyBytes >= interval.bytes else { return nil }
      let isLong = table.dirtyBytes >= 2 * interval.bytes
      // It may be late by an eighth of its time.
      if let other, !isLong, table.last < other.position + max(interval.entries * 9 / 8, 1) { return nil }
      return table.freeze()
    }
    guard let frozen else { return }
    let sorting = Sorting(frozen)
    phase = .sorting(sorting)
    sorting.start(in: generation)
  }

  /// Returns the elapsed share of the time for a merge: 1 when an interval was appended since the tail was
  /// frozen.
  private func progress(since position: UInt64) -> Double {
    let (entries, bytes) = generation.heads.withTable { ($0.last - min(position, $0.last), $0.dirtyBytes) }
    return max(
      Double(entries) / Double(max(interval.entries, 1)), Double(bytes) / Double(max(interval.bytes, 1)))
  }

  /// Returns the number of rows that are due and not yet written.
  ///
  /// None are due when writing begins, or the first append after a long sort would write them all.
  private func due(_ plan: Plan) -> Int {
    let progress = progress(since: plan.frozen.position) - plan.start
    let share = min(max(progress, 0) / max(1 - plan.start, Self.leastShare), 1)
    return Int((share * Double(plan.count)).rounded(.up)) - (plan.count - plan.rest)
  }

  /// Whether appends must wait until more is written. Otherwise the tail, and with it memory, would grow
  /// without a bound.
  var isBehind: Bool {
    switch phase {
    case .idle, .done, .stopped: false
    case .sorting(let sorting): progress(since: sorting.frozen.position) > 0.5
    case .writing(let plan): due(plan) > plan.slack
    }
  }

  /// Writes the due rows, in the transaction that adds `entries` entries. Damage among the rows ends the
  /// merge and not the append.
  mutating func slice(with entries: UInt64, in transaction: inout WriteTransaction) throws(AnnalsError) {
    try survivingDamage { (merge) throws(AnnalsError) in
      guard let plan = try merge.ready(transaction) else { return }
      _ = try merge.writeDue(plan, with: entries, in: &transaction)
    }
  }

  /// Writes the due rows, in a transaction of its own, and waits for the other thread if that still sorts.
  ///
  /// - Returns: Whether anything was written.
  mutating func advance(in transaction: inout WriteTransaction) throws(AnnalsError) -> Bool {
    var isWritten = false
    try survivingDamage { (merge) throws(AnnalsError) in
      guard let plan = try merge.ready(transaction, isLast: true) else { return }
      isWritten = try merge.writeDue(plan, with: 0, in: &transaction)
    }
    return isWritten
  }

  private mutating func survivingDamage(
    _ body: (inout HeadMerge) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    do throws(AnnalsError) { try body(&self) } catch {
      guard error.code == .damaged, error.details.table != nil || error.details.position != nil else {
        throw error
      }
      phase = .stopped
    }
  }

  /// Writes the rows that are due, in runs, in a transaction that adds `entries` entries.
  ///
  /// - Returns: Whether anything was written.
  private mutating func writeDue(
    _ plan: consuming Plan, with entries: UInt64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Bool {
    var plan = plan
    var due = due(plan)
    // Nothing waits for the last few rows of a merge.
    if due <= plan.slack, due < min(Self.run, plan.rest) {
      phase = .writing(plan)
      return false
    }
    let clock = ContinuousClock()
    let end = clock.now + .nanoseconds(max(Self.limit, Int64(clamping: entries) * Self.limitPerEntry))
    var left = max(Self.mostRows, min(Int(clamping: entries) * Self.rowsPerEntry, Self.mostRowsOfAll))
    while plan.rest > 0, due >= 1, left > 0 {
      let before = plan.rest
      try write(Self.run, of: &plan, in: &transaction)
      due -= before - plan.rest
      left -= before - plan.rest
      if due <= plan.slack, clock.now >= end { break }
    }
    try note(plan, in: &transaction)
    return true
  }

  /// Writes some more of the tail, for an orderly end. All earlier rows must be committed.
  ///
  /// - Returns: Whether nothing was left to write.
  mutating func finishSlice(in transaction: inout WriteTransaction) throws(AnnalsError) -> Bool {
    // The checkpoint must not pass heads that could not be written.
    if case .stopped = phase { return true }
    var plan: Plan
    if let running = try ready(transaction, isLast: true) {
      plan = running
    } else {
      guard generation.heads.withTable({ $0.tail }) > 0 else { return true }
      let frozen = generation.heads.withTable { $0.freeze() }
      plan = try Self.plan(frozen, StoreReader(transaction.view, generation.tables))
    }
    var left = Self.mostRows
    while plan.rest > 0, left > 0 {
      try write(Self.run, of: &plan, in: &transaction)
      left -= Self.run
    }
    try note(plan, in: &transaction)
    return false
  }

  /// Writes all of the tail in one transaction, for a pass.
  package mutating func finish(in transaction: inout WriteTransaction) throws(AnnalsError) {
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
  package func join() {
    if case .sorting(let sorting) = phase { sorting.join() }
  }

  /// Returns the sorted heads to write, if there are any yet.
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
      // The thread has nothing left to do but to end.
      sorting.join()
      // If the other thread failed, the writer tries itself and reports the error.
      if case .success(let sorted) = sorted { plan = sorted }
    }
    // Slots from before a reset mean nothing; the tail is frozen again when it is long enough. And another
    // process may have merged them all meanwhile.
    guard generation.heads.withTable({ $0.resets == frozen.resets && $0.checkpoint < frozen.position }) else {
      phase = .idle
      return nil
    }
    if let plan, case .writing = phase { return plan }
    var begun: Plan
    if let plan {
      begun = plan
    } else {
      begun = try Self.plan(frozen, StoreReader(transaction.view, generation.tables))
    }
    begun.start = progress(since: frozen.position)
    return begun
  }

  private mutating func write(
    _ count: Int, of plan: inout Plan, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let tables = generation.tables
    var rest = count
    let names = plan.names
    while rest > 0, plan.nextName < names.count {
      let key = names.name(plan.nextName)
      row.removeAll(keepingCapacity: true)
      StreamRow(state: .live, id: Position(names.id(plan.nextName))).encode(into: &row)
      Row.seal(&row, key: key)
      do throws(EnvironmentError) {
        try transaction.put(near: row.span, forKey: key, in: tables.streams)
      } catch {
        throw AnnalsError(error)
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
        // By then, a head that was evicted for another was in its row.
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

  /// Records the progress of the merge in the transaction.
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
  package mutating func keep() {
    guard case .done(let position) = phase else { return }
    generation.heads.withTable { $0.move(checkpoint: position) }
    phase = .idle
  }
}
