import AnnalsCoding
import AnnalsSchema
import AnnalsShapes

/// Workouts in three versions, as they were released.
enum Gym {
  @Schema(1, 0, 0) enum WorkoutsV1 {
    @Record struct SetsLogged {
      var exercise: String
      var weight: Float
      var reps: Int
      var sets: Int
      static var samples: [SetsLogged] { [.init(exercise: "squat", weight: 60, reps: 5, sets: 2)] }
    }
    @Record struct BodyWeighed {
      var weight: Float
      static var samples: [BodyWeighed] { [.init(weight: 80)] }
    }
    @Record struct Heartbeat { var n: Int }
  }
  @Schema(2, 0, 0) enum WorkoutsV2 {
    typealias Heartbeat = WorkoutsV1.Heartbeat
    @Record struct BodyWeighed {
      @Field(originalName: "weight") var kilograms: Float
      var note: String?
    }
    @Record struct SetLogged {
      var exercise: String
      var kilograms: Float
      var reps: Int
    }
  }

  enum FirstPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<WorkoutsV1, WorkoutsV1> {}
  }
  enum WorkoutPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<WorkoutsV1, WorkoutsV2> {
      MigrationStage.custom(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV2.self) {
        Split(\.setsLogged, into: [\.setLogged]) { old, origin in
          (0..<old.sets).map { _ in
            .setLogged(.init(exercise: old.exercise, kilograms: old.weight, reps: old.reps))
          }
        }
      }
    }
  }
}

/// The same after someone has edited the released versions.
enum EditedGym {
  @Schema(1, 0, 0) enum WorkoutsV1 {
    typealias SetsLogged = Gym.WorkoutsV1.SetsLogged
    @Record struct BodyWeighed {
      var weight: Double
      var note: String?
    }
    @Record struct Stretched { var minutes: Int }
  }
  enum FirstPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<WorkoutsV1, WorkoutsV1> {}
  }
  enum WorkoutPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Gym.WorkoutsV1, Gym.WorkoutsV2> {
      MigrationStage.custom(fromVersion: Gym.WorkoutsV1.self, toVersion: Gym.WorkoutsV2.self) {
        Split(\.setsLogged, into: [\.setLogged]) { old, origin in
          (0..<old.sets).map { _ in
            .setLogged(.init(exercise: old.exercise, kilograms: old.weight * 2, reps: old.reps))
          }
        }
      }
    }
  }
}

/// The second version while it is worked on, and with other samples.
enum DraftGym {
  @Schema(1, 0, 0) enum WorkoutsV1 {
    typealias SetsLogged = Gym.WorkoutsV1.SetsLogged
    @Record struct BodyWeighed {
      var weight: Float
      static var samples: [BodyWeighed] { [.init(weight: 80), .init(weight: 90)] }
    }
    @Record struct Heartbeat {
      var n: Int
      static var samples: [Heartbeat] { [.init(n: 1)] }
    }
  }
  @Schema(2, 0, 0, .draft) enum WorkoutsV2 {
    typealias SetsLogged = WorkoutsV1.SetsLogged
    typealias BodyWeighed = WorkoutsV1.BodyWeighed
    typealias Heartbeat = WorkoutsV1.Heartbeat
  }
  enum WorkoutPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<WorkoutsV1, WorkoutsV2> {
      MigrationStage.lightweight(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV2.self)
    }
  }
}
