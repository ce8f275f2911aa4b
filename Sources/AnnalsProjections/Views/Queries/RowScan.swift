internal import AnnalsLog
internal import AnnalsStore
public import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A scan of a query's rows, one after the other.
///
/// ```swift
/// try view.read { rows in
///   var scan = try rows.scan(RowQuery(File.self, .prefix("Sources/")))
///   while let file = try scan.next() { print(file.path) }
/// }
/// ```
public struct RowScan<Row: ProjectionRow>: ~Copyable, ~Escapable {
  private let source: RowSource
  private let query: RowQuery<Row>
  private let bounds: RowBounds
  private var remaining: Int
  private var stored: StoredRows
  /// Whether the current stored key has not been delivered yet.
  private var isPending = false
  /// The staged changes in the range; `nil` if there can be none.
  private var staged: StagedScan<Row>?
  /// The current whole key.
  private var key: [UInt8] = []
  /// The number of its staged change; `nil` for a stored key.
  private var number: Int?

  @_lifetime(copy reading)
  init(_ query: RowQuery<Row>, in reading: RowReading, after token: PageToken?) throws(AnnalsError) {
    let bounds = try RowBounds(query, reading.outline, prefix: reading.source.prefix, after: token)
    var staged: StagedScan<Row>?
    if let staging = reading.staging {
      staged = try StagedScan(staging, bounds, isBackwards: query.isDescending)
    }
    let stored = try StoredRows(
      reading.source, from: bounds.lower, to: bounds.upper, isBackwards: query.isDescending)
    source = reading.source
    self.query = query
    self.bounds = bounds
    remaining = query.most
    self.staged = staged
    self.stored = stored
  }

  /// Returns the next row; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` if a predicate throws, `damaged` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> Row? {
    guard remaining > 0 else { return nil }
    while try step() {
      guard let row = try accepted() else { continue }
      remaining -= 1
      return row
    }
    remaining = 0
    return nil
  }

  /// Counts the rows left. Without a predicate none is decoded.
  mutating func count() throws(AnnalsError) -> Int {
    var count = 0
    while count < remaining, try step() {
      if query.needsRows, try accepted() == nil { continue }
      count += 1
    }
    remaining = 0
    return count
  }

  /// Returns the token for the next page, after the rows up to the limit were read; `nil` if nothing follows.
  mutating func nextPage() throws(AnnalsError) -> PageToken? {
    guard !key.isEmpty else { return nil }
    let last = PagePlace(scope: bounds.scope, key: Array(key[(source.prefix.count + 1)...]))
    guard try step() else { return nil }
    return last.token
  }

  /// Advances to the next stored or staged key of the range.
  ///
  /// - Returns: Whether there is one.
  private mutating func step() throws(AnnalsError) -> Bool {
    if !isPending { isPending = try stored.step() }
    while true {
      if let next = staged?.next, !isPending || !isStoredBefore(next.key) {
        // A staged row replaces the stored one with the same key.
        if isPending, next.key == stored.key { isPending = false }
        (number, key) = next
        staged?.advance()
        return true
      }
      guard isPending else { return false }
      guard let removed = staged?.removed(stored.key.span) else {
        takeStored()
        return true
      }
      try passRun(of: removed)
    }
  }

  private func isStoredBefore(_ key: [UInt8]) -> Bool {
    key != stored.key && key.span.precedes(stored.key.span) == query.isDescending
  }

  /// Advances to the next stored key after a run of removed ones.
  private mutating func passRun(of first: Int) throws(AnnalsError) {
    guard let staged else { return }
    var number = first
    while true {
      let end = staged.runs.end(of: number, isBackwards: query.isDescending)
      isPending = try end == number ? stored.step() : stored.step(past: staged.key(end))
      guard isPending, let next = staged.removed(stored.key.span) else { return }
      staged.runs.join(end, to: next, isBackwards: query.isDescending)
      number = next
    }
  }

  private mutating func takeStored() {
    key.removeAll(keepingCapacity: true)
    key += stored.key
    number = nil
    isPending = false
  }

  /// Returns the current row; `nil` if it does not match a predicate.
  private func accepted() throws(AnnalsError) -> Row? {
    let row = try row()
    for predicate in query.predicates {
      do { if try !predicate.evaluate(row) { return nil } } catch {
        throw AnnalsError(
          .ruleFailed,
          "the view '\(source.name)': the predicate of a query of '\(Row.recordName)' cannot be evaluated",
          underlying: error)
      }
    }
    return row
  }

  private func row() throws(AnnalsError) -> Row {
    if let number, let row = try staged?.row(number, source) { return row }
    let (key, value) = (key, stored.value)
    let opened = try source.open(value.span, key.span)
    guard bounds.place.isSecondary else { return try source.decode(opened) }
    let primary = opened.copied
    if let row = try staged?.row(of: primary) { return row }
    if let stored = try source.value(of: primary.span) { return try source.decode(stored) }
    throw source.leadingNowhere(query.key, to: Row.recordName)
  }
}

