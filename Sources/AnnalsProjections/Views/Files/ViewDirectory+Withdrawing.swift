package import AnnalsCoding
package import AnnalsLog
internal import LMDB

/// The views of a store, while none can be built: held until this value ends.
package struct WithdrawnViews: ~Copyable {
  private let hold: FileLock.Hold

  fileprivate init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }

  /// Lets views be built again.
  package consuming func end() {}
}

extension LogCore {
  /// Withdraws the views of the store: no process reads or folds their rows any more, and each view is built
  /// again from the log, but not before the returned value ends.
  ///
  /// So rows that are built later come from a log in which events are erased by then.
  ///
  /// - Returns: `nil` if the store was opened for reading only and has no views.
  package func withdrawViews() throws(AnnalsError) -> WithdrawnViews? {
    // A store without views gets the directory, because its lock keeps the first view from being built.
    guard let directory = try ViewDirectory.open(in: generation.directory, access) else { return nil }
    let hold = try directory.lock()
    for listing in try directory.listings() where listing.hasFile {
      // Another file is not opened, and the next program removes it.
      guard let mark = listing.mark, mark.isUsable(in: Boot.id) else { continue }
      do throws(AnnalsError) {
        try directory.open(listing.number, called: mark.name, of: self).withdraw()
      } catch {
        guard error.isOfSpoiltView else { throw error }
      }
    }
    return WithdrawnViews(hold)
  }
}

extension ViewFile {
  /// Records that no program reads the rows any more.
  fileprivate func withdraw() throws(AnnalsError) {
    var own: [UInt8] = []
    own.append(varint: number)
    try environment.write(durability: .full, failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try transaction.put(own, .successor, in: self)
    }
    commits.announce()
  }
}
