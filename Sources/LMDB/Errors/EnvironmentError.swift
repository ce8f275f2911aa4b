/// The reason why an environment, a transaction or an access to a table failed.
public enum EnvironmentError: Error, Hashable, Sendable {
  /// LMDB returned a code that has no case of its own. Nothing was committed.
  case lmdb(LMDBError)
  /// A file of the store is not valid.
  case file(StoreFileError)
  /// The commit failed and nothing of the transaction is stored. The environment remains usable.
  case notCommitted(LMDBError)
  /// The commit failed while the meta page was written: only a later transaction shows whether it is stored.
  /// The environment was reopened, unless readers or another failure prevented it.
  case panicked(LMDBError)
  /// The commit was made while a file of the store was removed or replaced: another writer may have started
  /// and may overwrite it.
  case unconfirmed(StoreFileError)
  /// Live processes have all reader slots.
  case tooManyReaders(max: Int)
  /// A write was requested from an environment that is open for reading.
  case readOnly
  /// The file is open in this process with other tables, or only for reading.
  case openedOtherwise(file: String)
  /// The version of liblmdb in use destroys locks that other processes hold.
  case unsafeLibrary(version: String)
  /// A key is empty, or longer than 511 bytes.
  case keySize(Int)
  /// A byte key was used with a table of numbers, or the other way round.
  case keyKind(table: String)
  /// A value is longer than ``WriteTransaction/maximumValueCount``.
  case valueSize(Int)
  /// An appended key is not higher than the table's last one.
  case orderBroken(table: String, key: UInt64)
  /// Another writer has started: the transaction's number is not the next one.
  case wrongTransactionID(expected: UInt64, found: UInt64)

  /// The underlying code of LMDB, if there is one.
  public var code: Int32? {
    switch self {
    case .lmdb(let error), .notCommitted(let error), .panicked(let error): error.code
    default: nil
    }
  }
}

/// Calls `body`, and converts its file errors to errors of the environment.
func files<R: ~Copyable>(_ body: () throws(StoreFileError) -> R) throws(EnvironmentError) -> R {
  do { return try body() } catch { throw .file(error) }
}
