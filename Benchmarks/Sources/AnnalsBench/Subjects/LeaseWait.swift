#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits until a store is closed: programs hold a shared lock on the lease file of an open generation.
enum LeaseWait {
  /// A store that is still open after the wait.
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let errno: Int32

    var description: String { "cannot lock '\(path)' (errno \(errno))" }
  }

  /// Waits up to ten seconds until nobody holds the lease file at `path`.
  static func untilFree(_ path: String) throws(Failure) {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    defer { close(descriptor) }
    // Often, because the measured time includes closing.
    for _ in 0..<500_000 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(20)
    }
    throw Failure(path: path, errno: errno)
  }
}
