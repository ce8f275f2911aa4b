internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// Puts the inline projections of a store in force as it is activated, and completes the rows of those in
/// force as it is opened. It folds entries in transactions of bounded length, between which other programs
/// can append.
struct InlineRegistration {
  /// The time for which one transaction folds.
  private static let turn = Duration.milliseconds(50)
  /// The number of rows that one transaction removes.
  private static let removals = 20_000

  private let log: EventLog
  private let set: InlineSet
  private let isActivating: Bool
  /// The numbers of the rows whose fold this open began.
  private var begun: Set<UInt16> = []
  /// The members for which this open has retired a row with other tables.
  private var replaced: Set<Int> = []
  /// The versions that may come into force in a store whose changes come from the log of a cluster; `nil` for
  /// any other store.
  private let shared: [RuleVersion]?
  /// Whether entries are folded and nothing is put in force.
  private let isFoldingOnly: Bool
  /// The reason for which a projection has refused an entry.
  private(set) var refusal: AnnalsError?

  /// Creates the steps of an open or an activation.
  ///
  /// - Parameters:
  ///   - shared: The versions that may come into force in a store of a cluster.
  ///   - isFoldingOnly: Whether those are only folded.
  init(
    _ log: EventLog, _ set: InlineSet, isActivating: Bool, shared: [RuleVersion] = [],
    isFoldingOnly: Bool = false
  ) throws(AnnalsError) {
    self.log = log
    self.set = set
    self.isActivating = isActivating
    self.shared = try log.belongsToCluster() ? shared : nil
    self.isFoldingOnly = isFoldingOnly
  }

  /// Runs all steps that are due.
  ///
  /// - Parameter mayBegin: Called in the transaction that puts projections in force. It throws if that must
  ///   not happen; the folded rows remain, and a later activation continues with them.
  /// - Throws: ``AnnalsError`` with code `shapeChanged`; with `rejected` or `ruleFailed` depending on the
  ///   entries of the log; and as ``Activation/run(_:)``.
  mutating func run(_ mayBegin: () throws(AnnalsError) -> Void) throws(AnnalsError) {
    try log.core.generation.openInline()
    guard log.options.access == .readWrite else { return }
    while let (step, row) = try due() {
      // The rows folded so far are kept, and the next open continues with them.
      if case .fold = step, let row {
        try log.options.watch?.advance(
          .folding, row.folded, of: log.core.generation.lastPosition())
      } else {
        try log.options.watch?.check()
      }
      // A machine that leaves its cluster meanwhile continues when it is back.
      if isFoldingOnly, Task.isCancelled {
        throw AnnalsError(.cancelled, "the task was cancelled while inline projections were folded")
      }
      let generation = log.core.generation
      if generation.inline == nil {
        try generation.create(later: StoreTables.inline, within: log.options.lockTimeout)
      }
      do throws(AnnalsError) { try write(mayBegin) } catch {
        guard case .fold = step, let row else { throw error }
        // A held generation takes no changes: projections in force stay where they are.
        if error.code == .appendsSuspended, row.isInForce { return }
        // A partial fold by a program that cannot finish it is useless to the next program. A fold that
        // another program began may still be finished by it.
        if row.state == .building, begun.contains(row.number), Self.cannotFold.contains(error.code) {
          try? giveUp(row)
        }
        throw error
      }
    }
  }

  /// The errors that a fold throws because of the log's entries, and would throw again.
  static let cannotFold: Set<AnnalsError.Code> = [
    .rejected, .ruleFailed, .malformed, .tooLarge, .wrongUse, .noPath, .newerSchema,
  ]

  /// Returns the next step according to the store, and the row it concerns.
  private func due() throws(AnnalsError) -> (InlineDecision.Step, RuleRow?)? {
    try log.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.reader.ruleRows()
      guard let step = try next(decision(rows, snapshot.reader)) else { return nil }
      switch step {
      case .begin, .putInForce: return (step, nil)
      case .fold(_, let row), .retire(let row, _), .remove(let row): return (step, rows[row])
      }
    }
  }

  private func next(_ decision: InlineDecision) throws(AnnalsError) -> InlineDecision.Step? {
    let step = try decision.next()
    if isFoldingOnly, case .putInForce = step { return nil }
    return step
  }

  private func decision(_ rows: [RuleRow], _ reader: StoreReader) throws(AnnalsError) -> InlineDecision {
    InlineDecision(
      set: set, rows: rows, last: try reader.last(), isActivating: isActivating, replaced: replaced,
      shared: shared)
  }

  /// Runs one transaction.
  private mutating func write(_ mayBegin: () throws(AnnalsError) -> Void) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, kinds) throws(AnnalsError) in
      // The generation may have been replaced by one without the table.
      guard let table = transaction.environment.later(StoreTables.inline.name) else { return false }
      var rows = try StoreReader(transaction.view, tables).ruleRows()
      let end = ContinuousClock.now + Self.turn
      var hasChanged = false
      repeat {
        let decision = try decision(rows, StoreReader(transaction.view, tables))
        guard let step = try next(decision) else { return hasChanged }
        try take(step, decision.last, &rows, kinds, tables, table, until: end, mayBegin, in: &transaction)
        hasChanged = true
      } while ContinuousClock.now < end
      return true
    }
  }

  /// Removes a row that was never in force.
  private func giveUp(_ row: RuleRow) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      let rows = try StoreReader(transaction.view, tables).ruleRows()
      guard var own = rows.first(where: { $0.number == row.number }), own.state == .building,
        own.name == row.name, own.version == row.version, own.text == row.text
      else { return false }
      own.state = .retired
      try transaction.put(own, in: tables.meta)
      return true
    }
  }
}

