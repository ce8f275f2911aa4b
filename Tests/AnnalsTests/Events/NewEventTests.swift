import Testing

@testable import Annals
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct NewEventTests {
  @Test func `an event needs no metadata`() {
    let event = NewEvent(OrdersV1.Event.pinged(.init(number: 1)))
    #expect(event.id == nil)
    #expect(event.metadata.isEmpty)
    #expect(event.time == nil)
  }

  @Test func `the id of a process without descriptors is refused, and ids of the library are random`() throws
  {
    let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000000"))
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let event = NewEvent(OrdersV3.Event.priced(.init(total: 1)), id: id)
    let error = #expect(throws: AnnalsError.self) { try store.append([event], to: "a") }
    #expect(error?.code == .malformed)
    let entry = NewEntry(type: "Ticked", version: nil, payload: try Payload(bytes: [0xa0]), id: id)
    let untyped = #expect(throws: AnnalsError.self) { try store.log.append([entry], to: "a") }
    #expect(untyped?.code == .malformed)
    let ids = (0..<1_000).map { _ in UUID.random() }
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.uuidString.dropFirst(14).first == "4" })
    #expect(ids.allSatisfy { "89AB".contains($0.uuidString.dropFirst(19).first ?? "-") })
  }

  @Test func `an event keeps its metadata`() {
    let id = UUID()
    let time = Date(timeIntervalSince1970: 1)
    let event = NewEvent<OrdersV1.Event>(
      .pinged(.init(number: 1)), id: id, metadata: ["user": "7"], time: time)
    #expect(event.event == .pinged(.init(number: 1)))
    #expect(event.id == id)
    #expect(event.metadata == ["user": "7"])
    #expect(event.time == time)
  }
}
