import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// When a machine rests between two batches of messages.
@Suite struct FollowPaceTests {
  /// Returns the time of a rest.
  private func rest(_ pace: FollowPace, after messages: Int, bytes: Int) -> Duration {
    let start = ContinuousClock.now
    pace.rest(after: messages, bytes: bytes)
    return start.duration(to: .now)
  }

  @Test func `a machine on which nobody waits rests after a few messages`() {
    let pace = FollowPace()
    #expect(rest(pace, after: 1, bytes: 100) >= .milliseconds(4))
    #expect(rest(pace, after: 64, bytes: 64 << 10) >= .milliseconds(4))
  }

  @Test func `a machine that catches up does not rest, nor one that has taken nothing`() {
    let pace = FollowPace()
    let start = ContinuousClock.now
    for _ in 0..<1_000 {
      pace.rest(after: 65, bytes: 100)
      pace.rest(after: 1, bytes: (64 << 10) + 1)
      pace.rest(after: 0, bytes: 0)
    }
    // With rests it would be fifteen seconds.
    #expect(start.duration(to: .now) < .seconds(5))
  }

  @Test func `nobody who waits for a message waits for a rest`() async throws {
    let pace = FollowPace()
    pace.begin()
    pace.begin()
    pace.end()
    let start = ContinuousClock.now
    for _ in 0..<1_000 { pace.rest(after: 1, bytes: 100) }
    #expect(start.duration(to: .now) < .seconds(3))
    pace.end()
    #expect(rest(pace, after: 1, bytes: 100) >= .milliseconds(4))
  }

  @Test func `a rest ends when somebody begins to wait`() async throws {
    let pace = FollowPace()
    let rests = 400
    let resting = Thread { for _ in 0..<rests { pace.rest(after: 1, bytes: 100) } }
    let start = ContinuousClock.now
    resting.start()
    try await Task.sleep(for: .milliseconds(10))
    pace.begin()
    try await waitUntil { resting.isFinished }
    // Without the wake-up it would be two seconds.
    #expect(start.duration(to: .now) < .seconds(1))
  }
}
