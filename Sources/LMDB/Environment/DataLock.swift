#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

import Synchronization

/// A lock of the data file itself, which no replaced lock file can bypass.
///
/// A writer that locked replaced lock files waits here, and detects by the number of its transaction that
/// another writer has written meanwhile. The lock is released at the end of the value's life.
struct DataLock: ~Copyable {
  private let environment: Environment
  private let descriptor: Int32
  private let process = getpid()

  private init(_ environment: Environment, _ descriptor: Int32) {
    self.environment = environment
    self.descriptor = descriptor
  }

  /// Takes the lock of an environment's data file; only after `write.lock`.
  ///
  /// The descriptor belongs to LMDB, and stays open as long as the lock is held.
  ///
  /// - Parameter isWaiting: Whether to wait for it without a limit.
  /// - Returns: `nil` if another process has it and `isWaiting` is `false`.
  static func take(of environment: Environment, isWaiting: Bool) throws(EnvironmentError) -> DataLock? {
    let descriptor = try environment.inside { () throws(EnvironmentError) in
      let descriptor = try environment.handle.descriptor()
      environment.ties.add(1, ordering: .relaxed)
      return descriptor
    }
    do throws(StoreFileError) {
      _ = try system("flock", environment.name) {
        flock(descriptor, LOCK_EX | (isWaiting ? 0 : LOCK_NB))
      }
    } catch {
      environment.ties.subtract(1, ordering: .releasing)
      if case .system(_, _, errno: EWOULDBLOCK) = error, !isWaiting { return nil }
      throw .file(error)
    }
    return DataLock(environment, descriptor)
  }

  deinit {
    // The lock belongs to the parent's open file, which a child must not unlock.
    guard getpid() == process else { return }
    // A lock that cannot be released now is released after the next transaction, or when the file is closed.
    _ = flock(descriptor, LOCK_UN)
    environment.ties.subtract(1, ordering: .releasing)
  }
}
