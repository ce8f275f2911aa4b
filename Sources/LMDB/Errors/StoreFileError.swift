#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a file of a store is not, or what the system refused to do with it.
///
/// Files are given by their names inside the store, so that a message holds no path of a user.
public enum StoreFileError: Error, Hashable, Sendable {
  /// The file is not there.
  case missing(file: String)
  /// The file is there already and would have been replaced.
  case alreadyThere(file: String)
  /// The file is a directory, a device, a pipe or a symbolic link.
  case notRegular(file: String)
  /// What should be a directory is something else, or a symbolic link.
  case notDirectory(file: String)
  /// The file has other names too, so that somebody else can reach it.
  case linked(file: String, links: Int)
  /// The file belongs to another user.
  case wrongOwner(file: String, owner: UInt32)
  /// Everybody may write to the file or in the directory.
  case openToAll(file: String)
  /// The file lies on a file system whose locks and maps cannot be trusted.
  case networkFileSystem(file: String, kind: String)
  /// The file is shorter than what it must hold.
  case truncated(file: String, have: Int, need: Int)
  /// The file is longer than what may be read at once.
  case tooLarge(file: String, size: Int, limit: Int)
  /// The file was not written by LMDB 0.9 on a machine of this kind.
  case notLMDB(file: String, reason: String)
  /// The file's bytes contradict each other at `offset`.
  case damaged(file: String, reason: String, offset: Int)
  /// Another file stands where the open one was.
  case replaced(file: String)
  /// A lock file was deleted, replaced or overwritten while it was in use.
  case lockFileDamaged(file: String)
  /// A process of another PID namespace has this one's number, and the file open.
  case sameProcessNumber(file: String, process: Int32)
  /// The process that opened the file is the parent of this one.
  case usedAfterFork
  /// The system refused access.
  case permission(file: String, errno: Int32)
  /// The disk, the quota or the limit for one file is used up.
  case diskFull(call: String, file: String, errno: Int32)
  /// A system call failed in a way that has no case of its own.
  case system(call: String, file: String, errno: Int32)

  /// The error for an `errno` that `call` left behind.
  init(errno code: Int32, call: String, file: String) {
    self =
      switch code {
      case ENOENT: .missing(file: file)
      case EEXIST: .alreadyThere(file: file)
      case EACCES, EPERM, EROFS: .permission(file: file, errno: code)
      case ENOSPC, EDQUOT, EFBIG: .diskFull(call: call, file: file, errno: code)
      default: .system(call: call, file: file, errno: code)
      }
  }
}

/// Runs a system call until no signal interrupts it.
///
/// - Returns: What the call returned, which is not negative.
@discardableResult
func system<Number: FixedWidthInteger>(
  _ call: String, _ file: String, _ body: () -> Number
) throws(StoreFileError) -> Number {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw StoreFileError(errno: code, call: call, file: file) }
  }
}
