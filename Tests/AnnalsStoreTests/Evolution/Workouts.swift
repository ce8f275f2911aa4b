import Foundation

@testable import Annals
@testable import AnnalsStore

@Schema(1, 0, 0) enum WorkoutsV1 {
  @Record struct SetsLogged: Equatable {
    var exercise: String
    var weight: Float
    var reps: Int
    var sets: Int
  }
  @Record struct BodyWeighed: Equatable { var weight: Float }
  @Record struct Heartbeat: Equatable { var n: Int }
  @Record struct PlaceNamed: Equatable { var name: String }
}

/// Two records change without a rule, one has a new name, and one is unchanged.
@Schema(1, 1, 0) enum WorkoutsV11 {
  typealias Heartbeat = WorkoutsV1.Heartbeat
  @Record struct SetsLogged: Equatable {
    @Field(originalName: "exercise") var title: String
    var note: String?
    var reps: Int
    var sets: Int
    var weight: Double
    var gym: String
  }
  @Record struct BodyWeighed: Equatable {
    @Field(originalName: "weight") var kilograms: Float
    var note: String?
  }
  @Record(formerly: ["PlaceNamed"]) struct GymNamed: Equatable { var name: String }
}

/// One record is split.
@Schema(2, 0, 0) enum WorkoutsV2 {
  typealias Heartbeat = WorkoutsV11.Heartbeat
  typealias BodyWeighed = WorkoutsV11.BodyWeighed
  typealias GymNamed = WorkoutsV11.GymNamed
  @Record struct SetLogged: Equatable {
    var title: String
    var kilograms: Double
    var reps: Int
  }
}

enum WorkoutsFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<WorkoutsV1, WorkoutsV1> {}
}

enum WorkoutsSecond: SchemaMigrationPlan {
  static var stages: MigrationChain<WorkoutsV1, WorkoutsV11> {
    MigrationStage.lightweight(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV11.self) {
      Default(\.setsLogged, \.gym, "Old Mill")
    }
  }
}

enum WorkoutPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<WorkoutsV1, WorkoutsV2> {
    MigrationStage.lightweight(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV11.self) {
      Default(\.setsLogged, \.gym, "Old Mill")
    }
    MigrationStage.custom(fromVersion: WorkoutsV11.self, toVersion: WorkoutsV2.self) {
      Split(\.setsLogged, into: [\.setLogged]) { old, origin in
        (0..<old.sets).map { _ in
          .setLogged(.init(title: old.title, kilograms: old.weight, reps: old.reps))
        }
      }
    }
  }
}

extension TemporaryStore {
  /// Stores one event of each record of the first version.
  func seedWorkouts() async throws {
    let store = try EventStore(at: url, plan: WorkoutsFirst.self)
    try await store.append(
      [
        .setsLogged(.init(exercise: "Squat", weight: 82.5, reps: 5, sets: 2)),
        .bodyWeighed(.init(weight: 80)),
        .heartbeat(.init(n: 7)), .placeNamed(.init(name: "Mill")),
      ], to: "workout-1")
  }
}

extension EventStore {
  /// All events, in order.
  func events() throws -> [Event] {
    try read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }
}

extension WorkoutsV1.Event: Equatable {}
extension WorkoutsV11.Event: Equatable {}
extension WorkoutsV2.Event: Equatable {}
