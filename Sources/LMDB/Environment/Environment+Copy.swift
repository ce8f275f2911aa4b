import CLMDB

extension Environment {
  /// The number of times that a copy starts again because another process has grown the file.
  private static let copies = 5

  /// Writes the contents of the newest commit into `file`, without unused pages.
  ///
  /// Other transactions may write meanwhile: the copy is of one state. It is not durable before the file is
  /// synchronized. Pages are copied unchanged, so damage in them is copied or ends the copy; check the pages
  /// of a file from elsewhere first.
  ///
  /// - Parameter file: An empty file that nothing else writes.
  /// - Throws: ``EnvironmentError``; the contents of the file are then useless.
  /// - Complexity: O(pages in use). A reader slot is in use until it ends.
  public func copy(to file: borrowing File) throws(EnvironmentError) {
    for attempt in 1...Self.copies {
      // LMDB's copy begins a transaction of its own, and does not take a larger map by itself; this one does.
      try beginRead().end()
      let code = try inside { () throws(EnvironmentError) in
        unsafe mdb_env_copyfd2(try pointer(), file.descriptor, UInt32(MDB_CP_COMPACT))
      }
      if code == MDB_MAP_RESIZED, attempt < Self.copies { continue }
      return try check(code, "mdb_env_copyfd2")
    }
  }
}
