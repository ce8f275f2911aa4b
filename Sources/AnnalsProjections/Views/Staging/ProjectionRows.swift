internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

/// The rows of a projection during a fold, passed to ``Projection/apply(_:to:)``.
///
/// Changes are visible to later reads at once. They are stored with the checkpoint of the batch, all of them
/// or none.
public struct ProjectionRows: ~Copyable, ~Escapable, ReadableRows {
  @usableFromInline let staging: RowStaging
  let source: RowSource

  @_lifetime(copy source)
  init(_ staging: RowStaging, _ source: RowSource) {
    self.staging = staging
    self.source = source
    for table in staging.tables { table.begin(with: source.prefix) }
  }

  /// The source for queries: the stored rows with the changes made since.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, staging.outline, staging) }
  }

  /// Returns the row with a key; `nil` if there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is not a table of the projection,
  ///   `tooLarge` for a key of more than 500 bytes, `damaged` or `inputOutput`.
  /// - Complexity: One look-up in memory for a recently used row, else one in the file.
  @inlinable public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    let table = try staging.table(of: type)
    return try table.row(number(of: key, in: table))
  }

  /// Adds a row, replacing any row with the same key.
  ///
  /// - Throws: As ``get(_:_:)``; `conflict` if another row has the same unique secondary key.
  /// - Complexity: A table with secondary keys reads the old row.
  @inlinable public mutating func put<R: ProjectionRow>(_ row: R) throws(AnnalsError) {
    let table = try staging.table(of: R.self)
    if table.hasKeys { return try replace(number(of: row.key, in: table), in: table, by: row) }
    // Without secondary keys the old row is not needed.
    let number = table.numbers.number { row.key.encode(into: &$0) }
    if number == table.rows.count { table.rows.append(nil) }
    guard number >= 0 else { throw tooLong(table) }
    table.put(row, number)
    table.numbers.change(number)
  }

  /// Removes the row with a key.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: As ``get(_:_:)``.
  @discardableResult
  @inlinable public mutating func delete<R: ProjectionRow>(
    _ type: R.Type, _ key: R.Key
  ) throws(AnnalsError) -> Bool {
    let table = try staging.table(of: type)
    let number = try number(of: key, in: table)
    guard table.isThere(number) else { return false }
    if table.hasKeys {
      try replace(number, in: table, by: nil)
    } else {
      table.set(number, to: nil)
      table.numbers.change(number, to: .removed)
    }
    return true
  }

  /// Changes the row with a key, starting from `initial` if there is none.
  ///
  /// ```swift
  /// try rows.update(Author.self, commit.author, initial: Author(name: commit.author, commits: 0)) {
  /// $0.commits += 1 }
  /// ```
  ///
  /// - Throws: As ``put(_:)``, and the errors of `body`; `wrongUse` if the row gets another key.
  @inlinable public mutating func update<R: ProjectionRow>(
    _ type: R.Type, _ key: R.Key, initial: @autoclosure () -> R, _ body: (inout R) throws -> Void
  ) throws {
    let table = try staging.table(of: type)
    let number = try number(of: key, in: table)
    guard table.hasKeys else {
      guard try table.update(number, initial, body) else { throw rekeyed(table) }
      return
    }
    var row = try table.row(number) ?? initial()
    try body(&row)
    guard table.numbers.isSame({ row.key.encode(into: &$0) }) else { throw rekeyed(table) }
    try replace(number, in: table, by: row)
  }
}

// Rows in memory.
extension ProjectionRows {
  /// Returns the prefix of every key of a space.
  private func begin(space: UInt8) -> RowKeyBytes {
    var bytes = RowKeyBytes()
    bytes.bytes = source.prefix
    bytes.append(space)
    return bytes
  }

  /// Returns the number of a key whose row is in memory, or known not to exist.
  @inlinable func number<R: ProjectionRow>(
    of key: R.Key, in table: StagedTable<R>
  ) throws(AnnalsError) -> Int {
    let number = table.numbers.number { key.encode(into: &$0) }
    if number == table.rows.count {
      table.rows.append(nil)
      try load(number, in: table)
    }
    guard number >= 0 else { throw tooLong(table) }
    return number
  }

