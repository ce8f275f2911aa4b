import Testing

@testable import Annals
@testable import AnnalsMigration

/// How long a pass rests between batches.
@Suite struct PassPaceTests {
  private let start = ContinuousClock.now

  // Promise P150.
  @Test func `a limited rate is kept over many batches`() {
    var pace = PassPace(rate: 1_000, at: start)
    var now = start
    for _ in 0..<50 {
      now += .milliseconds(10)
      let rest = pace.rest(after: 100, .milliseconds(10), at: now)
      if let rest {
        #expect(rest.1 == .rate)
        now += rest.0
      }
    }
    // 5,000 entries at 1,000 a second.
    #expect(start.duration(to: now) == .seconds(5))
  }

  @Test func `batches during the work of a writer are a tenth of others, but not tiny`() {
    func sizes(_ rate: Int?) -> [UInt64] {
      let pace = PassPace(rate: rate, at: start)
      return [pace.batch, pace.piece]
    }
    #expect(sizes(nil) == [.max, .max])
    #expect(sizes(100_000) == [25_000, 2_500])
    #expect(sizes(2_000) == [500, 256])
    #expect(sizes(400) == [100, 100])
    #expect(sizes(1) == [1, 1])
  }

  @Test func `a limited rate takes as many threads as it needs`() {
    var pace = PassPace(rate: 1_000, at: start)
    #expect(pace.threads == nil)
    // A quarter of the time with two threads is half of it with one.
    pace.note(100, .milliseconds(25), threads: 2)
    #expect(pace.threads == 1)
    pace.note(100, .milliseconds(50), threads: 1)
    #expect(pace.threads == 1)
    pace.note(100, .milliseconds(90), threads: 1)
    #expect(pace.threads == 2)
    // Late because of others: no more than three times as many.
    pace.note(100, .seconds(5), threads: 2)
    #expect(pace.threads == 6)
    var free = PassPace(rate: nil, at: start)
    free.note(100, .milliseconds(1), threads: 8)
    #expect(free.threads == nil)
  }

  @Test func `time that was lost is not caught up with`() {
    var pace = PassPace(rate: 1_000, at: start)
    #expect(pace.rest(after: 100, .seconds(9), at: start + .seconds(9)) == nil)
    let rest = pace.rest(after: 100, .zero, at: start + .seconds(9))
    #expect(rest?.0 == .milliseconds(100))
  }

  // Promise P151.
  @Test func `half of the time is left to a writer that is at work`() {
    var pace = PassPace(rate: nil, at: start)
    pace.see(commit: 7, at: start)
    #expect(pace.rest(after: 100, .milliseconds(8), at: start) == nil)
    pace.see(commit: 8, at: start + .milliseconds(5))
    let rest = pace.rest(after: 100, .milliseconds(8), at: start + .milliseconds(10))
    #expect(rest?.0 == .milliseconds(8) && rest?.1 == .writers)
    pace.see(commit: 8, at: start + .seconds(2))
    #expect(pace.rest(after: 100, .milliseconds(8), at: start + .seconds(2)) == nil)
  }
}
