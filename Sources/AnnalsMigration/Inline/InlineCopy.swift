internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import LMDB

/// Copies the rows of inline projections that a pass does not fold, and the changes that appends make to them
/// meanwhile.
///
/// A pass that leaves streams unchanged gives every reader the same events, so the rows stay correct.
struct InlineCopy {
  /// The number of bytes of changes after which a transaction is committed.
  private static let batchBytes = 8 << 20

  private let source: Generation
  /// The projections that the pass folds itself; `nil` if it folds none.
  private let folded: InlineSet?
  /// Whether the pass copies any rows.
  private let isCopying: Bool
  /// The position up to which the target's rows are folded, by number of the projection.
  private var positions: [UInt16: UInt64] = [:]

  init(_ source: Generation, _ work: PassWork, folded: InlineSet?) {
    self.source = source
    self.folded = folded
    isCopying = work.patch == nil && work.move == nil
  }

  /// Copies all rows while appends continue.
  ///
  /// - Parameter whenCommitted: Called after each transaction; it may end the pass.
  mutating func run(
    _ target: PassTarget, _ durability: Durability, _ whenCommitted: () throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    for row in try source.read({ (reader) throws(AnnalsError) in try rows(reader) })
    where positions[row.number] != row.folded {
      positions[row.number] = nil
      var last: [UInt8]?
      repeat {
        let changes = try changes(of: row, after: last, in: target)
        try changes.put(into: target, durability)
        last = changes.next
        try whenCommitted()
      } while last != nil
      let now = try source.read { (reader) throws(AnnalsError) in try rows(reader) }
      // Rows change only together with the position. Rows that changed meanwhile are compared again.
      if now.contains(where: { $0.number == row.number && $0.folded == row.folded }) {
        positions[row.number] = row.folded
      }
    }
  }

  /// Copies later changes while appends are blocked, and records the position up to which all rows are
  /// folded.
  ///
  /// - Parameter reader: The source, which no longer changes.
  mutating func finish(_ reader: StoreReader, _ target: PassTarget) throws(AnnalsError) {
    let rows = try rows(reader)
    guard !rows.isEmpty else { return }
    for row in rows where positions[row.number] != row.folded {
      var last: [UInt8]?
      repeat {
        let changes = try changes(of: row, after: last, from: reader, in: target)
        try changes.put(into: target, .full)
        last = changes.next
      } while last != nil
      positions[row.number] = row.folded
    }
    let positions = positions
    try target.write(.full) { (transaction) throws(AnnalsError) in
      var known = try StoreReader(transaction.view, target.tables).storedRuleRows()
      for index in known.indices {
        if let position = positions[known[index].number] { known[index].folded = position }
      }
      try transaction.put(folded: known, in: target.tables.meta)
    }
  }

  /// Returns the projections whose rows are copied.
  private func rows(_ reader: StoreReader) throws(AnnalsError) -> [RuleRow] {
    guard isCopying else { return [] }
    return try reader.ruleRows().filter { $0.isInForce && folded?.knows($0) != true }
  }

  private func changes(
    of row: RuleRow, after last: [UInt8]?, in target: PassTarget
  ) throws(AnnalsError) -> InlineChanges {
    let environment = source.environment
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    return try changes(
      of: row, after: last, from: StoreReader(transaction.view, source.tables), in: target)
  }

  private func changes(
    of row: RuleRow, after last: [UInt8]?, from reader: StoreReader, in target: PassTarget
  ) throws(AnnalsError) -> InlineChanges {
    try source.openInline()
    guard let from = source.environment.later(StoreTables.inline.name),
      let to = target.environment.later(StoreTables.inline.name)
    else {
      throw AnnalsError.missingInline
    }
    let environment = target.environment
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    return try InlineChanges(
      row, after: last, from: reader.view, from, to: transaction.view, to, bytes: Self.batchBytes)
  }
}

/// The changes that make the rows of a projection in one file equal to those in another.
private struct InlineChanges {
  private var puts: [(key: [UInt8], value: [UInt8])] = []
  private var removals: [[UInt8]] = []
  /// The key after which the comparison continues; `nil` at the end.
  private(set) var next: [UInt8]?

