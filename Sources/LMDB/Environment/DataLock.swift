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

  private init(_ handle: EnvironmentHandle, _ descriptor: Int32) {
    self.handle = handle
    self.descriptor = descriptor
  }

  /// Takes the lock of an environment's data file; only behind `write.lock`.
  ///
  /// - Parameter isWaiting: Whether to wait for it as long as it takes.
  /// - Returns: `nil` if somebody else has it and nobody waits.
  static func take(
    _ handle: EnvironmentHandle, name: String, isWaiting: Bool
  ) throws(EnvironmentError) -> DataLock? {
    let descriptor = try handle.descriptor()
    do throws(StoreFileError) {
      _ = try system("flock", name) { flock(descriptor, LOCK_EX | (isWaiting ? 0 : LOCK_NB)) }
    } catch {
      if case .system(_, _, errno: EWOULDBLOCK) = error, !isWaiting { return nil }
      throw .file(error)
    }
    return DataLock(handle, descriptor)
  }

  deinit {
    // The lock belongs to the parent's open file, which a child must not unlock.
    guard getpid() == process else { return }
    // What cannot be given back now is given back behind the next transaction, or when the file is closed.
    _ = flock(descriptor, LOCK_UN)
  }
}
