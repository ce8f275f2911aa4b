internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

// How a pass leaves room to others. Its threads that rewrite and compare yield to all other work; its own
// does not, because writers wait for that one when it switches.
extension Pass {
  /// Rests after a batch, in steps in which it can be asked to end.
  mutating func rest(
    after entries: UInt64, _ time: Duration, _ phase: MigrationProgress.Phase, _ done: UInt64,
    of total: UInt64
  ) throws(AnnalsError) {
    try check()
    guard let (duration, reason) = pace.rest(after: entries, time, at: now) else { return }
    let end = now + duration
    if duration > .milliseconds(100) { show(phase, done, of: total, pause: reason) }
    while now < end {
      let rest = min(now.duration(to: end), .milliseconds(20))
      WriterThread.pause(milliseconds: UInt32(max(rest / .milliseconds(1), 1)))
      try check()
    }
  }

  /// Chooses how the next batch is kept safe: a writer that waits for the disk is not to wait for the pass's
  /// pages too.
  mutating func choose() throws(AnnalsError) {
    let commit = try storage { () throws(EnvironmentError) in try source.environment.lastTransaction() }
    pace.see(commit: commit, at: now)
    let wanted: PassTarget.Safety = pace.hasWriter(at: now) ? .unsynced : .synced
    guard wanted != safety else { return }
    if wanted == .synced {
      try archive?.synchronize()
      try storage { () throws(EnvironmentError) in try target.environment.synchronize() }
    }
    try PassTarget.mark(wanted, target.current, in: directory, boot: options.boot())
    safety = wanted
  }
}
