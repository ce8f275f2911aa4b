package import AnnalsCoding
internal import AnnalsLog
package import LMDB

/// Copies the contents of attachments into a copy of their store.
package struct BlobCopy {
  /// The store's directory.
  private let source: Directory
  /// The copy's directory.
  private let target: Directory

  package init(from source: Directory, to target: Directory) {
    self.source = source
    self.target = target
  }

  /// Copies contents, shares their blocks where the file system can, and compares each copy with its hash.
  ///
  /// The copies are durable on return.
  ///
  /// - Throws: ``AnnalsError`` with code `missingAttachment` or `damaged` for a content; `diskFull` before the
  ///   first one is copied if the disk is known to have too little space; and as any file.
  package func run(_ hashes: some Collection<ContentHash>) throws(AnnalsError) {
    guard !hashes.isEmpty else { return }
    let from = try BlobDirectory.open(in: source)
    let to = try BlobDirectory.create(in: target)
    var hasRoom = false
    for hash in hashes.sorted() {
      guard let from else { throw AnnalsError(missingAttachment: hash) }
      let name = BlobName.file(hash)
      let original = try BlobReader.open(hash, in: from)
      let copy = try files { () throws(StoreFileError) in try to.directory.create(name) }
      if !copy.share(blocksOf: original) {
        // Where one content needs blocks of its own, all do.
        if !hasRoom { try mustHaveRoom(for: hashes, of: from) }
        hasRoom = true
        try files { () throws(StoreFileError) in try copy.copy(from: original) }
      }
      try files { () throws(StoreFileError) in try copy.synchronize() }
      var reader = try BlobReader(hash, size: nil, in: to)
      while try reader.next() != nil {}
    }
    try files { () throws(StoreFileError) in try to.directory.synchronize() }
  }

  private func mustHaveRoom(
    for hashes: some Collection<ContentHash>, of from: BlobDirectory
  ) throws(AnnalsError) {
    let (size, free) = try files { () throws(StoreFileError) in
      var size = 0
      for hash in hashes { size += try from.directory.status(of: BlobName.file(hash))?.size ?? 0 }
      return (size, try target.fileSystem().free)
    }
    guard free < size else { return }
    throw AnnalsError(
      .diskFull,
      "the contents of attachments need \(size) bytes of disk, and \(free) are free; no copy was made: free some space and try again"
    )
  }
}
