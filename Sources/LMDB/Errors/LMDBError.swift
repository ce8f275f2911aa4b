import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A return code of LMDB other than success.
public struct LMDBError: Error, Hashable, Sendable {
  /// LMDB's own number (negative), or an `errno` (positive).
  public let code: Int32

  /// The name of the C function that returned the code.
  public let function: String

  /// Creates the error with this number, returned by this function.
  public init(code: Int32, function: String) {
    self.code = code
    self.function = function
  }

  /// LMDB's own message for the code.
  public var message: String { unsafe String(cString: mdb_strerror(code)) }
}

extension LMDBError: CustomStringConvertible {
  /// The function, LMDB's message and the number.
  public var description: String { "\(function): \(message) (\(code))" }
}

extension LMDBError {
  /// The key does not exist, or the cursor is past the end.
  public static let notFound = MDB_NOTFOUND
  /// The key already exists, or an appended key is not higher than the last one.
  public static let keyExists = MDB_KEYEXIST
  /// A page that another page points to is beyond the end of the data.
  public static let pageNotFound = MDB_PAGE_NOTFOUND
  /// A page does not have the expected type.
  public static let corrupted = MDB_CORRUPTED
  /// A meta page could not be written; only opening the environment again helps.
  public static let panic = MDB_PANIC
  /// The file was written by another version of LMDB.
  public static let versionMismatch = MDB_VERSION_MISMATCH
  /// The file is not an LMDB file.
  public static let invalid = MDB_INVALID
  /// The data would outgrow the map.
  public static let mapFull = MDB_MAP_FULL
  /// All reader slots are in use.
  public static let readersFull = MDB_READERS_FULL
  /// The transaction has too many changed pages.
  public static let transactionFull = MDB_TXN_FULL
  /// Another process has grown the data beyond this process's map.
  public static let mapResized = MDB_MAP_RESIZED
  /// A table's flags do not match the call.
  public static let incompatible = MDB_INCOMPATIBLE
  /// An earlier call in the transaction failed, so that it can only be aborted.
  public static let badTransaction = MDB_BAD_TXN
  /// A key or a value has a length that LMDB does not accept.
  public static let badValueSize = MDB_BAD_VALSIZE

  /// Whether the disk, the quota or the limit for one file is exhausted.
  public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Whether the file's permissions or a read-only mount prevent the access.
  public var isAccessDenied: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// Whether LMDB itself found the file damaged.
  public var isDamage: Bool {
    [MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_INVALID, MDB_INCOMPATIBLE].contains(code)
  }
}

/// Throws for the return code of a function of LMDB, unless it is success.
@inline(__always)
func check(_ code: Int32, _ function: @autoclosure () -> String) throws(EnvironmentError) {
  guard code == MDB_SUCCESS else { throw .lmdb(LMDBError(code: code, function: function())) }
}
