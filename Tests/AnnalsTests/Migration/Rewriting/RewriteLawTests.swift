import Foundation
import Testing

@testable import Annals

/// The laws of a migration pass for what it does with entries, on random logs that mix all versions of a market.
@Suite struct RewriteLawTests {
  /// A store of random events.
  private func market(_ seed: UInt64, count: Int = 150) async throws -> TemporaryStore {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    let events = try (0..<count).map { _ in try generator.next() }
    try await EventLog(at: place.url).append(events, using: &generator)
    return place
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a rewritten log reads as the original, and is clean`(seed: UInt64) async throws {
    let place = try await market(seed)
    let wanted = try EventStore(at: place.url, plan: MarketPlan.self).delivered()
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    #expect(try EventStore(at: rewritten.url, plan: MarketPlan.self).delivered() == wanted)
    #expect(!wanted.isEmpty)
    let findings = try EventLog.verify(rewritten.url).findings
    #expect(findings == [])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a second rewrite changes no byte`(seed: UInt64) async throws {
    let place = try await market(seed)
    let once = try RewrittenStore(place.url, MarketPlan.self)
    let twice = try RewrittenStore(once.url, MarketPlan.self)
    #expect(try twice.entries() == once.entries())
  }
}
