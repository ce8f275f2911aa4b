// The schemas and the plan that examples import or take for granted.
public import Annals

@Schema(1, 0, 0) public enum WorkoutsV1 {
  @Record public struct SetsLogged { public var exercise: String; public var weight: Double; public var reps: Int; public var sets: Int }
  @Record public struct BodyWeighed { public var weight: Double }
  @Record public struct Heartbeat { public var n: Int }
}

@Schema(2, 0, 0) public enum WorkoutsV2 {
  public typealias BodyWeighed = WorkoutsV1.BodyWeighed
  public typealias Heartbeat = WorkoutsV1.Heartbeat
  @Record public struct SetLogged { public var exercise: String; public var kilograms: Double; public var reps: Int }
}

public enum WorkoutPlan: SchemaMigrationPlan {
  public static var stages: MigrationChain<WorkoutsV1, WorkoutsV2> {
    MigrationStage.custom(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV2.self) {
      Split(\.setsLogged, into: [\.setLogged]) { old, origin in
        (0..<old.sets).map { _ in
          .setLogged(.init(exercise: old.exercise, kilograms: old.weight, reps: old.reps))
        }
      }
    }
  }
}
