package import AnnalsCoding
package import AnnalsLog
internal import LMDB

/// Removes contents to which no event refers, and what interrupted writers have left.
package struct BlobSweep {
  /// The generation in use, whose turn at writing keeps events from referring to a content meanwhile.
  private let generation: Generation
  /// How long after it was attached a content stays without an event, in microseconds.
  private let grace: Int64

  package init(_ generation: Generation, grace: Duration) {
    self.generation = generation
    self.grace = min(max(grace.components.seconds, 0), 1 << 40) * 1_000_000
  }

  /// Removes what is not used.
  ///
  /// - Parameter kept: The contents that other generations refer to, to which a rollback may return.
  /// - Returns: The number of contents that were removed.
  /// - Complexity: O(entries), without keeping writers waiting for more than the newest ones and the removal.
  package func run(keeping kept: Set<ContentHash> = []) throws(AnnalsError) -> Int {
    guard let blobs = try BlobDirectory.open(in: generation.directory) else { return 0 }
    let (used, last) = try generation.read { (reader) throws(AnnalsError) in
      (kept.union(try reader.attachments().keys), try reader.last())
    }
    return try generation.environment.decide(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, generation.tables)
      let newest = Set(try reader.attachments(from: last + 1).keys)
      return .abort(try remove(in: blobs, except: used.union(newest)))
    }
  }

  private func remove(in blobs: BlobDirectory, except used: Set<ContentHash>) throws(AnnalsError) -> Int {
    let now = Timestamp.now.microseconds
    return try files { () throws(StoreFileError) in
      let hold = try blobs.lock()
      var count = 0
      for name in try blobs.directory.names() {
        let hash = ContentHash(name)
        guard hash != nil || name.hasSuffix(BlobDirectory.unfinished) else { continue }
        if let hash, used.contains(hash) { continue }
        guard let time = try blobs.directory.time(of: name), now - time >= grace else { continue }
        try blobs.directory.remove(name)
        count += 1
      }
      if count > 0 { try blobs.directory.synchronize() }
      _ = consume hold
      return count
    }
  }
}
