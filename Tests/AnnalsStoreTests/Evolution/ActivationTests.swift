import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Schema(1, 0, 0) private enum Parks1 {
  @Record fileprivate struct ParkAdded: Equatable {
    var name: String
    var city: String
  }
}
@Schema(2, 0, 0) private enum Parks2 {
  @Record fileprivate struct CityAdded: Equatable {
    var id: UUID
    var name: String
  }
  @Record fileprivate struct ParkAdded: Equatable {
    var name: String
    var city: UUID
  }
}
private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks1> {}
}
/// A city is added where its name comes first, and parks refer to it from then on.
private enum ParkPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks2> {
    MigrationStage.custom(
      fromVersion: Parks1.self, toVersion: Parks2.self,
      prepare: { history in
        try history.firstPositions { entry in
          if case .parkAdded(let park) = entry.event { park.city } else { nil }
        }
      }
    ) {
      Split(\.parkAdded, into: [\.cityAdded, \.parkAdded]) { old, origin, firsts in
        guard let first = firsts[old.city] else { throw UnknownCity() }
        let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(first.rawValue)))
        let park = Parks2.Event.parkAdded(.init(name: old.name, city: id))
        return first == origin.position ? [.cityAdded(.init(id: id, name: old.city)), park] : [park]
      }
    }
  }
  struct UnknownCity: Error {}
}
private enum AdoptingParkPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks2> { return ParkPlan.stages }
  static var unversioned: UnversionedEvents { .adopt(as: Parks1.self) }
}
private enum AdoptingThrowingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks2> { return ThrowingPlan.stages }
  static var unversioned: UnversionedEvents { .adopt(as: Parks1.self) }
}
private enum ContextlessPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks2> {
    MigrationStage.custom(fromVersion: Parks1.self, toVersion: Parks2.self) {
      Upcast(\.parkAdded, to: \.cityAdded) { old, _, _ in
        .init(id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), name: old.city)
      }
    }
  }
}
extension Parks2.Event: Equatable {}
private enum HugePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Parks1, Parks2> {
    MigrationStage.custom(
      fromVersion: Parks1.self, toVersion: Parks2.self,
      prepare: { _ in String(repeating: "x", count: 65 << 20) }
    ) {
      Drop(\.parkAdded, reason: "test")
    }
  }
}
private enum ThrowingPlan: SchemaMigrationPlan {
  struct Dirty: Error {}
  static var stages: MigrationChain<Parks1, Parks2> {
    MigrationStage.custom(
      fromVersion: Parks1.self, toVersion: Parks2.self,
      prepare: { _ -> Int in throw Dirty() }
    ) {
      Drop(\.parkAdded, reason: "test")
    }
  }
}

@Suite struct ActivationTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: FirstPlan.self)
    for (name, city) in [("Victoria", "Bath"), ("Hyde", "London"), ("Royal", "Bath")] {
      try await store.append([.parkAdded(.init(name: name, city: city))], to: "parks")
    }
    return place
  }

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  @Test func `before its context is there a store with older events does not open, and nothing has changed`()
    async throws
  {
    let place = try await seeded()
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: ParkPlan.self) }
    #expect(error?.code == .requiresActivation)
    #expect(try place.files() == files)
  }

  @Test func `the context is worked out once, kept, and given to every rule from then on`() async throws {
    let place = try await seeded()
    let names = try EventStore(at: place.url, plan: ParkPlan.self, options: activating).events().map {
      switch $0 {
      case .cityAdded(let city): "city \(city.name)"
      case .parkAdded(let park): "park \(park.name) in \(park.city.uuidString.suffix(1))"
      }
    }
    let expected = [
      "city Bath", "park Victoria in 1", "city London", "park Hyde in 2", "park Royal in 1",
    ]
    #expect(names == expected)
    // Later opens need no activation.
    #expect(try EventStore(at: place.url, plan: ParkPlan.self).events().count == 5)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `after an activation no program appends an older version, even if it had the store open before`()
    async throws
  {
    let place = try await seeded()
    let older = try EventStore(at: place.url, plan: FirstPlan.self)
    _ = try EventStore(at: place.url, plan: ParkPlan.self, options: activating)
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([.parkAdded(.init(name: "New", city: "York"))], to: "parks")
    }
    #expect(error?.code == .superseded)
    let imported = await #expect(throws: AnnalsError.self) {
      try await EventLog(at: place.url).append(
        [NewEntry(type: "ParkAdded", version: nil, payload: try Payload([:]))], to: "parks")
    }
    #expect(imported?.code == .superseded)
  }

  @Test func `a new store needs no activation`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: ParkPlan.self)
    try await store.append([.cityAdded(.init(id: UUID(), name: "York"))], to: "parks")
    #expect(try EventStore(at: place.url, plan: ParkPlan.self).events().count == 1)
  }

  @Test
  func `older events that come to a store which was never activated are refused, not read without a context`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: ParkPlan.self)
    let older = try EventStore(at: place.url, plan: FirstPlan.self)
    try await older.append([.parkAdded(.init(name: "New", city: "York"))], to: "parks")
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.code == .requiresActivation)
    #expect(try EventStore(at: place.url, plan: ParkPlan.self, options: activating).events().count == 2)
  }

  @Test func `an activation of a plan that cannot read the store changes nothing`() async throws {
    let place = try await seeded()
    try await place.open().append(
      [NewEntry(type: "Unknown", version: SchemaVersion(2, 0, 0), payload: try Payload([:]))], to: "parks")
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: ParkPlan.self, options: activating)
    }
    #expect(error?.code == .noPath)
    #expect(try place.files() == files)
    // So programs of the older version go on.
    try await place.open().append(
      [
        NewEntry(
          type: "ParkAdded", version: SchemaVersion(1, 0, 0),
          payload: try Payload(["name": "New", "city": "York"]))
      ], to: "parks")
  }

  @Test func `an adoption is undone with the context that could not be worked out`() async throws {
    let place = try await seeded()
    try await place.open().append(
      [
        NewEntry(
          type: "ParkAdded", version: nil, payload: try Payload(["name": "Old", "city": "York"]))
      ], to: "parks")
    let files = try place.files()
    #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: AdoptingThrowingPlan.self, options: activating)
    }
    #expect(try place.files() == files)
    let store = try EventStore(at: place.url, plan: AdoptingParkPlan.self, options: activating)
    #expect(try store.events().count == 7)
  }

  @Test func `a rule that asks for a context in a stage without one is given the empty one`() throws {
    let plan = try CompiledPlan(ContextlessPlan.self)
    #expect(
      try plan.upcast(
        Parks1.ParkAdded(name: "n", city: "c"), SchemaVersion(1, 0, 0), as: ContextlessPlan.self)
        == [
          Lifted(
            .cityAdded(.init(id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), name: "c")))
        ])
  }

  @Test func `a context that is too large or throws changes nothing`() async throws {
    let place = try await seeded()
    let files = try place.files()
    let huge = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: HugePlan.self, options: activating)
    }
    #expect(huge?.code == .tooLarge)
    let thrown = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: ThrowingPlan.self, options: activating)
    }
    #expect(thrown?.code == .ruleFailed)
    #expect(thrown?.underlying is ThrowingPlan.Dirty)
    #expect(try place.files() == files)
  }
}
