import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Fields of forgotten people into which a stage puts values of others, in reads and in passes.
@Suite struct ForgottenFieldTests {
  private let directory: TemporaryDirectory
  private let keys = MemoryKeys()
  private var url: URL { directory.url.appendingPathComponent("trades.annals") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func has(_ text: String) throws -> Bool {
    let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if let data = try? Data(contentsOf: file), data.range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }

  private static func trade(_ buyer: String, street: String, title: String? = nil) -> TradesV1.Event {
    .trade(
      .init(
        buyer: buyer, seller: "s", street: street, phone: "Bob's phone", remark: "a remark", title: title))
  }

  /// Stores trades, forgets a person, and returns what a plan reads before and after its pass.
  private func events<Plan: SchemaMigrationPlan>(
    of trades: [TradesV1.Event], forgetting person: String, _ plan: Plan.Type
  ) async throws -> [Plan.Current.Event] where Plan.Current.Event: Equatable {
    do { try await keys.open(TradesPlan.self, at: url).append(trades, to: "trades") }
    let store = try keys.open(plan, at: url)
    try store.forget(person, by: "jane", because: "request")
    let before = try MemoryKeys.events(store)
    for comparison in [MigrationOptions.Comparison.full, .sampled] {
      var options = MigrationOptions()
      options.comparison = comparison
      _ = try await store.migrate(options).report()
      #expect(try MemoryKeys.events(store) == before)
    }
    _ = try EventLog.discardPrevious(url)
    #expect(try EventLog.verify(url).isClean)
    return before
  }

  @Test func `a field that goes to a forgotten person is replaced`() async throws {
    let events = try await events(
      of: [Self.trade("b", street: "Ada's street", title: "Dr")], forgetting: "b", LightweightTrades.self)
    #expect(
      events == [
        .trade(
          .init(buyer: "b", seller: "s", street: "gone", phone: "none", remark: "a remark", title: nil))
      ])
    #expect(try !has("Bob's phone"))
  }

  @Test func `a rule's value is replaced if it has one of a person who was not forgotten`() async throws {
    let events = try await events(
      of: [Self.trade("b", street: "Ada's street"), Self.trade("c", street: "Cy's street", title: "Dr")],
      forgetting: "b", UpcastTrades.self)
    #expect(
      events == [
        .trade(
          .init(buyer: "b", seller: "s", street: "to gone", phone: "none", remark: "a remark", title: nil)),
        .trade(
          .init(
            buyer: "c", seller: "s", street: "to Cy's street", phone: "Dr Bob's phone", remark: "a remark",
            title: "Dr")),
      ])
    #expect(try !has("Bob's phone"))
  }

  @Test func `a person who is not forgotten keeps what is made of replacements`() async throws {
    let events = try await events(
      of: [Self.trade("b", street: "Ada's street", title: "Dr")], forgetting: "s", UpcastTrades.self)
    #expect(
      events == [
        .trade(
          .init(
            buyer: "b", seller: "s", street: "to Ada's street", phone: "Dr gone", remark: "a remark",
            title: "Dr"))
      ])
    #expect(try !has("Ada's street"))
  }

  @Test func `plain values, and values that a rule makes of nothing, stay in an event with two people`()
    async throws
  {
    let events = try await events(
      of: [Self.trade("b", street: "Ada's street")], forgetting: "b", RemarkedTrades.self)
    #expect(
      events == [
        .trade(
          .init(
            buyer: "b", seller: "s", street: "gone", phone: "Bob's phone", remark: "a remark",
            title: "unknown"))
      ])
    #expect(try !has("Bob's phone"))
  }

  @Test func `each part of a split is settled by itself`() async throws {
    let events = try await events(
      of: [Self.trade("b", street: "Ada's street")], forgetting: "b", SplitTrades.self)
    #expect(
      events == [
        .sold(.init(seller: "s", text: "Bob's phone")), .bought(.init(buyer: "b", text: "none")),
        .bought(.init(buyer: "b", text: "gone, a remark")),
      ])
    #expect(try !has("Bob's phone"))
  }

  @Test func `a group of a fold has the values of all its records`() async throws {
    let events = try await events(
      of: [
        Self.trade("b", street: "Ada's street"), Self.trade("c", street: "Cy's street"),
        Self.trade("b", street: "Ada's road"),
      ], forgetting: "b", FoldedTrades.self)
    #expect(events == [.trades(.init(buyer: "b", streets: "none", first: "at gone"))])
    #expect(try !has("Cy's street"))
  }

  @Test func `a value of a context is replaced in a forgotten person's field`() async throws {
    do {
      let store = try keys.open(PlacedOrdersPlan.self, at: url)
      try await store.append(
        [
          .registered(.init(id: "a", name: "Ada's name")), .ordered(.init(id: "a", total: 1)),
          .registered(.init(id: "b", name: "Ben")), .ordered(.init(id: "b", total: 2)),
        ], to: "orders")
    }
    let store = try keys.open(NamedOrdersPlan.self, at: url)
    try store.forget("a", by: "jane", because: "request")
    let wanted: [NamedOrders.Event] = [
      .registered(.init(id: "a", name: "gone")), .ordered(.init(id: "a", total: 1, name: "none")),
      .registered(.init(id: "b", name: "Ben")), .ordered(.init(id: "b", total: 2, name: "Ben")),
    ]
    #expect(try MemoryKeys.events(store) == wanted)
    _ = try await store.migrate().report()
    #expect(try MemoryKeys.events(store) == wanted)
    // The context still has it, which the erasure says.
    #expect(try store.log.erasures().first?.remains.isEmpty == false)
    var options = ContractOptions()
    options.confirming = 0
    _ = try store.contract(options)
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(url)
    #expect(try store.log.erasures().first?.remains == [])
    #expect(try !has("Ada's name"))
    #expect(try MemoryKeys.events(store) == wanted)
  }
}
