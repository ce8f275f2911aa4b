public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Changes how a store recognises event ids: builds or removes the index of ids, in transactions of bounded
/// length.
///
/// The index is read, and updated by appends, from the transaction that marks it as complete. An interrupted
/// change leaves the store with either the old or the new setting. The next change continues.
struct IdempotencyChange {
  /// The time for which a transaction adds or removes rows.
  private static let turn = Duration.milliseconds(50)
  /// The number of entries read before their rows are put.
  private static let run = 2_048
  /// The number of remaining entries at which the last transaction begins.
  private static let rest: UInt64 = 2_048

  private let log: EventLog
  private let wanted: StoreOptions.Idempotency

  init(_ log: EventLog, _ wanted: StoreOptions.Idempotency) {
    self.log = log
    self.wanted = wanted
  }

  /// Makes the whole change.
  ///
  /// - Parameter progress: Is called with the number of entries done, and the total.
  /// - Returns: Whether the store recognised ids in another way before.
  func run(_ progress: (EventLog.Progress) -> Void) throws(AnnalsError) -> Bool {
    try wanted.check()
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    // A pass derives the index of the generation that it builds from the setting of this one.
    let hold = try log.keepPassesOut()
    let generation = try log.core.newest()
    try generation.environment.openIDs()
    let (stored, row) = try generation.read { (reader) throws(AnnalsError) in
      (try reader.idempotency(), try reader.idIndexRow())
    }
    let isChanged: Bool
    switch wanted {
    case .always:
      isChanged = stored != .always
      if isChanged {
        if row == .emptying { try empty() }
        try build(progress)
      }
    case .window:
      isChanged = stored != wanted
      try narrow(isChanged)
      try empty()
    }
    _ = consume hold
    return isChanged
  }

  // MARK: Building

  private func build(_ progress: (EventLog.Progress) -> Void) throws(AnnalsError) {
    let generation = log.core.generation
    if generation.environment.ids == nil {
      try generation.create(later: StoreTables.ids, within: log.options.lockTimeout)
    }
    var build = Build()
    repeat {
      try write { (transaction, tables, index) throws(AnnalsError) in
        try build.extend(index, tables, for: Self.turn, in: &transaction)
        return true
      }
      progress(EventLog.Progress(done: build.done, total: build.last))
    } while build.last - build.done > Self.rest
    try write(risesEpoch: true) { (transaction, tables, index) throws(AnnalsError) in
      try build.extend(index, tables, for: nil, in: &transaction)
      try transaction.remove(IDIndexRow.name, in: tables.meta)
      var meta = StoreMeta(log: log.id)
      try StoreReader(transaction.view, tables).read(.requires, into: &meta)
      meta.idempotency = .always
      try transaction.put(meta.value(of: .requires), StoreMeta.Name.requires.rawValue, in: tables.meta)
      if build.hasUniqueIDs {
        meta.window = StoreMeta.widest
        try transaction.put(meta.value(of: .window), StoreMeta.Name.window.rawValue, in: tables.meta)
      }
      return true
    }
  }

  /// How far the index is built.
  private struct Build {
    /// The position up to which the index has every id.
    var done: UInt64 = 0
    /// The newest position.
    var last: UInt64 = 0
    /// Whether this build has met every id, and none twice in a stream.
    var hasUniqueIDs = true

    /// Adds rows for the entries that have none yet.
    ///
    /// - Parameter time: The time limit; `nil` for all entries.
    mutating func extend(
      _ index: Table, _ tables: StoreTables, for time: Duration?, in transaction: inout WriteTransaction
    ) throws(AnnalsError) {
      let end = time.map { ContinuousClock.now + $0 }
      last = try StoreReader(transaction.view, tables).last()
      var start: UInt64 = 0
      if case .building(let position) = try StoreReader(transaction.view, tables).idIndexRow() {
        start = position
      }
      // The rows up to there are of a build that was cut short, which may have met an id twice.
      if start != done { hasUniqueIDs = false }
      done = start
      while done < last {
        let (rows, position) = try IdempotencyChange.rows(after: done, StoreReader(transaction.view, tables))
        for row in rows {
          if hasUniqueIDs {
            let known = try StoreReader(transaction.view, tables).revision(of: row.id, in: row.stream, index)
            hasUniqueIDs = known == nil
          }
          try transaction.put(row, in: index)
        }
        done = position
        if let end, ContinuousClock.now >= end { break }
      }
      try transaction.put(IDIndexRow.building(done).encoded(), IDIndexRow.name, in: tables.meta)
    }
  }

