import CBareLMDB

/// A bare environment of liblmdb in one file, closed when this ends.
///
/// `@unchecked Sendable`: the pointer is a constant, and liblmdb allows calls on an environment from every
/// thread. MDB_NOTLS frees its read transactions from their thread; a write transaction begins and ends in
/// one synchronous call.
@safe
final class LMDBEnvironment: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Opens the file at `path` with `flags`, besides those that every environment here has.
  init(path: String, flags: Int32, mapSize: Int) throws(LMDBFailure) {
    var created: OpaquePointer?
    try unsafe LMDBFailure.check(mdb_env_create(&created), "mdb_env_create")
    guard let created = unsafe created else { throw LMDBFailure(code: MDB_PANIC, function: "mdb_env_create") }
    unsafe pointer = created
    // From here on `deinit` closes the environment, also after a throw.
    try unsafe LMDBFailure.check(mdb_env_set_mapsize(pointer, mapSize), "mdb_env_set_mapsize")
    try unsafe LMDBFailure.check(mdb_env_set_maxdbs(pointer, 16), "mdb_env_set_maxdbs")
    try unsafe LMDBFailure.check(
      mdb_env_open(pointer, path, UInt32(MDB_NOSUBDIR | MDB_NOTLS | flags), 0o600), "mdb_env_open")
  }

  deinit {
    unsafe mdb_env_close(pointer)
  }

  /// Runs `body` in a transaction, which is committed when it returns and aborted when it throws.
  @inline(__always)
  func transaction<Result>(
    flags: Int32 = 0, _ body: (OpaquePointer) throws(LMDBFailure) -> Result
  ) throws(LMDBFailure) -> Result {
    var begun: OpaquePointer?
    try unsafe LMDBFailure.check(mdb_txn_begin(pointer, nil, UInt32(flags), &begun), "mdb_txn_begin")
    guard let begun = unsafe begun else { throw LMDBFailure(code: MDB_BAD_TXN, function: "mdb_txn_begin") }
    let result: Result
    do throws(LMDBFailure) { result = try unsafe body(begun) } catch {
      unsafe mdb_txn_abort(begun)
      throw error
    }
    try unsafe LMDBFailure.check(mdb_txn_commit(begun), "mdb_txn_commit")
    return result
  }

  /// Writes what is in use into a new file at `path`.
  func copy(to path: String) throws(LMDBFailure) {
    try unsafe LMDBFailure.check(mdb_env_copy2(pointer, path, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2")
  }
}
