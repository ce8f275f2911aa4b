package import AnnalsCoding
internal import AnnalsLog
package import LMDB

/// The directory `blobs` of a store, with the contents of attachments: a file for each, called by its hash.
///
/// A file gets its name only when its content is on disk, and is never written again. The time of a file says
/// when its content was attached last; the beginning of 1970 says that only erased events had it.
package struct BlobDirectory: Sendable {
  /// The ending of the name of a file that is being written.
  static let unfinished = ".tmp"
  private static let lockName = "blobs.lock"

  package let directory: Directory

  /// Opens the directory of a store.
  ///
  /// - Returns: `nil` if it is missing.
  package static func open(in store: Directory) throws(AnnalsError) -> BlobDirectory? {
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        return BlobDirectory(directory: try store.directory(BlobName.directory))
      } catch .missing {
        return nil
      }
    }
  }

  /// Opens the directory of a store, and creates it durably if it is missing.
  static func create(in store: Directory) throws(AnnalsError) -> BlobDirectory {
    if let known = try open(in: store) { return known }
    return try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        let created = try store.createDirectory(BlobName.directory)
        try store.synchronize()
        return BlobDirectory(directory: created)
      } catch .alreadyThere {
        return BlobDirectory(directory: try store.directory(BlobName.directory))
      }
    }
  }

  /// Keeps others from giving files their names and from removing files.
  func lock() throws(StoreFileError) -> FileLock.Hold {
    try FileLock(Self.lockName, in: directory).lock(.exclusive, isRecorded: false)
  }

  /// Keeps a content that is there for an event that somebody is about to append.
  ///
  /// - Parameter size: The size that the attachment states; `nil` if it is not known.
  /// - Returns: Whether the content is there, whole and durable.
  package func renew(_ hash: ContentHash, size: UInt64?) throws(AnnalsError) -> Bool {
    guard try BlobReader.isWhole(hash, size: size, in: self) else { return false }
    return try files { () throws(StoreFileError) in
      let hold = try lock()
      do throws(StoreFileError) {
        try directory.setTime(of: BlobName.file(hash), to: nil)
      } catch .missing {
        // A pass has removed it since.
        return false
      }
      _ = consume hold
      // The process that renamed the file may have been killed before this.
      try directory.synchronize()
      return true
    }
  }

  /// Notes of contents that only events that are being erased may have, so that the next removal of unused
  /// contents does not wait. It keeps them if other events refer to them.
  ///
  /// A content that was attached again after the commit of these events is for an event that somebody is
  /// about to append, and keeps its time.
  ///
  /// - Parameter contents: The contents, each with the time in microseconds by which the newest of the events
  ///   was committed.
  package func markErased(_ contents: [ContentHash: Int64]) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      let hold = try lock()
      for (hash, time) in contents {
        let name = BlobName.file(hash)
        guard let attached = try directory.time(of: name), attached <= time else { continue }
        try directory.setTime(of: name, to: 0)
      }
      _ = consume hold
    }
  }
}
