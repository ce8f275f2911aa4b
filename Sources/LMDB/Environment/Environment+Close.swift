extension Environment {
  /// The time in milliseconds that the end of an environment waits for others that open or close the file.
  private static let patience = 50

  /// Closes a file that nothing uses any more.
  ///
  /// Another process may be stopped while it has the lock, and keep it forever. So after a short wait of the
  /// caller, a thread waits for the lock in its place. If this process opens the file again meanwhile, that
  /// open closes the old environment (``Opening``).
  static func close(_ handle: EnvironmentHandle, of identity: FileIdentity, under lock: FileLock?) {
    guard let lock else { return EnvironmentRegistry.close(handle, of: identity) }
    do throws(StoreFileError) {
      for _ in 0..<patience {
        if let hold = try lock.tryLock(.exclusive) {
          EnvironmentRegistry.close(handle, of: identity)
          _ = consume hold
          return
        }
        WriterThread.pause(milliseconds: 1)
      }
    } catch {
      // A lock that cannot be taken must not keep the file open forever.
      return EnvironmentRegistry.close(handle, of: identity)
    }
    do throws(StoreFileError) {
      _ = try WriterThread(name: "annals-closer") {
        let hold: FileLock.Hold?
        do { hold = try lock.lock(.exclusive) } catch { hold = nil }
        EnvironmentRegistry.close(handle, of: identity)
        _ = consume hold
      }
    } catch {
      // Without a thread the file stays open until this process opens it again.
    }
  }
}
