/// The rests of a pass after each batch, which keep to the requested rate and leave writers their share.
struct PassPace: Sendable {
  /// The time after its last sign for which a writer counts as active.
  static let memory = Duration.seconds(1)

  /// The maximum number of entries in a second.
  let rate: Int?
  /// How long the batches would have taken at that rate, since the beginning.
  private var owed = Duration.zero
  private var begin: ContinuousClock.Instant
  private var lastSign: ContinuousClock.Instant?
  private var commit: UInt64?
  /// The number of threads that are enough for a limited rate, as of the last batch; `nil` if not known.
  private(set) var threads: Int?

  init(rate: Int?, at now: ContinuousClock.Instant) {
    self.rate = rate
    begin = now
  }

  /// The maximum number of entries of a batch, so that a limited rate is kept over every quarter of a second.
  var batch: UInt64 { rate.map { UInt64(max($0 / 4, 1)) } ?? .max }

  /// The same while a writer is at work, which waits for the processor and the disk as long as a batch takes.
  /// Tiny batches would cost more than their entries.
  var piece: UInt64 { rate.map { UInt64(max($0 / 40, min($0 / 4, 256), 1)) } ?? .max }

  /// Notes the number of the old generation's newest commit.
  mutating func see(commit: UInt64, at now: ContinuousClock.Instant) {
    if let known = self.commit, known != commit { lastSign = now }
    self.commit = commit
  }

  /// Whether a writer is at work.
  func hasWriter(at now: ContinuousClock.Instant) -> Bool {
    lastSign.map { $0.duration(to: now) < Self.memory } ?? false
  }

  /// Learns from a batch how many threads keep to the rate with a third of the time to spare: more would take
  /// processors from writers, for nothing.
  mutating func note(_ entries: UInt64, _ time: Duration, threads: Int) {
    guard let rate, rate > 0, entries > 0 else { return }
    let load = time / .seconds(1) * Double(rate) / Double(entries)
    self.threads = Int(max((Double(threads) * min(load, 2) * 1.5).rounded(.up), 1))
  }

  /// Returns how long to rest after `entries` that took `time`, and why; `nil` for no rest.
  mutating func rest(
    after entries: UInt64, _ time: Duration, at now: ContinuousClock.Instant
  ) -> (Duration, MigrationProgress.Pause)? {
    if let rate, rate > 0 {
      owed += .nanoseconds(
        Int64(clamping: entries.multipliedReportingOverflow(by: 1_000_000_000).partialValue / UInt64(rate)))
      let ahead = owed - begin.duration(to: now)
      if ahead > .zero { return (ahead, .rate) }
      // Time lost to other work is not made up for.
      owed = begin.duration(to: now)
    }
    // Half of the time belongs to writers.
    return hasWriter(at: now) ? (time, .writers) : nil
  }

  /// Notes that nothing was done for a while.
  mutating func skip(_ time: Duration) { owed += time }
}
