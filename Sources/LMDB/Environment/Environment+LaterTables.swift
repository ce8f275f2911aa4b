import CLMDB
import Synchronization

// Tables that are added to a file after its creation.
extension Environment {
  /// Returns an optional table of the file, if it is open.
  public func later(_ name: String) -> Table? {
    laterTables.withLock { tables in tables.first { $0.definition.name == name } }
  }

  /// The optional tables of the file that are open.
  public var openLaterTables: [Table] { laterTables.withLock { $0 } }

  /// Opens an optional table of the file, for transactions that begin afterwards.
  ///
  /// - Parameter definition: A definition from the list with which the environment was opened.
  /// - Returns: `nil` if the file has no such table.
  public func open(later definition: TableDefinition) throws(EnvironmentError) -> Table? {
    if let table = later(definition.name) { return table }
    guard options.laterTables.contains(definition) else { return nil }
    return try openingLater.withLock { (isCreating) throws(EnvironmentError) -> Table? in
      if let table = later(definition.name) { return table }
      // Before its commit the table does not exist.
      if isCreating { return nil }
      try mustBeOwn()
      var begun: OpaquePointer?
      try check(unsafe begin(UInt32(MDB_RDONLY), &begun), "mdb_txn_begin")
      defer { gate.leave() }
      guard let pointer = unsafe begun else {
        throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_txn_begin"))
      }
      let table: Table?
      do throws(EnvironmentError) {
        table = try unsafe TableOpening.open(later: definition, in: pointer, create: false, file: name)
      } catch {
        unsafe mdb_txn_abort(pointer)
        throw error
      }
      // A commit, because an abort would close the table again.
      try unsafe check(mdb_txn_commit(pointer), "mdb_txn_commit")
      if let table { laterTables.withLock { $0.append(table) } }
      return table
    }
  }

  /// Creates an optional table of the file in a durable transaction of its own, and opens it for transactions
  /// that begin afterwards.
  ///
  /// - Parameters:
  ///   - definition: A definition from the list with which the environment was opened.
  ///   - turn: The right to write.
  public func create(
    later definition: TableDefinition, _ turn: consuming Turn
  ) throws(EnvironmentError) -> Table {
    guard options.laterTables.contains(definition) else { throw .openedOtherwise(file: name) }
    if let table = try open(later: definition) { return table }
    openingLater.withLock { $0 = true }
    defer { openingLater.withLock { $0 = false } }
    let transaction = try beginWrite(turn)
    let made: Table
    let pointer = unsafe transaction.handle.pointer
    do throws(EnvironmentError) {
      guard let table = try unsafe TableOpening.open(later: definition, in: pointer, create: true, file: name)
      else { throw .lmdb(LMDBError(code: MDB_NOTFOUND, function: "mdb_dbi_open")) }
      made = table
    } catch {
      transaction.abort()
      throw error
    }
    try transaction.commit()
    laterTables.withLock { $0.append(made) }
    return made
  }
}
