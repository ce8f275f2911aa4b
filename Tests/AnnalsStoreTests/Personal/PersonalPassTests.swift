import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Personal fields through upcasting and passes.
@Suite struct PersonalPassTests {
  private let shop: PersonalShop
  private var keys: MemoryKeys { shop.keys }
  private var url: URL { shop.url }

  init() throws {
    shop = try PersonalShop()
  }

  @Test func `upcasters see decrypted values, and a pass gives what reads gave`() async throws {
    do { _ = try await shop.fill() }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    let before = try shop.events(store)
    #expect(
      before[0]
        == .person(
          .init(customerID: "7", first: "Ada", last: "Lovelace", place: "St James's Square 12, London")))
    #expect(before[3] == .bought(.init(customer: "7", total: 3, remark: "Ada's note")))
    _ = try await store.migrate().report()
    #expect(try shop.events(store) == before)
    #expect(try EventLog.verify(url).isClean)
    // Another type and other fields: each value was encrypted again.
    #expect(!(try shop.dump(store.log)).contains("Lovelace"))
    #expect((try shop.dump(store.log)).contains("sealed"))
    store.log.core.generation.kinds.kinds.values.forEach { kind in
      #expect(kind.version == SchemaVersion(2, 0, 0) || kind.row.name == "Closed")
    }
  }

  @Test func `a pass over a forgotten person's events gives what reads gave`() async throws {
    do {
      let store = try await shop.fill()
      try store.forget(7, by: "jane", because: "request")
    }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    let before = try shop.events(store)
    #expect(
      before[0] == .person(.init(customerID: "7", first: "unknown", last: "person", place: "- 0, London")))
    _ = try await store.migrate().report()
    #expect(try shop.events(store) == before)
    #expect(try shop.dump(store.log).contains("\"first\":{\"plain\":{\"value\":\"unknown\"}}"))
  }

  @Test func `a person who is forgotten after a pass is forgotten in what it wrote`() async throws {
    do { _ = try await shop.fill() }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: keys.options)
    _ = try await store.migrate().report()
    try store.forget("7", by: "jane", because: "request")
    let events = try shop.events(store)
    #expect(events[0] == .person(.init(customerID: "7", first: "nobody", last: nil, place: "?")))
    #expect(events[3] == .bought(.init(customer: "7", total: 3, remark: nil)))
  }

  @Test func `a pass copies encrypted values that do not change`() async throws {
    let store = try await shop.fill()
    let before = try shop.dump(store.log)
    let seals = keys.seals
    _ = try await store.log.compact().report()
    _ = try await store.migrate().report()
    #expect(try shop.dump(store.log) == before)
    #expect(keys.seals == seals)
  }

  @Test func `missing keys stop readers that quarantine, and a pass, which leaves the store as it was`()
    async throws
  {
    do { _ = try await shop.fill() }
    var options = keys.options
    options.unreadable = .quarantine { entry in Issue.record("\(entry) was set apart") }
    let store = try EventStore(at: url, plan: PersonalPlanV2.self, options: options)
    let before = try shop.dump(store.log)
    keys.isLost = true
    let error = #expect(throws: AnnalsError.self) { try shop.events(store) }
    #expect(error?.code == .keyMissing)
    #expect(error?.details.position == 1)
    #expect(error?.details.type == "customer")
    let failed = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(failed?.code == .keyMissing)
    #expect(try shop.dump(store.log) == before)
    keys.isLost = false
    #expect(try shop.events(store).count == 5)
  }
}
