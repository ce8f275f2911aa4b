@Schema(1, 0, 0) enum TrainingV1 {
  @Record struct SetStarted { var exercise: String }
  @Record struct RepCounted {}
}
@Schema(2, 0, 0) enum TrainingV2 { @Record struct SetLogged { var exercise: String; var reps: Int } }
struct SetSoFar { var exercise = ""; var reps = 0 }
let stage = MigrationStage.custom(fromVersion: TrainingV1.self, toVersion: TrainingV2.self) {
// here
}
