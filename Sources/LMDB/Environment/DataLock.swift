#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

import Synchronization

/// A lock of the very file that is written, which no other name can stand for.
///
/// Whoever came by lock files that were put in the place of the others waits here, and finds by the number of its transaction that somebody
/// has written meanwhile. It is given back when this ends.
struct DataLock: ~Copyable {
  private let environment: Environment
  private let descriptor: Int32
  private let process = getpid()

  private init(_ environment: Environment, _ descriptor: Int32) {
    self.environment = environment
    self.descriptor = descriptor
  }

  /// Takes the lock of an environment's data file; only behind `write.lock`.
  ///
  /// The descriptor is LMDB's, which stays open as long.
  ///
  /// - Parameter isWaiting: Whether to wait for it as long as it takes.
  /// - Returns: `nil` if somebody else has it and nobody waits.
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
    // What cannot be given back now is given back behind the next transaction, or when the file is closed.
    _ = flock(descriptor, LOCK_UN)
    environment.ties.subtract(1, ordering: .releasing)
  }
}
