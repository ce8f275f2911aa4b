#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock file that is locked as another process would lock it, until this ends.
struct HeldLock: ~Copyable {
  /// A file that cannot be locked.
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let errno: Int32

    var description: String { "cannot lock '\(path)' (errno \(errno))" }
  }

  private let descriptor: Int32

  /// Locks the file at `path`, which must be there, and waits for it.
  init(_ path: String) throws(Failure) {
    descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Failure(path: path, errno: errno) }
    }
  }

  deinit { close(descriptor) }
}
