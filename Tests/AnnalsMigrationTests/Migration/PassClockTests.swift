import Testing

@testable import Annals
@testable import AnnalsMigration

/// How far a pass has come, how fast it is, and how long the rest takes.
@Suite struct PassClockTests {
  // Promise P154.
  @Test func `progress has the rate of its phase and the time that remains`() throws {
    let start = ContinuousClock.now
    var clock = PassClock()
    _ = clock.note(.copying, done: 0, total: 1_000, at: start)
    let next = clock.note(.copying, done: 250, total: 1_000, at: start + .seconds(2))
    let progress = try #require(next)
    #expect(progress.phase == .copying)
    #expect(progress.done == 250)
    #expect(progress.total == 1_000)
    #expect(progress.rate == 125)
    #expect(progress.remaining == 6)
  }
}
