package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
package import AnnalsStore
internal import LMDB

/// Compares the rows of an inline projection with a fold of the whole log.
struct InlineCheck {
  private let set: InlineSet
  private let member: Int

  init(_ set: InlineSet, member: Int) {
    self.set = set
    self.member = member
  }

  /// Checks one version in a snapshot.
  ///
  /// - Returns: A description of the difference; `nil` if there is none.
  /// - Complexity: O(entries), and the memory of all rows.
  func difference(_ row: RuleRow, _ snapshot: borrowing LogSnapshot) throws(AnnalsError) -> String? {
    guard let table = snapshot.generation.inline else { return "the table 'inline' is missing" }
    let reader = snapshot.reader
    let expected = try fold(upTo: row.folded, snapshot, table)
    var count = 0
    var cursor: Cursor
    do throws(EnvironmentError) { cursor = try reader.view.cursor(in: table) } catch {
      throw AnnalsError(error)
    }
    let prefix = row.keyPrefix
    var found = try seek(prefix, &cursor)
    while let stored = found {
      let key = stored.key.copied
      guard key.starts(with: prefix) else { break }
      let opened = try open(stored.value, key)
      guard let value = expected[Array(key.dropFirst(prefix.count))] else {
        return "a row is stored that the log does not give"
      }
      guard var opened else { return "a row is not what was stored" }
      // An entry of a secondary key leads to the whole key of its row.
      if !set.members[member].outline.spaces.contains(key[prefix.count]) { opened.removeFirst(prefix.count) }
      guard value == opened else { return "a row differs from the one that the log gives" }
      count += 1
      found = try cursor.nextRow()
    }
    return count == expected.count ? nil : "\(expected.count - count) rows are missing that the log gives"
  }

  @_lifetime(copy cursor)
  private func seek(_ key: [UInt8], _ cursor: inout Cursor) throws(AnnalsError) -> LMDB.Row? {
    do throws(EnvironmentError) { return try cursor.seek(key.span) } catch { throw AnnalsError(error) }
  }

  private func open(_ value: Span<UInt8>, _ key: [UInt8]) throws(AnnalsError) -> [UInt8]? {
    do throws(FormatFailure) {
      return value.extracting(try Row.open(value, key: key.span)).copied
    } catch {
      return nil
    }
  }

  /// Folds the log up to a position, in memory.
  private func fold(
    upTo last: UInt64, _ snapshot: borrowing LogSnapshot, _ table: Table
  ) throws(AnnalsError) -> [[UInt8]: [UInt8]] {
    let room = set.room()
    let past = StoredPast(
      snapshot.generation.environment, snapshot.generation.tables, snapshot.kinds, log: set.log, set.reach)
    let upcaster = Upcaster(reach: set.reach, kinds: snapshot.kinds, log: set.log, past: past)
    // No version has the number 0, so nothing is found in the file.
    let source = RowSource(
      snapshot.reader.view, table, prefix: RuleRow.keyPrefix(0), name: set.members[member].outline.name)
    var next: UInt64 = 1
    while next <= last {
      let end = min(next + 4_095, last)
      room.clear()
      try room.upcast(next...end, upcaster, snapshot.reader)
      try room.apply(member: member, source)
      next = end + 1
    }
    return try room.stagings[member].encoded(without: 2)
  }
}

extension RowStaging {
  /// Returns all staged rows and entries of secondary keys, by their keys without the first bytes.
  func encoded(without prefix: Int) throws(AnnalsError) -> [[UInt8]: [UInt8]] {
    var all: [[UInt8]: [UInt8]] = [:]
    for table in tables {
      let keys = table.keys
      for number in 0..<keys.count {
        var value: [UInt8] = []
        let isThere: Bool
        do throws(CodingFailure) { isThere = try table.encode(number, into: &value) } catch {
          throw AnnalsError(.malformed, "a row of '\(table.outline.name)' has no encoding: \(error)")
        }
        if isThere { all[Array(keys[number].copied.dropFirst(prefix))] = value }
      }
    }
    let entries = keys.keys
    for number in 0..<entries.count {
      guard let value = keys.values[number] else { continue }
      all[Array(entries[number].copied.dropFirst(prefix))] = Array(value.dropFirst(prefix))
    }
    return all
  }
}

extension EventStore {
  /// Compares the rows of the store's inline projections with a fold of the whole log.
  ///
  /// - Returns: A description of the difference for each projection that has one; empty if all agree.
  /// - Complexity: O(entries) for each projection, and the memory of its rows.
  package func differencesOfInlineRows() throws(AnnalsError) -> [String] {
    guard let inline else { return [] }
    try log.core.generation.openInline()
    return try log.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.reader.ruleRows()
      var lines: [String] = []
      for member in inline.members.indices {
        guard let row = inline.row(of: member, inForceIn: rows) else {
          if inline.members[member].isRetiring { continue }
          lines.append("the inline projection '\(inline.members[member].outline.name)' has no rows")
          continue
        }
        if let difference = try InlineCheck(inline, member: member).difference(rows[row], snapshot) {
          lines.append("the inline projection '\(inline.members[member].outline.name)': \(difference)")
        }
      }
      return lines
    }
  }
}
