import CBareLMDB

/// A file of LMDB that nobody has open, looked at with liblmdb itself.
enum LMDBFile {
  /// The bytes of the leaf, branch and overflow pages of all tables, including the main one.
  static func bytesStored(at path: String) throws(LMDBFailure) -> Int {
    // Without a map size of its own, LMDB takes the one that the file names.
    let environment = try LMDBEnvironment(path: path, flags: MDB_RDONLY | MDB_NOLOCK, mapSize: 0)
    return try unsafe environment.transaction(flags: MDB_RDONLY) { (transaction) throws(LMDBFailure) in
      var main: MDB_dbi = 0
      try unsafe LMDBFailure.check(mdb_dbi_open(transaction, nil, 0, &main), "mdb_dbi_open")
      var bytes = try unsafe self.bytes(of: main, transaction)
      for name in try unsafe names(in: main, transaction) {
        var table: MDB_dbi = 0
        try unsafe LMDBFailure.check(mdb_dbi_open(transaction, name, 0, &table), "mdb_dbi_open")
        bytes += try unsafe self.bytes(of: table, transaction)
      }
      return bytes
    }
  }

  private static func bytes(of table: MDB_dbi, _ transaction: OpaquePointer) throws(LMDBFailure) -> Int {
    var stat = MDB_stat()
    try unsafe LMDBFailure.check(mdb_stat(transaction, table, &stat), "mdb_stat")
    return Int(stat.ms_psize) * (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages)
  }

  /// The keys of the main table, which are the names of all others.
  private static func names(
    in main: MDB_dbi, _ transaction: OpaquePointer
  ) throws(LMDBFailure) -> [String] {
    var opened: OpaquePointer?
    try unsafe LMDBFailure.check(mdb_cursor_open(transaction, main, &opened), "mdb_cursor_open")
    guard let cursor = unsafe opened else {
      throw LMDBFailure(code: MDB_BAD_TXN, function: "mdb_cursor_open")
    }
    defer { unsafe mdb_cursor_close(cursor) }
    var names: [String] = []
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    while true {
      let code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      if code == MDB_NOTFOUND { return names }
      try LMDBFailure.check(code, "mdb_cursor_get")
      let name = unsafe UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      names.append(unsafe String(decoding: name, as: UTF8.self))
    }
  }
}