@available(*, unavailable)
extension RowScan: Sendable {}

/// The staged changes in the range of a query.
struct StagedScan<Row: ProjectionRow> {
  private let table: StagedTable<Row>
  private let rowKeys: KeyTable
  /// The entries of secondary keys; `nil` if rows are found by their own.
  private let entries: StagedKeys?
  /// The keys that queries have met in the file although they were removed.
  let runs: RemovedRuns
  private var walk: StagedWalk
  /// The next key that has a row or an entry, with its number; `nil` at the end.
  private(set) var next: (number: Int, key: [UInt8])?

  init(_ staging: RowStaging, _ bounds: RowBounds, isBackwards: Bool) throws(AnnalsError) {
    table = try staging.table(of: Row.self)
    rowKeys = table.keys
    if bounds.place.isSecondary {
      staging.keys.bringIntoOrder()
      let keys = staging.keys
      entries = keys
      runs = keys.removed
      walk = StagedWalk(keys.order, keys.keys, from: bounds.lower, to: bounds.upper, isBackwards: isBackwards)
    } else {
      table.numbers.bringIntoOrder()
      entries = nil
      runs = table.removed
      walk = StagedWalk(
        table.numbers.order, rowKeys, from: bounds.lower, to: bounds.upper, isBackwards: isBackwards)
    }
    advance()
  }

  /// Advances to the next key.
  mutating func advance() {
    next = walk.next().map { ($0, key($0)) }
  }

  /// The whole key with a number.
  func key(_ number: Int) -> [UInt8] {
    guard let entries else { return rowKeys[number].copied }
    let keys = entries.keys
    return keys[number].copied
  }

  /// Returns the number of a stored key that was removed; `nil` if it was not.
  func removed(_ key: Span<UInt8>) -> Int? {
    guard entries?.hasRemoved ?? table.numbers.hasRemoved else { return nil }
    guard let entries else {
      guard let number = rowKeys.find(key), table.numbers.kinds[number] == .removed else { return nil }
      return number
    }
    guard let number = entries.keys.find(key), entries.values[number] == nil else { return nil }
    return number
  }

  /// Returns the row of the key with a number.
  func row(_ number: Int, _ source: RowSource) throws(AnnalsError) -> Row? {
    guard let entries else { return try table.row(number) }
    guard let primary = entries.values[number] else { return nil }
    if let row = try row(of: primary) { return row }
    guard let stored = try source.value(of: primary.span) else {
      throw source.leadingNowhere(nil, to: Row.recordName)
    }
    return try source.decode(stored)
  }

  /// Returns the row of a whole key, if it is in memory.
  func row(of primary: [UInt8]) throws(AnnalsError) -> Row? {
    guard let number = rowKeys.find(primary.span) else { return nil }
    return try table.row(number)
  }
}
