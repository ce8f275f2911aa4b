package import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// Reads the tables of a store inside one transaction, and checks every byte it uses.
package struct StoreReader: ~Escapable {
  package let view: TransactionView
  package let tables: StoreTables

  @_lifetime(copy view)
  package init(_ view: TransactionView, _ tables: StoreTables) {
    self.view = view
    self.tables = tables
  }
}

extension StoreReader {
  /// The position of the newest entry; 0 in an empty log.
  ///
  /// - Throws: `damaged` for an entry at a position that no entry has.
  package func last() throws(AnnalsError) -> UInt64 {
    let last: UInt64
    do throws(EnvironmentError) { last = try view.lastKey(in: tables.entries) ?? 0 } catch {
      throw AnnalsError(error)
    }
    guard last <= FormatRange.maximum else {
      throw AnnalsError(
        .damaged, "table 'entries' ends at position \(last), which no log can reach; run 'annals verify'",
        details: AnnalsError.Details { $0.table = "entries" })
    }
    return last
  }

  /// A cursor before the first entry.
  @_lifetime(copy self)
  package func entriesCursor() throws(AnnalsError) -> IntegerCursor {
    try cursor(in: tables.entries)
  }

  /// A cursor before the first row of a table with integer keys.
  @_lifetime(copy self)
  package func cursor(in table: Table) throws(AnnalsError) -> IntegerCursor {
    do { return try view.integerCursor(in: table) } catch { throw AnnalsError(error) }
  }

  /// A cursor before the first row of `streams`.
  @_lifetime(copy self)
  package func streamsCursor() throws(AnnalsError) -> Cursor {
    do { return try view.cursor(in: tables.streams) } catch { throw AnnalsError(error) }
  }

  /// The bytes of the entry at `position`, whose absence is damage.
  @_lifetime(copy self)
  package func bytes(at position: Position) throws(AnnalsError) -> Span<UInt8> {
    do throws(EnvironmentError) {
      if let found = try view.value(forKey: position.rawValue, in: tables.entries) { return found }
    } catch {
      throw AnnalsError(error)
    }
    throw AnnalsError(missing: position)
  }

  /// The header of the entry at `position` with these bytes.
  package func header(_ bytes: Span<UInt8>, at position: Position) throws(AnnalsError) -> EntryHeader {
    do { return try EntryHeader(bytes, at: position) } catch { throw AnnalsError(error, at: position) }
  }
}

extension StoreReader {
  /// The row of `table` under a number, read by `parse`; `nil` if there is none.
  package func row<Value>(
    _ key: UInt64, in table: Table, _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value? {
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key, in: table) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    return try Self.open(stored, key: key, in: table, parse)
  }

  /// The row of `table` under a text, read by `parse`; `nil` if there is none.
  package func row<Value>(
    _ key: String, in table: Table, _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value? {
    let utf8 = key.utf8
    let bytes = utf8.span
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: bytes, in: table) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    return try Self.open(stored, key: bytes, name: "key '\(key)'", in: table, parse)
  }

  /// The value of a row under a number, after comparing its checksum.
  package static func open<Value>(
    _ stored: Span<UInt8>, key: UInt64, in table: Table,
    _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value {
    do throws(FormatFailure) {
      return try parse(stored.extracting(try Row.open(stored, key: key)))
    } catch {
      let table = table.definition.name
      throw AnnalsError(error, place: "table '\(table)', key \(key)", table: table)
    }
  }

  /// The value of a row, after comparing its checksum.
  package static func open<Value>(
    _ stored: Span<UInt8>, key: Span<UInt8>, name: @autoclosure () -> String, in table: Table,
    _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value {
    do throws(FormatFailure) {
      return try parse(stored.extracting(try Row.open(stored, key: key)))
    } catch {
      let table = table.definition.name
      throw AnnalsError(error, place: "table '\(table)', \(name())", table: table)
    }
  }
}

extension AnnalsError {
  /// The error for an entry at `position` whose bytes are damaged.
  @inline(never)
  init(_ failure: FormatFailure, at position: Position) {
    self.init(failure, place: "position \(position)", position: position)
  }

  /// The error for a missing entry at `position`.
  package init(missing position: Position) {
    self.init(
      .damaged, "position \(position): the entry is missing; run 'annals verify' and restore from a backup",
      details: Details {
        $0.position = position
        $0.problem = "the entry at position \(position) is missing"
      })
  }

  /// The error for an entry at `position` that is not the expected one.
  init(wrongEntry position: Position, expected: String, found: String) {
    self.init(
      .damaged,
      "position \(position): expected \(expected), found \(found); run 'annals verify' and restore from a backup",
      details: Details {
        $0.position = position
        $0.problem = "the entry at position \(position) is not \(expected) but \(found)"
      })
  }
}

extension IntegerCursor {
  /// The next row; `nil` at the end.
  @_lifetime(copy self)
  package mutating func nextRow() throws(AnnalsError) -> IntegerRow? {
    do { return try next() } catch { throw AnnalsError(error) }
  }
}

extension Cursor {
  /// The next row; `nil` at the end.
  @_lifetime(copy self)
  package mutating func nextRow() throws(AnnalsError) -> LMDB.Row? {
    do { return try next() } catch { throw AnnalsError(error) }
  }
}