  /// The rows of the next entries, and the position of the last of those.
  private static func rows(
    after position: UInt64, _ reader: StoreReader
  ) throws(AnnalsError) -> (rows: [IDRow], last: UInt64) {
    var rows: [IDRow] = []
    var last = position
    var cursor = try reader.entriesCursor()
    var found: IntegerRow?
    do { found = try cursor.seek(position + 1) } catch { throw AnnalsError(error) }
    while let entry = found, entry.key - position <= UInt64(run) {
      if let row = try reader.idRow(entry.value, at: Position(entry.key)) { rows.append(row) }
      last = entry.key
      found = try cursor.nextRow()
    }
    return (rows, last)
  }

  // MARK: Removing

  /// Switches to recognition by a window, from this transaction on.
  private func narrow(_ isChanged: Bool) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: isChanged) { (transaction, tables, _) throws(AnnalsError) in
      var meta = StoreMeta(log: log.id)
      for name in [StoreMeta.Name.window, .requires] {
        try StoreReader(transaction.view, tables).read(name, into: &meta)
      }
      meta.idempotency = wanted
      for name in [StoreMeta.Name.window, .requires] {
        try transaction.put(meta.value(of: name), name.rawValue, in: tables.meta)
      }
      if transaction.environment.ids != nil {
        try transaction.put(IDIndexRow.emptying.encoded(), IDIndexRow.name, in: tables.meta)
      }
      return true
    }
  }

  /// Removes all rows of an index that is no longer read.
  private func empty() throws(AnnalsError) {
    guard log.core.generation.environment.ids != nil else { return }
    var isEmpty = false
    while !isEmpty {
      try write { (transaction, tables, index) throws(AnnalsError) in
        let end = ContinuousClock.now + Self.turn
        repeat {
          let keys = try StoreReader(transaction.view, tables).firstKeys(Self.run, of: index)
          do throws(EnvironmentError) {
            for key in keys { try transaction.delete(key: key.span, in: index) }
          } catch {
            throw AnnalsError(error)
          }
          isEmpty = keys.count < Self.run
        } while !isEmpty && ContinuousClock.now < end
        if isEmpty { try transaction.remove(IDIndexRow.name, in: tables.meta) }
        return true
      }
    }
  }

  /// One transaction in the generation in use, which has the table.
  private func write(
    risesEpoch: Bool = false,
    _ body: (inout WriteTransaction, StoreTables, Table) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: risesEpoch) {
      (transaction, tables, _) throws(AnnalsError) in
      guard let index = transaction.environment.ids else { throw AnnalsError.missingIDs }
      return try body(&transaction, tables, index)
    }
  }
}

extension StoreReader {
  /// The first keys of a table.
  fileprivate func firstKeys(_ count: Int, of table: Table) throws(AnnalsError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var cursor: Cursor
    do throws(EnvironmentError) { cursor = try view.cursor(in: table) } catch { throw AnnalsError(error) }
    while keys.count < count, let row = try cursor.nextRow() { keys.append(row.key.copied) }
    return keys
  }
}

extension EventLog {
  /// Changes how the store recognises repeated event ids.
  ///
  /// Afterwards the store, and every process that has it open, recognises ids the new way. A later open with
  /// another ``StoreOptions/idempotency`` fails.
  ///
  /// ``StoreOptions/Idempotency/always`` first builds an index of the ids of all entries, between the appends
  /// of others. From then on, programs with an older library cannot write to the store. A window removes the
  /// index. An interrupted change can be repeated, and continues.
  ///
  /// - Parameters:
  ///   - idempotency: The new setting.
  ///   - progress: Called now and then with the number of indexed entries.
  /// - Returns: Whether the store recognised ids in a different way before.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for an invalid length of a window, `readOnly`, `busy`
  ///   while a migration pass runs, `appendsSuspended`, `diskFull`, `damaged`, `needsNewer` or `inputOutput`.
  /// - Complexity: O(log) to build the index, O(entries with ids) to remove it.
  @discardableResult
  public func setIdempotency(
    _ idempotency: StoreOptions.Idempotency, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> Bool {
    try IdempotencyChange(self, idempotency).run(progress)
  }
}
