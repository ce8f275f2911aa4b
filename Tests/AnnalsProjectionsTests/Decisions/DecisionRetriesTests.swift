import Testing

@testable import AnnalsSubscriptions

/// What follows a decision that came too late, without any store.
@Suite struct DecisionRetriesTests {
  @Test(arguments: [
    (1, 1), (2, 2), (3, 4), (4, 8), (7, 64), (8, 128), (9, 128), (17, 128), (100_000, 128),
  ])
  func `The limit of a pause doubles with each attempt, up to 128 milliseconds`(attempt: Int, limit: Int) {
    let retries = DecisionRetries(attempts: .max)
    #expect(retries.next(afterAttempt: attempt, elapsed: .zero, chance: 0) == .retry(after: .zero))
    #expect(
      retries.next(afterAttempt: attempt, elapsed: .zero, chance: 0.5)
        == .retry(after: .milliseconds(limit) / 2))
    #expect(
      retries.next(afterAttempt: attempt, elapsed: .zero, chance: 0.75)
        == .retry(after: .milliseconds(limit) * 3 / 4))
  }

  @Test func `The last attempt is followed by none`() {
    let retries = DecisionRetries(attempts: 3)
    #expect(retries.next(afterAttempt: 2, elapsed: .zero, chance: 0) != .stop)
    #expect(retries.next(afterAttempt: 3, elapsed: .zero, chance: 0) == .stop)
    #expect(DecisionRetries(attempts: 1).next(afterAttempt: 1, elapsed: .zero, chance: 0) == .stop)
  }

  @Test func `No attempt begins at the timeout or after it`() {
    let retries = DecisionRetries(attempts: 10, timeout: .milliseconds(10))
    func next(_ elapsed: Duration, _ chance: Double) -> DecisionRetries.Step {
      retries.next(afterAttempt: 3, elapsed: elapsed, chance: chance)
    }
    #expect(next(.milliseconds(7), 0.5) == .retry(after: .milliseconds(2)))
    #expect(next(.milliseconds(8), 0.5) == .timedOut)
    #expect(next(.milliseconds(9), 0) == .retry(after: .zero))
    #expect(next(.milliseconds(10), 0) == .timedOut)
    #expect(next(.seconds(60), 0) == .timedOut)
  }
}
