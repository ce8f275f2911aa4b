internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// The time during which no pass can begin: held until this value ends, on the thread that took it.
struct PassLock: ~Copyable {
  private let lock: FileLock
  private let hold: FileLock.Hold

  fileprivate init(_ lock: FileLock, _ hold: consuming FileLock.Hold) {
    self.lock = lock
    self.hold = hold
  }
}

extension EventLog {
  /// Keeps passes from beginning.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` while one runs.
  func keepPassesOut() throws(AnnalsError) -> PassLock {
    let lock = try StoreOpening(directory: core.generation.directory, options: options).passLock()
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
      let holder = try files { () throws(StoreFileError) in try lock.lastHolder() }
      throw AnnalsError(
        .busy,
        """
        \(holder.map { "process \($0)" } ?? "another process") is at work on this store's generations; try \
        again when it is done
        """,
        details: AnnalsError.Details { $0.holder = holder })
    }
    return PassLock(lock, hold)
  }
}
