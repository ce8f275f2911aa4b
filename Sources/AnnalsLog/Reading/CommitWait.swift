package import AnnalsCoding
internal import LMDB

/// The wait of a loop for commits of a log, whichever process makes them.
package struct CommitWait: Sendable {
  /// The watch that announces commits, from the first wait on.
  private var watch: CommitWatch?

  package init() {}

  /// Searches the log now and after each commit until there is a result.
  ///
  /// A commit of this process is seen at once, one of another process within a few milliseconds.
  ///
  /// - Returns: The result of `look`; `nil` if the task is cancelled.
  package mutating func first<Found>(
    in core: LogCore, isolation: isolated (any Actor)? = #isolation,
    _ look: () throws(AnnalsError) -> Found?
  ) async throws(AnnalsError) -> Found? {
    while !Task.isCancelled {
      // Read before the search, so that a commit during it is announced after this count.
      let known = core.place.commits.count
      if let found = try look() { return found }
      if watch == nil {
        // One more search sees a commit from before the watch.
        watch = try core.watch()
        continue
      }
      await core.place.commits.wait(beyond: known)
    }
    return nil
  }
}
