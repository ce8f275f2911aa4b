internal import AnnalsCoding
internal import LMDB

/// Puts the inline projections of a store in force as it is opened: folds the log as far as they lack it, in transactions of bounded length, between which
/// others append.
struct InlineRegistration {
  /// For how long a transaction folds.
  private static let turn = Duration.milliseconds(50)
  /// How many rows a transaction removes.
  private static let removals = 20_000

  private let log: EventLog
  private let set: InlineSet
  private let isActivating: Bool
  /// The numbers of the rows that it has begun.
  private var begun: Set<UInt16> = []
  /// The members for which it has given up a row of other tables.
  private var replaced: Set<Int> = []

  init(_ log: EventLog, _ set: InlineSet, isActivating: Bool) {
    self.log = log
    self.set = set
    self.isActivating = isActivating
  }

  /// Does all that is due.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresActivation`, `shapeChanged`, `rejected` or `ruleFailed` for what the log holds, and as ``Activation/run(_:)``.
  mutating func run() throws(AnnalsError) {
    try log.core.generation.openInline()
    guard log.options.access == .readWrite else { return }
    while let (step, row) = try due() {
      let generation = log.core.generation
      if generation.inline == nil {
        try generation.create(later: StoreTables.inline, within: log.options.lockTimeout)
      }
      do throws(AnnalsError) { try write() } catch {
        guard case .fold = step, let row else { throw error }
        // A store on trial takes no changes: what is in force stays as far as it is.
        if error.code == .held, row.state == .live { return }
        // What was folded by a program that cannot fold all of it is of no use to the next one. What another has begun, it may be able to fold.
        if row.state == .building, begun.contains(row.number), Self.cannotFold.contains(error.code) {
          try? giveUp(row)
        }
        throw error
      }
    }
  }

  /// What a fold throws for what the log holds, and will throw again.
  static let cannotFold: Set<AnnalsError.Code> = [
    .rejected, .ruleFailed, .malformed, .tooLarge, .wrongUse, .noPath, .newerSchema,
  ]

  /// What is due, by a look at the store, and the row that it is about.
  private func due() throws(AnnalsError) -> (InlineDecision.Step, InlineRow?)? {
    try log.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.reader.inlineRows()
      guard let step = try decision(rows, snapshot.reader).next() else { return nil }
      switch step {
      case .begin: return (step, nil)
      case .fold(_, let row), .retire(let row, _), .remove(let row): return (step, rows[row])
      }
    }
  }

  private func decision(_ rows: [InlineRow], _ reader: StoreReader) throws(AnnalsError) -> InlineDecision {
    InlineDecision(
      set: set, rows: rows, last: try reader.last(), isActivating: isActivating, replaced: replaced)
  }

  /// One transaction.
  private mutating func write() throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, kinds) throws(AnnalsError) in
      // The generation may have been succeeded by one without the table.
      guard let table = transaction.environment.later(StoreTables.inline.name) else { return false }
      var rows = try StoreReader(transaction.view, tables).inlineRows()
      let end = ContinuousClock.now + Self.turn
      var hasChanged = false
      repeat {
        let decision = try decision(rows, StoreReader(transaction.view, tables))
        guard let step = try decision.next() else { return hasChanged }
        try take(step, decision.last, &rows, kinds, tables, table, until: end, in: &transaction)
        hasChanged = true
      } while ContinuousClock.now < end
      return true
    }
  }

  /// Takes a row back that was never in force.
  private func giveUp(_ row: InlineRow) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      let rows = try StoreReader(transaction.view, tables).inlineRows()
      guard var own = rows.first(where: { $0.number == row.number }), own.state == .building,
        own.name == row.name, own.version == row.version, own.text == row.text
      else { return false }
      own.state = .retired
      try transaction.put(own, in: tables.meta)
      return true
    }
  }
}

// The steps.
extension InlineRegistration {
  private mutating func take(
    _ step: InlineDecision.Step, _ last: UInt64, _ rows: inout [InlineRow], _ kinds: KindRegistry,
    _ tables: StoreTables, _ table: Table, until end: ContinuousClock.Instant,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    switch step {
    case .begin(let index):
      let member = set.members[index]
      guard let number = Self.unused(rows) else {
        throw AnnalsError(.tooLarge, "the store has used up its numbers for inline projections")
      }
      let row = InlineRow(
        number: number, isMandatory: member.isMandatory, version: member.outline.version,
        name: member.outline.name, text: member.outline.text)
      rows.insert(row, at: rows.firstIndex { $0.number > number } ?? rows.endIndex)
      begun.insert(number)
      try transaction.put(row, in: tables.meta)
      try transaction.put(folded: rows, in: tables.meta)
      try transaction.require(.inline, tables)
    case .fold(let member, let row):
      let refusal = try set.room().catchUp(
        member: member, &rows[row], to: last, kinds, tables, table, until: end, in: &transaction)
      if let refusal { throw refusal }
      if rows[row].folded == last, rows[row].state == .building {
        try putInForce(row, &rows, tables, in: &transaction)
      }
      try transaction.put(folded: rows, in: tables.meta)
    case .retire(let row, let member):
      replaced.insert(member)
      rows[row].state = .retired
      try transaction.put(rows[row], in: tables.meta)
    case .remove(let row):
      guard try removeSome(rows[row], table, in: &transaction) else { return }
      try transaction.remove(rows[row].rowName, in: tables.meta)
      rows.remove(at: row)
      try transaction.put(folded: rows, in: tables.meta)
    }
  }

  /// The lowest number that no row has.
  private static func unused(_ rows: [InlineRow]) -> UInt16? {
    let used = Set(rows.map(\.number))
    return (1...UInt16.max).first { !used.contains($0) }
  }

  /// Puts a version in force that is folded up to the end of the log, in the place of the one before. A later one that is being built goes on.
  private func putInForce(
    _ row: Int, _ rows: inout [InlineRow], _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    rows[row].state = .live
    try transaction.put(rows[row], in: tables.meta)
    for other in rows.indices
    where rows[other].version < rows[row].version && rows[other].state != .retired
      && ExactText(rows[other].name) == ExactText(rows[row].name)
    {
      rows[other].state = .retired
      try transaction.put(rows[other], in: tables.meta)
    }
    // A pass that has begun before does not fold it.
    var epoch: [UInt8] = []
    epoch.append(varint: try StoreReader(transaction.view, tables).schemaEpoch() + 1)
    try transaction.put(epoch, StoreMeta.Name.schemaEpoch.rawValue, in: tables.meta)
  }

  /// Removes rows of a version that is not in force any more.
  ///
  /// - Returns: Whether none is left.
  private func removeSome(
    _ row: InlineRow, _ table: Table, in transaction: inout WriteTransaction
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

extension StoreReader {
  /// The first keys of a table that begin with some bytes.
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
