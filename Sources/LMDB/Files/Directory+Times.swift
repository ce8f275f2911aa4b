import CLMDB

// The times of files, by which unused ones are recognised.
extension Directory {
  /// Returns the time of the last change of a file's contents, in microseconds since 1970.
  ///
  /// - Returns: `nil` if no item has the name.
  public func time(of name: String) throws(StoreFileError) -> Int64? {
    do {
      return try system("fstatat", name) { unsafe lmdb_file_time(descriptor, name) }
    } catch .missing {
      return nil
    }
  }

  /// Gives a file another time.
  ///
  /// - Parameter seconds: The time in seconds since 1970; `nil` for the present time.
  public func setTime(of name: String, to seconds: Int64?) throws(StoreFileError) {
    try system("utimensat", name) { unsafe lmdb_set_file_time(descriptor, name, seconds ?? -1) }
  }
}

extension File {
  /// Lets this empty file share the blocks of `source`, as file systems with reflinks can.
  ///
  /// - Returns: Whether the system could; if not, the file is still empty.
  public func share(blocksOf source: borrowing File) -> Bool {
    lmdb_share_blocks(descriptor, source.descriptor) == 0
  }
}
