import CLMDB

/// The opening of all tables of an environment in its first transaction.
struct TableOpening {
  let definitions: [TableDefinition]
  /// The optional tables.
  var later: [TableDefinition] = []
  let create: Bool
  let file: String
  /// The treatment of a commit whose number was not published.
  var settling = Settling.none

  /// The treatment, by an opener that excludes writers, of a commit whose writer was killed before it
  /// published the number.
  ///
  /// Such a writer has written its meta page but not the number in the lock file (`mti_txnid`), by which LMDB
  /// finds the meta page. LMDB itself repairs that when the next write transaction takes the dead writer's
  /// mutex. Until then every snapshot is the previous one.
  enum Settling {
    /// Does nothing: a writer may be active.
    case none
    /// Takes the mutex.
    case mend
    /// Uses the previous snapshot, because an environment open for reading cannot take the mutex. The commit
    /// was never acknowledged.
    case accept
    /// Uses any snapshot, in tests that show the purpose of the others.
    case ignore
  }

  /// Opens the tables, or creates them durably.
  ///
  /// - Parameter transaction: The lowest possible number of the last commit.
  /// - Returns: The tables, and the optional tables that exist.
  /// - Throws: `wrongTransactionID` if LMDB reads an older state than the file has; `lockFileDamaged` if it
  ///   would search for a newer one; `damaged` for a table that is missing or has other flags.
  func run(
    in environment: EnvironmentHandle, atLeast transaction: UInt64
  ) throws(EnvironmentError) -> (tables: [Table], later: [Table]) {
    // Read before the transaction begins: another process may commit after it.
    var info = unsafe MDB_envinfo()
    try unsafe check(mdb_env_info(environment.pointer(), &info), "mdb_env_info")
    let expected = unsafe max(UInt64(bitPattern: Int64(info.me_last_txnid)), transaction)
    if settling == .mend { try takeMutex(of: environment) }
    var begun: OpaquePointer?
    let flags = create ? 0 : UInt32(MDB_RDONLY)
    let code = try unsafe mdb_txn_begin(environment.pointer(), nil, flags, &begun)
    if code == MDB_READERS_FULL { throw .tooManyReaders(max: unsafe Int(info.me_maxreaders)) }
    try check(code, "mdb_txn_begin")
    guard let pointer = unsafe begun else {
      throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_txn_begin"))
    }
    var (tables, later): ([Table], [Table]) = ([], [])
    do throws(EnvironmentError) {
      if !create {
        let found = unsafe UInt64(bitPattern: Int64(mdb_txn_id(pointer)))
        // Read after the begin: a commit publishes its number after its meta page. A higher number is from a
        // lock file that a process still uses for another file that had this name.
        try unsafe check(mdb_env_info(environment.pointer(), &info), "mdb_env_info")
        let newest = unsafe UInt64(bitPattern: Int64(info.me_last_txnid))
        guard found <= newest || settling == .ignore else {
          throw .file(.lockFileDamaged(file: file + "-lock"))
        }
        guard found >= expected || settling == .ignore || (settling == .accept && found == expected - 1)
        else {
          throw .wrongTransactionID(expected: expected, found: found)
        }
      }
      for definition in definitions { tables.append(try unsafe open(definition, in: pointer)) }
      for definition in self.later {
        if let table = try unsafe Self.open(later: definition, in: pointer, create: false, file: file) {
          later.append(table)
        }
      }
    } catch {
      unsafe mdb_txn_abort(pointer)
      throw error
    }
    // A commit even if it only read, because an abort would close the tables again.
    try unsafe check(mdb_txn_commit(pointer), "mdb_txn_commit")
    return (tables, later)
  }

  /// Begins a write transaction and drops it, so that LMDB cleans up after a writer that was killed.
  private func takeMutex(of environment: EnvironmentHandle) throws(EnvironmentError) {
    var begun: OpaquePointer?
    try unsafe check(mdb_txn_begin(environment.pointer(), nil, 0, &begun), "mdb_txn_begin")
    if let transaction = unsafe begun { unsafe mdb_txn_abort(transaction) }
  }

  private func open(
    _ definition: TableDefinition, in transaction: OpaquePointer
  ) throws(EnvironmentError) -> Table {
    guard let table = try unsafe Self.open(later: definition, in: transaction, create: create, file: file)
    else { throw Self.damage("the table \(definition.name) is missing", file) }
    return table
  }

  /// Opens one table, or creates it; `nil` if it does not exist.
  static func open(
    later definition: TableDefinition, in transaction: OpaquePointer, create: Bool, file: String
  ) throws(EnvironmentError) -> Table? {
    let wanted = UInt32(definition.integerKeys ? MDB_INTEGERKEY : 0)
    var number: MDB_dbi = 0
    let code = unsafe mdb_dbi_open(
      transaction, definition.name, create ? wanted | UInt32(MDB_CREATE) : 0, &number)
    if code == MDB_NOTFOUND { return nil }
    if code == MDB_INCOMPATIBLE { throw damage("the table \(definition.name) is missing", file) }
    try check(code, "mdb_dbi_open")
    var flags: UInt32 = 0
    try unsafe check(mdb_dbi_flags(transaction, number, &flags), "mdb_dbi_flags")
    guard flags == wanted else {
      throw damage("the table \(definition.name) has flags \(flags), not \(wanted)", file)
    }
    return Table(definition: definition, number: number)
  }

  private static func damage(_ reason: String, _ file: String) -> EnvironmentError {
    // The place of the main table's record of it is unknown without its pages; the meta pages lead there.
    .file(.damaged(file: file, reason: reason, offset: 0))
  }
}
