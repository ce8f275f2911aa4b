internal import LMDB

/// The rows of a projection while it folds, lent to ``Projection/apply(_:to:)``.
///
/// What is put and removed is read back at once, and stored with the checkpoint of the batch, as a whole or not at all.
public struct ProjectionRows: ~Copyable, ~Escapable, ReadableRows {
  let staging: RowStaging
  let source: RowSource

  @_lifetime(copy source)
  init(_ staging: RowStaging, _ source: RowSource) {
    self.staging = staging
    self.source = source
  }

  /// What queries are asked of: what is stored, and what was changed since.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, staging.outline, staging) }
  }

  /// The row of a key; `nil` where there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is no table of the projection, `tooLarge` for a key of more than 500 bytes, `damaged` or `inputOutput`.
  /// - Complexity: One look-up in memory for a row that was met lately, else one in the file.
  public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    let (table, space) = try staging.table(of: type)
    return table.rows[try number(of: key, in: table, space)]
  }

  /// Puts a row in the place of the one with its key, if there is one.
  ///
  /// - Throws: As ``get(_:_:)``; `conflict` where another row has a unique secondary key of it.
  /// - Complexity: A table with secondary keys reads the row before.
  public mutating func put<R: ProjectionRow>(_ row: R) throws(AnnalsError) {
    let (table, space) = try staging.table(of: R.self)
    // Without secondary keys nobody asks what was there before.
    let number =
      table.outline.keys.isEmpty
      ? try staged(row.key, in: table, space).number : try number(of: row.key, in: table, space)
    try replace(number, in: table, space, by: row)
  }

  /// Removes the row of a key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``get(_:_:)``.
  @discardableResult
  public mutating func delete<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> Bool {
    let (table, space) = try staging.table(of: type)
    let number = try number(of: key, in: table, space)
    guard table.rows[number] != nil else { return false }
    try replace(number, in: table, space, by: nil)
    return true
  }

  /// Changes the row of a key, which begins as `initial` where there is none.
  ///
  /// ```swift
  /// try rows.update(Author.self, commit.author, initial: Author(name: commit.author, commits: 0)) { $0.commits += 1 }
  /// ```
  ///
  /// - Throws: As ``put(_:)``, and what `body` throws; `wrongUse` where the row gets another key.
  public mutating func update<R: ProjectionRow>(
    _ type: R.Type, _ key: R.Key, initial: @autoclosure () -> R, _ body: (inout R) throws -> Void
  ) throws {
    let (table, space) = try staging.table(of: type)
    let number = try number(of: key, in: table, space)
    var row = table.rows[number] ?? initial()
    try body(&row)
    try mustHave(number, in: table, space, row)
    try replace(number, in: table, space, by: row)
  }
}

// Rows in memory.
extension ProjectionRows {
  /// The bytes that every key of a space begins with.
  private func begin(space: UInt8) -> RowKeyBytes {
    var bytes = RowKeyBytes()
    bytes.bytes = source.prefix
    bytes.append(space)
    return bytes
  }

  /// The number of a key, whose row may not have been looked up.
  private func staged<R: ProjectionRow>(
    _ key: R.Key, in table: StagedTable<R>, _ space: UInt8
  ) throws(AnnalsError) -> (number: Int, isNew: Bool) {
    table.room.bytes.removeAll(keepingCapacity: true)
    if !source.prefix.isEmpty { table.room.bytes += source.prefix }
    table.room.append(space)
    key.encode(into: &table.room)
    try mustFit(table.room.bytes.count - source.prefix.count, "a row of '\(table.outline.name)'")
    let key = table.room.bytes
    let found = table.keys.number(of: key.span)
    if found.isNew {
      table.rows.append(nil)
      table.isChanged.append(false)
    }
    return found
  }

  /// The number of a key whose row is in memory, or known not to be.
  private func number<R: ProjectionRow>(
    of key: R.Key, in table: StagedTable<R>, _ space: UInt8
  ) throws(AnnalsError) -> Int {
    let (number, isNew) = try staged(key, in: table, space)
    if isNew { try load(number, in: table) }
    return number
  }