  /// Compares the rows of a projection.
  ///
  /// - Parameters:
  ///   - last: The key after which the comparison begins; `nil` for all.
  ///   - limit: The number of bytes of changes at which it stops.
  /// - Throws: `damaged` for a row whose checksum does not match.
  init(
    _ row: RuleRow, after last: [UInt8]?, from source: TransactionView, _ from: Table,
    to target: TransactionView, _ to: Table, bytes limit: Int
  ) throws(AnnalsError) {
    let start = last ?? row.keyPrefix
    var here = try Self.cursor(source, from)
    var there = try Self.cursor(target, to)
    var left = Self.own(try here.seekRow(start.span), row)
    var right = Self.own(try there.seekRow(start.span), row)
    if let last {
      if let new = left, new.key.isEqual(to: last.span) { left = Self.own(try here.nextRow(), row) }
      if let old = right, old.key.isEqual(to: last.span) { right = Self.own(try there.nextRow(), row) }
    }
    var size = 0
    while size < limit {
      switch Self.order(left, right) {
      case .end:
        next = nil
        return
      case .removed:
        if let old = right {
          size += remove(old)
          right = Self.own(try there.nextRow(), row)
        }
      case .added:
        if let new = left {
          size += try put(new, of: row)
          left = Self.own(try here.nextRow(), row)
        }
      case .same(let isEqual):
        if let new = left, !isEqual { size += try put(new, of: row) }
        left = Self.own(try here.nextRow(), row)
        right = Self.own(try there.nextRow(), row)
      }
    }
  }

  /// Writes the changes to a file.
  func put(into target: PassTarget, _ durability: Durability) throws(AnnalsError) {
    guard !puts.isEmpty || !removals.isEmpty else { return }
    try target.write(durability) { (transaction) throws(AnnalsError) in
      guard let table = target.environment.later(StoreTables.inline.name) else { return }
      do throws(EnvironmentError) {
        for key in removals { try transaction.delete(key: key.span, in: table) }
        for (key, value) in puts { try transaction.put(value.span, forKey: key.span, in: table) }
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  private mutating func remove(_ old: LMDB.Row) -> Int {
    let key = old.key.copied
    removals.append(key)
    next = key
    return key.count
  }

  private mutating func put(_ new: LMDB.Row, of row: RuleRow) throws(AnnalsError) -> Int {
    do throws(FormatFailure) { _ = try Row.open(new.value, key: new.key) } catch {
      throw AnnalsError(
        .damaged,
        "table 'inline': a row of the inline projection '\(row.name)' is not what was stored (\(error)); "
          + "run 'annals repair', and open the store with the projection",
        details: AnnalsError.Details { $0.table = StoreTables.inline.name }, underlying: error)
    }
    let key = new.key.copied
    puts.append((key, new.value.copied))
    next = key
    return key.count + new.value.count
  }

  /// The order of two places by their keys.
  private enum Order {
    case end
    case added
    case removed
    case same(isEqual: Bool)
  }

  private static func order(_ left: LMDB.Row?, _ right: LMDB.Row?) -> Order {
    if let new = left {
      guard let old = right else { return .added }
      if new.key.isEqual(to: old.key) { return .same(isEqual: new.value.isEqual(to: old.value)) }
      return new.key.precedes(old.key) ? .added : .removed
    }
    return right == nil ? .end : .removed
  }

  @_lifetime(copy view)
  private static func cursor(_ view: TransactionView, _ table: Table) throws(AnnalsError) -> Cursor {
    do { return try view.cursor(in: table) } catch { throw AnnalsError(error) }
  }

  /// Returns a row, or `nil` if it belongs to another projection.
  @_lifetime(copy found)
  private static func own(_ found: LMDB.Row?, _ row: RuleRow) -> LMDB.Row? {
    guard let found, found.key.count > 2, found.key[0] == row.keyPrefix[0], found.key[1] == row.keyPrefix[1]
    else { return nil }
    return found
  }
}
