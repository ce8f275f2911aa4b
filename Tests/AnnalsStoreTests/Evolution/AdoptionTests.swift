import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Suite struct AdoptionTests {
  @Schema(1, 0, 0) fileprivate enum Parks1 {
    @Record fileprivate struct ParkAdded: Equatable {
      var name: String
      var city: String
    }
  }
  private enum FirstPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Parks1, Parks1> {}
  }
  private enum Adopting: SchemaMigrationPlan {
    static var stages: MigrationChain<Parks1, Parks1> {}
    static var unversioned: UnversionedEvents { .adopt(as: Parks1.self) }
  }

  @Schema(1, 5, 0) fileprivate enum Later {
    @Record fileprivate struct ParkAdded: Equatable {
      var name: String
      var city: String
    }
  }
  private enum AdoptingLater: SchemaMigrationPlan {
    static var stages: MigrationChain<Later, Later> {}
    static var unversioned: UnversionedEvents { .adopt(as: Later.self) }
  }

  private func seeded(_ payloads: [CBOR]) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    for payload in payloads {
      try await log.append(
        [NewEntry(type: "ParkAdded", version: nil, payload: try Payload(payload))], to: "parks")
    }
    return place
  }

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  @Test
  func `events without a version are taken over once all of them have been read as the version that is said`()
    async throws
  {
    let place = try await seeded([["name": "Hyde", "city": "London"], ["name": "Royal", "city": "Bath"]])
    #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: FirstPlan.self) }
    let before = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Adopting.self) }
    #expect(before?.code == .requiresActivation)
    let store = try EventStore(at: place.url, plan: Adopting.self, options: activating)
    #expect(try store.events().count == 2)
    #expect(try EventStore(at: place.url, plan: Adopting.self).events().count == 2)
  }

  @Test func `the version given to events without one is not changed by another plan`() async throws {
    let place = try await seeded([["name": "Hyde", "city": "London"]])
    _ = try EventStore(at: place.url, plan: Adopting.self, options: activating)
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: AdoptingLater.self, options: activating)
    }
    #expect(error?.code == .shapeChanged)
    #expect(error?.message.contains("1.0.0") == true)
  }

  @Test func `a mismatch lists the types and fields that differ, and nothing has changed`() async throws {
    let place = try await seeded([
      ["name": "Hyde", "city": "London"], ["name": "Royal"], ["name": 3, "city": "Bath"],
    ])
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: Adopting.self, options: activating)
    }
    #expect(error?.code == .shapeChanged)
    #expect(error?.details.kinds.map(\.firstPosition) == [2, 3])
    #expect(error?.message.contains("city") == true)
    #expect(error?.message.contains("name") == true)
    #expect(try place.files() == files)
  }
}
