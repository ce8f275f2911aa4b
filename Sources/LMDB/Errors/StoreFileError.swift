#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An unexpected property of a store's file, or a failed system call on it.
///
/// Files are identified by their names inside the store, so that a message has no path of a user.
public enum StoreFileError: Error, Hashable, Sendable {
  /// The file does not exist.
  case missing(file: String)
  /// The file already exists and would have been replaced.
  case alreadyThere(file: String)
  /// The file is a directory, a device, a pipe or a symbolic link.
  case notRegular(file: String)
  /// The expected directory is something else, or a symbolic link.
  case notDirectory(file: String)
  /// The file has other names too, so that others can reach it.
  case linked(file: String, links: Int)
  /// The file belongs to another user.
  case wrongOwner(file: String, owner: UInt32)
  /// All users may write to the file or in the directory.
  case openToAll(file: String)
  /// The file is on a file system whose locks and maps are unreliable.
  case networkFileSystem(file: String, kind: String)
  /// The file is shorter than its required content.
  case truncated(file: String, have: Int, need: Int)
  /// The file is too long to read at once.
  case tooLarge(file: String, size: Int, limit: Int)
  /// The file was not written by LMDB 0.9 on a machine of this kind.
  case notLMDB(file: String, reason: String)
  /// The file's bytes contradict each other at `offset`.
  case damaged(file: String, reason: String, offset: Int)
  /// Another file has replaced the open one.
  case replaced(file: String)
  /// A lock file was deleted, replaced or overwritten while it was in use.
  case lockFileDamaged(file: String)
  /// A process of another PID namespace has the same number as this one, and has the file open.
  case sameProcessNumber(file: String, process: Int32)
  /// The process that opened the file is the parent of this one.
  case usedAfterFork
  /// The system refused access.
  case permission(file: String, errno: Int32)
  /// The disk, the quota or the limit for one file is exhausted.
  case diskFull(call: String, file: String, errno: Int32)
  /// A system call failed in a way without a case of its own.
  case system(call: String, file: String, errno: Int32)

  /// Whether a write was refused because the file system is mounted read-only.
  public var isOfReadOnlyMount: Bool {
    if case .permission(_, EROFS) = self { true } else { false }
  }

  /// The reason in words, the system's own if a call failed; `nil` for a property that only a store's file
  /// must have.
  public var reason: String? {
    switch self {
    case .missing: Self.text(ENOENT)
    case .alreadyThere: Self.text(EEXIST)
    case .notRegular: "it is no regular file"
    case .notDirectory: Self.text(ENOTDIR)
    case .tooLarge(_, let size, let limit): "it has \(size) bytes, and may have \(limit)"
    case .permission(_, let code), .diskFull(_, _, let code), .system(_, _, let code): Self.text(code)
    default: nil
    }
  }

  private static func text(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
  }

  /// Creates the error for an `errno` of `call`.
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

/// Repeats a system call until no signal interrupts it.
///
/// - Returns: The result of the call, which is not negative.
@discardableResult
func system<Number: FixedWidthInteger>(
  _ call: String, _ file: @autoclosure () -> String, _ body: () -> Number
) throws(StoreFileError) -> Number {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw StoreFileError(errno: code, call: call, file: file()) }
  }
}
