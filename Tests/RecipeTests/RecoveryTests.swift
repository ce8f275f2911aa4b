import Annals
import Foundation
import Testing

/// How a program opens its store without ever losing one.
struct OrderDesk {
  let store: EventStore<OrderPlan>
  /// The new place of a store that this program cannot read.
  let movedTo: URL?

  init(at url: URL) throws {
    do throws(AnnalsError) {
      store = try EventStore(at: url, plan: OrderPlan.self)
      movedTo = nil
    } catch {
      guard error.recovery.contains(.moveAside) else { throw error }
      // Nothing is deleted: the newer program can still open the store under its new name.
      movedTo = try EventLog.resetMovingAside(url)
      store = try EventStore(at: url, plan: OrderPlan.self)
    }
  }
}

@Schema(9, 0, 0) enum OrdersV9 {
  @Record struct Placed: Equatable { var basket: [Int] }
}

extension OrdersV9.Event: Equatable {}

@Suite struct RecoveryTests {
  // Promise P132.
  @Test func `an error says what a program can do, and no way out deletes anything`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(basket: [1, 2]))], as: OrdersV9.self)
    let desk = try OrderDesk(at: place.url)
    try await desk.store.append([.placed(.init(cents: 1, currency: "EUR", note: nil))], to: "all")
    let aside = try #require(desk.movedTo)
    let old = try EventStore(at: aside, plan: OneSchema<OrdersV9>.self)
    var events: [OrdersV9.Event] = []
    for try await entry in old.entries(in: "all") { events.append(entry.event) }
    #expect(events == [.placed(.init(basket: [1, 2]))])
  }

  @Test func `a store that opens stays where it is`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(total: 1))], as: OrdersV1.self)
    #expect(try OrderDesk(at: place.url).movedTo == nil)
    #expect(try place.read(OrderPlan.self).count == 1)
  }
}
