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
  /// - Throws: ``AnnalsError`` with code `missingAttachment` or `damaged` for a content, and as any file.
  package func run(_ hashes: some Collection<ContentHash>) throws(AnnalsError) {
    guard !hashes.isEmpty else { return }
    let from = try BlobDirectory.open(in: source)
    let to = try BlobDirectory.create(in: target)
    for hash in hashes.sorted() {
      guard let from else { throw AnnalsError(missingAttachment: hash) }
      let name = BlobName.file(hash)
      let original = try BlobReader.open(hash, in: from)
      try files { () throws(StoreFileError) in
        let copy = try to.directory.create(name)
        if !copy.share(blocksOf: original) { try copy.copy(from: original) }
        try copy.synchronize()
      }
      var reader = try BlobReader(hash, size: nil, in: to)
      while try reader.next() != nil {}
    }
    try files { () throws(StoreFileError) in try to.directory.synchronize() }
  }
}
