import Annals
import Testing

@Schema(1, 0, 0) enum TripsV1 {
  @Record struct TripPlanned: Equatable { var goal: String }
}

/// Version 2 as it was on Monday.
@Schema(2, 0, 0, .draft) enum MondayTrips {
  @Record struct TripPlanned: Equatable {
    var goal: String
    var days: Int32?
  }
}

/// Version 2 as it was on Friday.
@Schema(2, 0, 0, .draft) enum FridayTrips {
  @Record struct TripPlanned: Equatable {
    var goal: String
    var days: Int64?
    var guide: String?
  }
}

/// Version 2 as it shipped.
@Schema(2, 0, 0) enum TripsV2 {
  @Record struct TripPlanned: Equatable {
    var goal: String
    var days: Int64?
    var guide: String?
  }
}

enum MondayPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TripsV1, MondayTrips> {
    MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: MondayTrips.self)
  }
}

enum FridayPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TripsV1, FridayTrips> {
    MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: FridayTrips.self)
  }
}

enum TripPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TripsV1, TripsV2> {
    MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)
  }
}

extension TripsV2.Event: Equatable {}

@Suite struct DraftTests {
  // Promise P13.
  @Test func `one version takes many changes while it is a draft, and nothing that was tried is lost`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.tripPlanned(.init(goal: "Oslo"))], as: TripsV1.self)
    try await EventStore(at: place.url, plan: MondayPlan.self).append(
      [.tripPlanned(.init(goal: "Rome", days: 3))], to: "all")
    try await EventStore(at: place.url, plan: FridayPlan.self).append(
      [.tripPlanned(.init(goal: "Bath", days: 2, guide: "Ada"))], to: "all")
    try await EventStore(at: place.url, plan: TripPlan.self).append(
      [.tripPlanned(.init(goal: "Cork", days: 1, guide: nil))], to: "all")
    #expect(
      try place.read(TripPlan.self) == [
        .tripPlanned(.init(goal: "Oslo", days: nil, guide: nil)),
        .tripPlanned(.init(goal: "Rome", days: 3, guide: nil)),
        .tripPlanned(.init(goal: "Bath", days: 2, guide: "Ada")),
        .tripPlanned(.init(goal: "Cork", days: 1, guide: nil)),
      ])
  }

  // Promise P14.
  @Test func `a version that is released takes no change any more`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: TripPlan.self).append(
      [.tripPlanned(.init(goal: "Cork", days: 1, guide: nil))], to: "all")
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try place.read(MondayPlan.self) }
    #expect(error?.code == .shapeChanged)
    #expect(try place.files() == files)
  }
}
