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
