internal import LMDB

/// The lease of one generation, held shared until this ends: as long as anybody has it, nobody removes the generation's files.
final class GenerationLease: Sendable {
  private let lock: FileLock
  private let hold: FileLock.Hold

  /// Takes the lease, and waits for a removal that is under way.
  init(_ lock: FileLock) throws(StoreFileError) {
    self.lock = lock
    hold = try lock.lock(.shared)
  }

  /// Whether the lease is of the files that have the names now, and so were not removed before it was taken.
  func isCurrent() throws(StoreFileError) -> Bool { try lock.isCurrent() }
}
