import CLMDB

extension Environment {
  /// How often a copy begins again because another process has let the file grow.
  private static let copies = 5

  /// Writes what the newest commit holds into `file`, without the pages that nothing uses.
  ///
  /// Others may write meanwhile: the copy is of one state. It is not durable before the file is synchronized. Pages are copied as they are, so that damage
  /// in them is copied or ends the copy; check the pages of a file from elsewhere first.
  ///
  /// - Parameter file: An empty file that nobody else writes.
  /// - Throws: ``EnvironmentError``; what is in the file then is worth nothing.
  /// - Complexity: O(pages in use). A reader's place is taken as long as it lasts.
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
