package import AnnalsFormat
package import LMDB

extension CurrentFile {
  /// Creates the lock files of a new store, and the lease file of its generation.
  ///
  /// - Parameters:
  ///   - directory: The store's directory.
  ///   - open: The store's `open.lock`, which the creator holds.
  package func locks(
    creatingIn directory: Directory, _ open: FileLock
  ) throws(StoreFileError) -> (EnvironmentLocks, lease: FileLock) {
    let locks = EnvironmentLocks(
      open: open, queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    return (locks, try FileLock(leaseName, in: directory))
  }
}
