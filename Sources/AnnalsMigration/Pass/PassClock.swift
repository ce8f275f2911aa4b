/// The rate of a phase over its last seconds, and how long the rest will take.
struct PassClock: Sendable {
  /// Over so many marks the rate is taken; there are about ten a second.
  private static let marks = 50
  private static let interval = Duration.milliseconds(100)

  private var phase = MigrationProgress.Phase.preparing
  private var seen: [(time: ContinuousClock.Instant, done: UInt64)] = []

  /// Notes how far it has come.
  ///
  /// - Returns: What to show; `nil` if something was shown a moment ago.
  mutating func note(
    _ phase: MigrationProgress.Phase, done: UInt64, total: UInt64, pause: MigrationProgress.Pause? = nil,
    at now: ContinuousClock.Instant
  ) -> MigrationProgress? {
    if phase != self.phase {
      self.phase = phase
      seen = []
    } else if let last = seen.last, last.time.duration(to: now) < Self.interval, done < total, pause == nil {
      return nil
    }
    seen.append((now, done))
    if seen.count > Self.marks { seen.removeFirst() }
    var progress = MigrationProgress(phase: phase, done: done, total: total)
    progress.pause = pause
    guard let first = seen.first, done > first.done else { return progress }
    let seconds = first.time.duration(to: now) / .seconds(1)
    guard seconds > 0 else { return progress }
    progress.rate = Double(done - first.done) / seconds
    progress.remaining = Double(total - min(done, total)) / progress.rate
    return progress
  }
}
