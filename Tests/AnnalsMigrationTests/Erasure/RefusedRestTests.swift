import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections

/// Inline projections that do not accept the events that an erasure leaves.
@Suite struct RefusedRestTests {
  /// Balances in a later version, which lets them fall as far as they like.
  private enum LowerBalances: InlineProjection {
    typealias Event = InlineAccountsV1.Event
    static let name = InlineBalances.name
    static let version = 2
    static var tables: [ProjectionTable] { InlineBalances.tables }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .moved(let moved) = entry.event else { return }
      let new = InlineBalances.Balance(account: entry.stream.text, amount: 0, last: 0)
      try rows.update(InlineBalances.Balance.self, entry.stream.text, initial: new) {
        $0.amount += moved.amount
        $0.last = entry.position
      }
    }
  }

  private static let way = "open the store with a higher version that does, and activate it"

  @Test func `an erasure that leaves such an event says so, and each error says how the store is used again`()
    async throws
  {
    let place = try TemporaryStore()
    do {
      let store = try place.accounts([InlineBalances.self], activating: true)
      try await store.append([.moved(.init(amount: 900))], to: "customer-1")
      try await store.append([.moved(.init(amount: -1_500))], to: "customer-1")
      let error = #expect(throws: AnnalsError.self) { try store.erase([1], by: "jane", because: "request") }
      #expect(error?.code == .rejected && error?.details.position == 2)
      let message = try #require(error?.message)
      #expect(message.hasPrefix("the events are erased, but appends fail: position 2:"))
      #expect(message.contains("version 1 of it is in force") && message.hasSuffix(Self.way))
      #expect(!message.contains("nothing of the call was stored"))
      #expect(try store.log.read { try $0.entry(at: 1) }?.content == .stub(reason: "request"))
      let refused = await #expect(throws: AnnalsError.self) {
        try await store.append([.moved(.init(amount: 1))], to: "customer-2")
      }
      #expect(refused?.code == .requiresActivation && refused?.message.hasSuffix(Self.way) == true)
    }
    let error = #expect(throws: AnnalsError.self) { _ = try place.accounts([InlineBalances.self]) }
    #expect(error?.code == .rejected && error?.details.position == 2)
    #expect(error?.message.hasSuffix(Self.way) == true)
    do {
      let store = try place.accounts([LowerBalances.self], activating: true)
      #expect(try store.log.unfinishedErasures().isEmpty)
      try await store.append([.moved(.init(amount: 1))], to: "customer-2")
      try expectAgreement(store)
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `before a higher version is activated, nothing is erased`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try place.accounts([InlineBalances.self], activating: true)
      try await store.append([.moved(.init(amount: 900))], to: "customer-1")
    }
    let store = try place.accounts([LowerBalances.self])
    let positions = #expect(throws: AnnalsError.self) { try store.erase([1], by: "jane", because: "request") }
    let stream = #expect(throws: AnnalsError.self) {
      try store.erase(stream: "customer-1", by: "jane", because: "request")
    }
    #expect(positions?.code == .requiresActivation && stream?.code == .requiresActivation)
    #expect(try store.log.erasures().isEmpty && store.log.unfinishedErasures().isEmpty)
    // A program that lacks the projection gets another error.
    let other = try place.accounts([InlineNames.self])
    let error = #expect(throws: AnnalsError.self) { try other.erase([1], by: "jane", because: "request") }
    #expect(error?.code == .superseded)
  }
}