  /// Reads the row of a new number.
  @usableFromInline func load<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>
  ) throws(AnnalsError) {
    let keys = table.keys
    do throws(AnnalsError) {
      guard let stored = try source.value(of: keys[number]) else { return }
      table.rows[number] = try source.decode(stored)
      table.note(stored.count, of: number)
    } catch {
      // A fold that ignores the error has found no row.
      staging.failure = error
      throw error
    }
  }

  /// Creates the error for a key that is too long.
  @usableFromInline func tooLong(_ table: StagedRows) -> AnnalsError {
    tooLong(table.numbers.room.bytes.count - source.prefix.count, "a row of '\(table.outline.name)'")
  }

  private func tooLong(_ count: Int, _ what: String) -> AnnalsError {
    AnnalsError(
      .tooLarge,
      "the projection '\(source.name)': \(what) has a key of \(count) bytes, and the most are \(RowStaging.keyLimit); take a shorter one, such as a hash of it"
    )
  }

  /// Creates the error for an update that changes the key of a row.
  @usableFromInline func rekeyed(_ table: StagedRows) -> AnnalsError {
    AnnalsError(
      .wrongUse,
      "the projection '\(source.name)': an update gave a row of '\(table.outline.name)' another key: delete the old row and put the new one"
    )
  }

  /// Sets or removes the row of a number, with its entries of secondary keys.
  @usableFromInline mutating func replace<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>, by row: R?
  ) throws(AnnalsError) {
    try rekey(number, in: table, table.space, to: row)
    table.set(number, to: row)
    table.numbers.change(number, to: row == nil ? .removed : .put)
  }
}

// Secondary keys.
extension ProjectionRows {
  /// Returns the row's key stored in an entry; `nil` if there is no entry.
  private func entry(_ key: [UInt8]) throws(AnnalsError) -> [UInt8]? {
    if let staged = staging.keys.staged(key.span) { return staged }
    return try source.value(of: key.span)?.copied
  }

  /// Replaces the entries of secondary keys of a row with those of its new value.
  private mutating func rekey<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>, _ space: UInt8, to row: R?
  ) throws(AnnalsError) {
    let known = table.keys
    let primary = known[number].copied
    let before = try entries(of: table.row(number), primary, in: table, space)
    let after = try entries(of: row, primary, in: table, space)
    // All are checked before any is changed.
    for (index, keys) in after.enumerated() where table.outline.keys[index].isUnique {
      for key in keys.without(before[index]) {
        guard let other = try entry(key), other != primary else { continue }
        throw AnnalsError(
          .conflict,
          "the projection '\(source.name)': two rows of '\(table.outline.name)' have the same '\(table.outline.keys[index].name)', which is unique"
        )
      }
    }
    for (old, new) in zip(before, after) {
      for key in old.without(new) { staging.keys.set(key.span, to: nil) }
      for key in new.without(old) { staging.keys.set(key.span, to: primary) }
    }
  }

  /// Returns the whole keys of the entries that lead to a row, by secondary key.
  private func entries<R: ProjectionRow>(
    of row: R?, _ primary: [UInt8], in table: StagedTable<R>, _ space: UInt8
  ) throws(AnnalsError) -> [[[UInt8]]] {
    guard let row else { return table.outline.keys.map { _ in [] } }
    var all: [[[UInt8]]] = []
    for (index, declared) in R.secondaryKeys.enumerated() {
      var entries: [[UInt8]] = []
      for key in declared.keys(of: row) {
        var whole = begin(space: space + UInt8(index + 1)).bytes + key.bytes
        // Without the byte of the space, which the entry's own space replaces.
        if !declared.isUnique { whole += primary[(source.prefix.count + 1)...] }
        let count = whole.count - source.prefix.count
        guard count <= RowStaging.keyLimit else {
          throw tooLong(count, "the key '\(declared.name)' of '\(table.outline.name)'")
        }
        entries.append(whole)
      }
      all.append(entries.withoutRepeats)
    }
    return all
  }
}

// A row may have thousands of keys, and each of its changes compares all of them.
extension [[UInt8]] {
  /// The most keys that are compared one by one, which takes less time than a set.
  private static var few: Int { 8 }

  /// The keys, each once, in the order of their first places.
  fileprivate var withoutRepeats: [[UInt8]] {
    if count > Self.few {
      var known: Set<[UInt8]> = []
      return filter { known.insert($0).inserted }
    }
    var kept: [[UInt8]] = []
    for key in self where !kept.contains(key) { kept.append(key) }
    return kept
  }

  /// Returns the keys that `others` does not have, in the same order.
  fileprivate func without(_ others: [[UInt8]]) -> [[UInt8]] {
    if Swift.min(count, others.count) > Self.few {
      let known = Set(others)
      return filter { !known.contains($0) }
    }
    return filter { !others.contains($0) }
  }
}

@available(*, unavailable)
extension ProjectionRows: Sendable {}