  private func load<R: ProjectionRow>(_ number: Int, in table: StagedTable<R>) throws(AnnalsError) {
    let keys = table.keys
    guard let stored = try source.value(of: keys[number]) else { return }
    table.rows[number] = try source.decode(stored)
  }

  private func mustFit(_ count: Int, _ what: @autoclosure () -> String) throws(AnnalsError) {
    guard count > RowStaging.keyLimit else { return }
    throw AnnalsError(
      .tooLarge,
      "the projection '\(source.name)': \(what()) has a key of \(count) bytes, and the most are \(RowStaging.keyLimit); take a shorter one, such as a hash of it"
    )
  }

  private func mustHave<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>, _ space: UInt8, _ row: R
  ) throws(AnnalsError) {
    var whole = begin(space: space)
    row.key.encode(into: &whole)
    let (known, found) = (table.keys, whole.bytes)
    guard !known[number].isEqual(to: found.span) else { return }
    throw AnnalsError(
      .wrongUse,
      "the projection '\(source.name)': an update gave a row of '\(table.outline.name)' another key: delete the old row and put the new one"
    )
  }

  /// Sets or removes the row of a number, and what leads to it.
  private mutating func replace<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>, _ space: UInt8, by row: R?
  ) throws(AnnalsError) {
    if !table.outline.keys.isEmpty { try rekey(number, in: table, space, to: row) }
    table.rows[number] = row
    table.change(number)
  }
}

// Secondary keys.
extension ProjectionRows {
  /// The row's key that an entry leads to; `nil` where there is no entry.
  private func entry(_ key: [UInt8]) throws(AnnalsError) -> [UInt8]? {
    if let staged = staging.keys.staged(key.span) { return staged }
    return try source.value(of: key.span)?.copied
  }

  /// Takes out the entries that led to the row of a number, and puts those that lead to its successor.
  private mutating func rekey<R: ProjectionRow>(
    _ number: Int, in table: StagedTable<R>, _ space: UInt8, to row: R?
  ) throws(AnnalsError) {
    let known = table.keys
    let primary = known[number].copied
    let before = try entries(of: table.rows[number], primary, in: table, space)
    let after = try entries(of: row, primary, in: table, space)
    // All are looked at before any is changed.
    for (index, keys) in after.enumerated() where table.outline.keys[index].isUnique {
      for key in keys where !before[index].contains(key) {
        guard let other = try entry(key), other != primary else { continue }
        throw AnnalsError(
          .conflict,
          "the projection '\(source.name)': two rows of '\(table.outline.name)' have the same '\(table.outline.keys[index].name)', which is unique"
        )
      }
    }
    for (old, new) in zip(before, after) {
      for key in old where !new.contains(key) { staging.keys.set(key.span, to: nil) }
      for key in new where !old.contains(key) { staging.keys.set(key.span, to: primary) }
    }
  }

  /// By secondary key, the whole keys of the entries that lead to a row.
  private func entries<R: ProjectionRow>(
    of row: R?, _ primary: [UInt8], in table: StagedTable<R>, _ space: UInt8
  ) throws(AnnalsError) -> [[[UInt8]]] {
    guard let row else { return table.outline.keys.map { _ in [] } }
    var all: [[[UInt8]]] = []
    for (index, declared) in R.secondaryKeys.enumerated() {
      var entries: [[UInt8]] = []
      for key in declared.keys(of: row) {
        var whole = begin(space: space + UInt8(index + 1)).bytes + key.bytes
        // Behind the space, whose byte the entry's own stands for.
        if !declared.isUnique { whole += primary[(source.prefix.count + 1)...] }
        try mustFit(
          whole.count - source.prefix.count, "the key '\(declared.name)' of '\(table.outline.name)'")
        if !entries.contains(whole) { entries.append(whole) }
      }
      all.append(entries)
    }
    return all
  }
}

@available(*, unavailable)
extension ProjectionRows: Sendable {}
