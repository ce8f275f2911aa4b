import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum GardensV1 {
  @Record struct PlantAdded: Equatable { var name: String }
}

@Schema(1, 1, 0) enum GardensV2 {
  @Record struct BedDug: Equatable {
    var id: UUID
    var place: String
  }
  @Record struct PlantAdded: Equatable {
    var name: String
    var bed: UUID?
  }
}

enum GardenPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GardensV1, GardensV2> {
    MigrationStage.lightweight(fromVersion: GardensV1.self, toVersion: GardensV2.self)
  }
}

extension GardensV2.Event: Equatable {}

@Suite struct NewRecordTests {
  // Promise P63.
  @Test func `a new record and an optional reference to it need no rule`() async throws {
    let place = try TemporaryStore()
    try await place.write([.plantAdded(.init(name: "Rose"))], as: GardensV1.self)
    let bed = UUID()
    let store = try EventStore(at: place.url, plan: GardenPlan.self)
    try await store.append(
      [.bedDug(.init(id: bed, place: "by the wall")), .plantAdded(.init(name: "Fern", bed: bed))], to: "all")
    #expect(
      try place.read(GardenPlan.self) == [
        .plantAdded(.init(name: "Rose", bed: nil)), .bedDug(.init(id: bed, place: "by the wall")),
        .plantAdded(.init(name: "Fern", bed: bed)),
      ])
  }
}
