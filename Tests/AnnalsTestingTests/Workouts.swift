import Annals
import Foundation

/// A training diary in its first version.
@Schema(1, 0, 0) enum WorkoutsV1 {
  @Record struct SetsLogged: Equatable {
    var exercise: String
    var weight: Float
    var reps: Int
    var sets: Int
  }
  @Record struct BodyWeighed: Equatable { var weight: Float }
  @Record struct Heartbeat: Equatable { var n: Int }
  @Record struct Pinged: Equatable {}
}

/// A set is an event of its own, body weight has a unit and may have a note, and pings are no longer kept.
@Schema(2, 0, 0) enum WorkoutsV2 {
  typealias Heartbeat = WorkoutsV1.Heartbeat
  @Record struct BodyWeighed: Equatable {
    @Field(originalName: "weight") var kilograms: Float
    var note: String?
  }
  @Record struct SetLogged: Equatable {
    var exercise: String
    var kilograms: Float
    var reps: Int
  }
}

/// Weights and counts are separate records, and body weight is a double.
@Schema(3, 0, 0) enum WorkoutsV3 {
  typealias Heartbeat = WorkoutsV2.Heartbeat
  @Record struct BodyWeighed: Equatable {
    var kilograms: Double
    var note: String?
  }
  @Record struct Lifted: Equatable {
    var exercise: String
    var kilograms: Float
    var id: String
  }
  @Record struct Counted: Equatable {
    var exercise: String
    var reps: Int
  }
}

extension WorkoutsV3.Event: Equatable {}

/// The whole chain, with every kind of step: two consecutive splits, lightweight changes, a drop, a rule that
/// refuses, and an unchanged record.
enum WorkoutPlan: SchemaMigrationPlan {
  struct NoSets: Error {}

  static let toSecond = MigrationStage.custom(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV2.self) {
    Split(\.setsLogged, into: [\.setLogged]) { old, origin in
      guard old.sets >= 0 else { throw NoSets() }
      return (0..<old.sets).map { _ in
        .setLogged(.init(exercise: old.exercise, kilograms: old.weight, reps: old.reps))
      }
    }
    Drop(\.pinged, reason: "noise")
  }

  static var stages: MigrationChain<WorkoutsV1, WorkoutsV3> {
    toSecond
    MigrationStage.custom(fromVersion: WorkoutsV2.self, toVersion: WorkoutsV3.self) {
      Split(\.setLogged, into: [\.lifted, \.counted]) { old, origin in
        [
          .lifted(
            .init(
              exercise: old.exercise, kilograms: old.kilograms, id: origin.derivedID("lift").uuidString)),
          .counted(.init(exercise: old.exercise, reps: old.reps)),
        ]
      }
    }
  }
}

/// The same chain for stores that were begun without versions.
enum AdoptingWorkoutPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<WorkoutsV1, WorkoutsV3> { return WorkoutPlan.stages }
  static var unversioned: UnversionedEvents { .adopt(as: WorkoutsV1.self) }
}

extension WorkoutsV1.SetsLogged {
  static var samples: [Self] {
    [
      .init(exercise: "Squat", weight: 80, reps: 5, sets: 2),
      .init(exercise: "", weight: -0.5, reps: 0, sets: 0),
      .init(exercise: "Bench", weight: 0.1, reps: 3, sets: -1),
    ]
  }
}
extension WorkoutsV1.BodyWeighed {
  static var samples: [Self] { [.init(weight: 80.5), .init(weight: .infinity)] }
}
extension WorkoutsV1.Heartbeat {
  static var samples: [Self] { [.init(n: .min), .init(n: .max)] }
}
extension WorkoutsV1.Pinged {
  static var samples: [Self] { [.init()] }
}
extension WorkoutsV2.BodyWeighed {
  static var samples: [Self] { [.init(kilograms: 79, note: nil), .init(kilograms: 79, note: "after lunch")] }
}
extension WorkoutsV2.SetLogged {
  static var samples: [Self] { [.init(exercise: "Deadlift", kilograms: 100, reps: 1)] }
}
extension WorkoutsV3.BodyWeighed {
  static var samples: [Self] { [.init(kilograms: 78.25, note: nil)] }
}
extension WorkoutsV3.Lifted {
  static var samples: [Self] { [.init(exercise: "Squat", kilograms: 80, id: "1")] }
}
extension WorkoutsV3.Counted {
  static var samples: [Self] { [.init(exercise: "Squat", reps: 5)] }
}
