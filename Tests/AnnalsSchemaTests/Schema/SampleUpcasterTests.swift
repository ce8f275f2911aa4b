import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import AnnalsSchema

@Suite struct SampleUpcasterTests {
  private let v1 = SchemaVersion(1, 0, 0)
  private let v2 = SchemaVersion(2, 0, 0)
  private let v3 = SchemaVersion(3, 0, 0)

  private func upcast(_ record: some Record, _ version: SchemaVersion) throws -> [Lifted<OrdersV3.Event>] {
    try CompiledPlan(OrderPlan.self).upcast(record, version, as: OrderPlan.self)
  }

  @Test func `a record of the current version is delivered as it is`() throws {
    #expect(
      try upcast(OrdersV3.WordAdded(word: "tea"), v3) == [Lifted(.wordAdded(.init(word: "tea")))])
  }

  @Test func `a record that every version shares is delivered unchanged from each`() throws {
    let shipped = OrdersV1.Shipped(parcel: "p")
    for version in [v1, v2, v3] {
      #expect(try upcast(shipped, version) == [Lifted(.shipped(shipped))])
    }
  }

  @Test func `a record enters the chain at the version that it was stored under`() throws {
    #expect(
      try upcast(OrdersV2.LineAdded(text: "green tea"), v2) == [
        Lifted(.wordAdded(.init(word: "green")), [0]), Lifted(.wordAdded(.init(word: "tea")), [1]),
      ])
  }

  @Test func `each split adds a number to the path of its parts, in order`() throws {
    #expect(
      try upcast(OrdersV1.Placed(lines: ["green tea", "milk"], total: 7), v1) == [
        Lifted(.priced(.init(total: 7)), [0]),
        Lifted(.wordAdded(.init(word: "green")), [1, 0]), Lifted(.wordAdded(.init(word: "tea")), [1, 1]),
        Lifted(.wordAdded(.init(word: "milk")), [2, 0]),
      ])
  }

  @Test func `a split into nothing delivers nothing and moves no other part's path`() throws {
    #expect(
      try upcast(OrdersV1.Placed(lines: ["", "milk"], total: 7), v1) == [
        Lifted(.priced(.init(total: 7)), [0]), Lifted(.wordAdded(.init(word: "milk")), [2, 0]),
      ])
  }

  @Test func `a dropped record delivers nothing`() throws {
    #expect(try upcast(OrdersV1.Pinged(number: 1), v1) == [])
  }

  @Test func `a plan of one schema and no stage delivers its records`() throws {
    let plan = try CompiledPlan(FirstPlan.self)
    let pinged = OrdersV1.Pinged(number: 3)
    #expect(try plan.upcast(pinged, v1, as: FirstPlan.self) == [Lifted(.pinged(pinged))])
  }

  @Test func `a step from one record to one leaves the path as it is`() throws {
    let plan = try CompiledPlan(PathPlan.self)
    #expect(
      try plan.upcast(Paths1.A(seen: []), v1, as: PathPlan.self) == [
        Lifted(.a(.init(seen: ["typed []", "event []"])))
      ])
  }

  @Test func `a rule sees the path that the splits before it made`() throws {
    let plan = try CompiledPlan(PathPlan.self)
    #expect(
      try plan.upcast(Paths1.B(seen: []), v1, as: PathPlan.self) == [
        Lifted(.a(.init(seen: ["split []", "event [0]"])), [0])
      ])
  }

  @Test func `an event takes the coordinates of its entry with it`() throws {
    let plan = try CompiledPlan(OrderPlan.self)
    let origin = Origin(
      position: 41, stream: "order-9", revision: 6, timestamp: Timestamp(microseconds: 1_500_000), id: nil,
      metadata: ["user": "7"], log: Origin.sample().log)
    let delivery = TypedEventBuffer<OrdersV3.Event>()
    var payload: [UInt8] = []
    try OrdersV1.Shipped(parcel: "p").encode(into: &payload)
    try plan.upcast(plan.step(v1, "Shipped"), payload: payload.span, origin: origin, into: delivery)
    let entry = try #require(delivery.entries.first)
    #expect(entry.position == 41)
    #expect(entry.stream == "order-9")
    #expect(entry.revision == 6)
    #expect(entry.time.timeIntervalSince1970 == 1.5)
    #expect(entry.metadata == ["user": "7"])
  }

  @Test func `an event is encoded under its record's name`() throws {
    let encoded = try CompiledPlan(OrderPlan.self).encode(OrdersV3.Event.wordAdded(.init(word: "tea")))
    #expect(encoded.record.type.text == "WordAdded")
    #expect(try OrdersV3.WordAdded.decode(payload: encoded.payload.span) == .init(word: "tea"))
  }
}

private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV1, OrdersV1> {}
}

@Schema(1, 0, 0) private enum Paths1 {
  fileprivate struct A: Record, Codable, Equatable { var seen: [String] }
  fileprivate struct B: Record, Codable, Equatable { var seen: [String] }
}
@Schema(1, 1, 0) private enum Paths2 {
  fileprivate struct A: Record, Codable, Equatable { var seen: [String] }
}
@Schema(1, 1, 1) private enum Paths3 {
  fileprivate struct A: Record, Codable, Equatable { var seen: [String] }
}
extension Paths3.Event: Equatable {}

/// Every rule notes the path that it was given.
private enum PathPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Paths1, Paths3> {
    MigrationStage.custom(fromVersion: Paths1.self, toVersion: Paths2.self) {
      Upcast(\.a, to: \.a) { old, origin in .init(seen: old.seen + ["typed \(origin.path)"]) }
      Split(\.b) { old, origin in [.a(.init(seen: old.seen + ["split \(origin.path)"]))] }
    }
    MigrationStage.custom(fromVersion: Paths2.self, toVersion: Paths3.self) {
      Upcast(\.a) { old, origin in .a(.init(seen: old.seen + ["event \(origin.path)"])) }
    }
  }
}
