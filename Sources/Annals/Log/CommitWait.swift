internal import AnnalsCoding
internal import LMDB

/// The wait of a loop for commits of a log, whichever process makes them.
struct CommitWait: Sendable {
  /// What announces commits, from the first wait on.
  private var watch: CommitWatch?

  /// Looks at the log now and after each commit until there is something.
  ///
  /// A commit of this process is met at once, one of another process within some milliseconds.
  ///
  /// - Returns: What `look` found; `nil` if the task is cancelled.
  mutating func first<Found>(
    in core: LogCore, isolation: isolated (any Actor)? = #isolation,
    _ look: () throws(AnnalsError) -> Found?
  ) async throws(AnnalsError) -> Found? {
    while !Task.isCancelled {
      // Before the look: a commit during it is announced after this count.
      let known = core.place.commits.count
      if let found = try look() { return found }
      if watch == nil {
        // A commit from before there was a watch is seen by one more look.
        watch = try core.watch()
        continue
      }
      await core.place.commits.wait(beyond: known)
    }
    return nil
  }
}
