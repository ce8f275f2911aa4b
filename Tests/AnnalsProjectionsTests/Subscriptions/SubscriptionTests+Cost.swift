import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// What a subscription costs: time, and pages of the file.
extension SubscriptionTests {
  @Test("an append is given without the wait for a look at the file")
  func latency() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(
      at: place.url, plan: FirstMarketPlan.self, options: .relaxedCommits)
    let subscription = store.subscribe(from: .end)
    let clock = ContinuousClock()
    let reader = Task {
      var times: [ContinuousClock.Instant] = []
      for try await _ in subscription {
        times.append(clock.now)
        if times.count == 60 { break }
      }
      return times
    }
    var begun: [ContinuousClock.Instant] = []
    for number in 0..<60 {
      try await Task.sleep(for: .milliseconds(3))
      try await store.append([.pinged(.init(number: number))], to: "a")
      begun.append(clock.now)
    }
    let latencies = zip(begun, try await reader.value).map { $1 - $0 }.sorted()
    // The median is some tens of microseconds; other tests have the processors too.
    #expect(latencies[30] < .seconds(1), "\(latencies[30])")
  }

  @Test("a slow subscriber pins no pages, as one that holds a snapshot does")
  func pinning() async throws {
    /// How many pages the file of a store has after many commits, during which `body` reads in its way.
    func pages(_ body: (EventLog) async throws -> [Any]) async throws -> Int {
      let place = try TemporaryStore()
      let log = try EventLog(at: place.url, options: .relaxedCommits)
      for number in 0..<50 { try await log.append([.placed(number)], to: "a-\(number)") }
      let kept = try await body(log)
      // Each commit replaces some pages and frees those that it replaced.
      for number in 0..<500 { try await log.append([.placed(number)], to: "a-\(number % 50)") }
      return try withExtendedLifetime(kept) { try log.core.generation.environment.info().lastPage }
    }
    let stalled = try await pages { (log) async throws in
      var subscription = log.subscribe(from: .beginning)
      subscription.limits.elements = 10
      var iterator = subscription.makeAsyncIterator()
      let first = try await iterator.next()
      #expect(first?.entry.position == 1)
      return [iterator]
    }
    let nobody = try await pages { _ in [] }
    let holding = try await pages { log in [Holding(try LogSnapshot(log.core))] }
    #expect(stalled < nobody + nobody / 10, "\(stalled) pages, \(nobody) where nobody reads")
    // The control: what holds a snapshot does show.
    #expect(holding > 2 * nobody, "\(holding) pages, \(nobody) where nobody reads")
  }
}

/// Holds a snapshot.
private final class Holding {
  let snapshot: LogSnapshot

  init(_ snapshot: consuming LogSnapshot) {
    self.snapshot = snapshot
  }
}
