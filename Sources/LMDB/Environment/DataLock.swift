#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock of the very file that is written, which no other name can stand for.
///
/// Whoever came by lock files that were put in the place of the others waits here, and finds by the number of its transaction that somebody
/// has written meanwhile. It is given back when this ends.
struct DataLock: ~Copyable {
  private let handle: EnvironmentHandle
  private let descriptor: Int32
  private let process = getpid()

  /// Takes the lock of an environment's data file, and waits for it as long as it takes; only behind `write.lock`.
  init(_ handle: EnvironmentHandle, name: String) throws(EnvironmentError) {
    let descriptor = try handle.descriptor()
    _ = try files { () throws(StoreFileError) in
      try system("flock", name) { flock(descriptor, LOCK_EX) }
    }
    self.handle = handle
    self.descriptor = descriptor
  }

  deinit {
    // The lock belongs to the parent's open file, which a child must not unlock.
    guard getpid() == process else { return }
    let code = flock(descriptor, LOCK_UN)
    precondition(code == 0, "a lock that cannot be given back")
  }
}