extension InlineRegistration {
  private mutating func take(
    _ step: InlineDecision.Step, _ last: UInt64, _ rows: inout [RuleRow], _ kinds: KindRegistry,
    _ tables: StoreTables, _ table: Table, until end: ContinuousClock.Instant,
    _ mayBegin: () throws(AnnalsError) -> Void, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    switch step {
    case .begin(let index):
      let member = set.members[index]
      guard let number = Self.unused(rows) else {
        throw AnnalsError(.tooLarge, "the store has used up its numbers for inline projections")
      }
      let row = RuleRow(
        number: number, version: member.outline.version, name: member.outline.name,
        text: member.outline.text)
      rows.insert(row, at: rows.firstIndex { $0.number > number } ?? rows.endIndex)
      begun.insert(number)
      try transaction.put(row, in: tables.meta)
      try transaction.put(folded: rows, in: tables.meta)
      try transaction.require(.inline, tables)
    case .fold(let member, let row):
      // An erasure leaves rows that were folded from erased events.
      if rows[row].folded == 0, try !removeSome(rows[row], table, in: &transaction) { return }
      let failure = try set.room().catchUp(
        member: member, &rows[row], to: last, kinds, tables, table, until: end,
        without: hidden(StoreReader(transaction.view, tables)), isShared: shared != nil, in: &transaction)
      if let failure {
        if case .refused(let error) = failure { refusal = error }
        throw failure.error
      }
      try transaction.put(folded: rows, in: tables.meta)
    case .putInForce(let ready):
      try mayBegin()
      for row in ready { try putInForce(row, &rows, tables, in: &transaction) }
    case .retire(let row, let member):
      replaced.insert(member)
      try rows.retire(row, tables, in: &transaction)
    case .remove(let row):
      guard try removeSome(rows[row], table, in: &transaction) else { return }
      try transaction.remove(rows[row].rowName, in: tables.meta)
      rows.remove(at: row)
      try transaction.put(folded: rows, in: tables.meta)
    }
  }

  /// Returns the entries that no fold sees.
  ///
  /// The machines of a cluster rewrite their files when they like. If a pass has turned an entry into a stub
  /// on one of them, no other may fold it.
  ///
  /// - Throws: `requiresPass` if a pass has set aside events that other machines fold.
  private func hidden(_ reader: StoreReader) throws(AnnalsError) -> HiddenEntries {
    guard shared != nil else { return .none }
    guard try reader.census().values.allSatisfy({ $0.quarantined == 0 }) else {
      throw AnnalsError(
        .requiresPass,
        "a migration pass has set aside events of this machine that other machines fold into inline projections: mend the rule and run 'migrate' again"
      )
    }
    return try HiddenEntries(reader)
  }

  /// Returns the lowest number that no row has.
  private static func unused(_ rows: [RuleRow]) -> UInt16? {
    let used = Set(rows.map(\.number))
    return (1...UInt16.max).first { !used.contains($0) }
  }

  /// Puts a version in force that is folded up to the end of the log, replacing the earlier one. A later
  /// version being built continues.
  private func putInForce(
    _ row: Int, _ rows: inout [RuleRow], _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    try rows.putInForce(row, tables, in: &transaction)
    // A pass that began earlier does not fold it.
    var epoch: [UInt8] = []
    epoch.append(varint: try StoreReader(transaction.view, tables).schemaEpoch() + 1)
    try transaction.put(epoch, StoreMeta.Name.schemaEpoch.rawValue, in: tables.meta)
  }

  /// Removes rows of a version that is no longer in force.
  ///
  /// - Returns: Whether none is left.
  private func removeSome(
    _ row: RuleRow, _ table: Table, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Bool {
    let keys = try StoreReader(transaction.view, tables(of: transaction)).keys(
      beginningWith: row.keyPrefix, in: table, limit: Self.removals)
    do throws(EnvironmentError) {
      for key in keys { try transaction.delete(key: key.span, in: table) }
    } catch {
      throw AnnalsError(error)
    }
    return keys.count < Self.removals
  }

  private func tables(of transaction: borrowing WriteTransaction) -> StoreTables {
    StoreTables(transaction.environment)
  }
}

extension [RuleRow] {
  /// Puts a version in force that is folded up to the end of the log, and retires earlier ones.
  mutating func putInForce(
    _ row: Int, _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    self[row].state = .live
    self[row].isMandatory = true
    try transaction.put(self[row], in: tables.meta)
    for other in indices
    where self[other].version < self[row].version && self[other].state != .retired
      && ExactText(self[other].name) == ExactText(self[row].name)
    {
      try retire(other, tables, in: &transaction)
    }
  }

  /// Retires a version. Its rows are removed later.
  mutating func retire(
    _ row: Int, _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    self[row].state = .retired
    try transaction.put(self[row], in: tables.meta)
  }
}

extension StoreReader {
  /// Returns the first keys of a table with a prefix.
  func keys(
    beginningWith prefix: [UInt8], in table: Table, limit: Int
  ) throws(AnnalsError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    do throws(EnvironmentError) {
      var cursor = try view.cursor(in: table)
      var found = try cursor.seek(prefix.span)
      while let row = found, keys.count < limit {
        let key = row.key.copied
        guard key.starts(with: prefix) else { break }
        keys.append(key)
        found = try cursor.next()
      }
    } catch {
      throw AnnalsError(error)
    }
    return keys
  }
}
