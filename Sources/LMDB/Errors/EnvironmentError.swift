/// Why an environment, a transaction or an access to a table failed.
public enum EnvironmentError: Error, Hashable, Sendable {
  /// LMDB returned a code that has no case of its own. Nothing was committed.
  case lmdb(LMDBError)
  /// A file of the store is not as it must be.
  case file(StoreFileError)
  /// The commit failed and nothing of the transaction is stored. The environment goes on.
  case notCommitted(LMDBError)
  /// The commit failed while the meta page was written: only ``Environment/reopen(within:)`` lets one see what is stored.
  case panicked(LMDBError)
  /// The commit was made while a file of the store was removed or replaced: another writer may have been let in and write over it.
  case unconfirmed(StoreFileError)
  /// Every reader's slot is taken by a live process.
  case tooManyReaders(max: Int)
  /// Writing was asked of what was opened for reading.
  case readOnly
  /// The file is open in this process with other tables, or only for reading.
  case openedOtherwise(file: String)
  /// The version of liblmdb in use destroys locks that other processes hold.
  case unsafeLibrary(version: String)
  /// A key is empty, or longer than 511 bytes.
  case keySize(Int)
  /// A key of bytes was used with a table of numbers, or the other way round.
  case keyKind(table: String)
  /// A value is longer than ``WriteTransaction/maximumValueCount``.
  case valueSize(Int)
  /// An appended key is not above the table's last one.
  case orderBroken(table: String, key: UInt64)
  /// Another writer has been let in: the transaction's number is not the one after the last.
  case wrongTransactionID(expected: UInt64, found: UInt64)

  /// The code of LMDB inside, if there is one.
  public var code: Int32? {
    switch self {
    case .lmdb(let error), .notCommitted(let error), .panicked(let error): error.code
    default: nil
    }
  }
}

/// Runs `body`, whose file errors become errors of the environment.
func files<R: ~Copyable>(_ body: () throws(StoreFileError) -> R) throws(EnvironmentError) -> R {
  do { return try body() } catch { throw .file(error) }
}
