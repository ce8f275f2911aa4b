import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum ParksV1 {
  @Record struct ParkAdded: Equatable {
    var name: String
    var city: String?
  }
}

@Schema(2, 0, 0) enum ParksV2 {
  @Record struct CityAdded: Equatable {
    var id: UUID
    var name: String
  }
  @Record struct ParkAdded: Equatable {
    var name: String
    var city: UUID?
  }
}

enum ParkPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV1, ParksV2> {
    MigrationStage.custom(
      fromVersion: ParksV1.self, toVersion: ParksV2.self,
      prepare: { history in
        try history.firstPositions { entry in
          if case .parkAdded(let park) = entry.event { park.city.map(normalised) } else { nil }
        }
      }
    ) {
      Split(\.parkAdded, into: [\.cityAdded, \.parkAdded]) { old, origin, firsts in
        guard let name = old.city else { return [.parkAdded(.init(name: old.name, city: nil))] }
        let key = normalised(name)
        let id = origin.sharedID("city:\(key)")
        let park = ParksV2.Event.parkAdded(.init(name: old.name, city: id))
        return firsts[key] == origin.position ? [.cityAdded(.init(id: id, name: name)), park] : [park]
      }
    }
  }

  /// The common form of different spellings of a city's name.
  static func normalised(_ city: String) -> String {
    city.trimmingCharacters(in: .whitespaces).lowercased()
  }
}

extension ParksV2.Event: Equatable {}

@Suite struct ParksAndCitiesTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    let parks: [(String, String?)] = [
      ("Victoria", "Bath"), ("Hyde", "London"), ("Victoria", "London "), ("Royal", "bath"), ("Wild", nil),
    ]
    try await place.write(parks.map { .parkAdded(.init(name: $0.0, city: $0.1)) }, as: ParksV1.self)
    return place
  }

  @Test
  func `a city is added once, where its name comes first, and parks of equal names keep their own cities`()
    async throws
  {
    let place = try await seeded()
    let events = try place.read(ParkPlan.self, activating: true)
    let log = try EventLog(at: place.url)
    let (bath, london) = (log.sharedID("city:bath"), log.sharedID("city:london"))
    #expect(bath != london)
    #expect(
      events == [
        .cityAdded(.init(id: bath, name: "Bath")), .parkAdded(.init(name: "Victoria", city: bath)),
        .cityAdded(.init(id: london, name: "London")), .parkAdded(.init(name: "Hyde", city: london)),
        .parkAdded(.init(name: "Victoria", city: london)), .parkAdded(.init(name: "Royal", city: bath)),
        .parkAdded(.init(name: "Wild", city: nil)),
      ])
  }

  // Promise P101.
  @Test func `a store with older events opens only after the context has been worked out once`() async throws
  {
    let place = try await seeded()
    let error = #expect(throws: AnnalsError.self) { try place.read(ParkPlan.self) }
    #expect(error?.code == .requiresActivation)
    let events = try place.read(ParkPlan.self, activating: true)
    #expect(try place.read(ParkPlan.self) == events)
  }

  // Promise P98.
  @Test func `events appended later refer to the cities that the rules made`() async throws {
    let place = try await seeded()
    _ = try place.read(ParkPlan.self, activating: true)
    let store = try EventStore(at: place.url, plan: ParkPlan.self)
    let bath = store.log.sharedID("city:\(ParkPlan.normalised("Bath"))")
    try await store.append([.parkAdded(.init(name: "Henrietta", city: bath))], to: "all")
    let events = try place.read(ParkPlan.self)
    #expect(events.last == .parkAdded(.init(name: "Henrietta", city: bath)))
    #expect(events.first == .cityAdded(.init(id: bath, name: "Bath")))
  }
}
