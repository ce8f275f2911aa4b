internal import LMDB

/// A shared lease of one generation, held while this object lives. The generation's files are not removed
/// while any lease is held.
package final class GenerationLease: Sendable {
  private let lock: FileLock
  private let hold: FileLock.Hold

  /// Takes the lease, and waits for a removal that is under way.
  init(_ lock: FileLock) throws(StoreFileError) {
    self.lock = lock
    hold = try lock.lock(.shared)
  }

  /// Whether the lease is of the files that now have the names, so they were not removed before it was taken.
  func isCurrent() throws(StoreFileError) -> Bool { try lock.isCurrent() }
}
