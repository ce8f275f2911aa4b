import Annals
import Testing

@Schema(1, 0, 0) enum ExercisesV1 {
  @Record struct ExerciseAdded: Equatable { var title: String }
}

@Schema(1, 1, 0) enum ExercisesV2 {
  @Record struct ExerciseAdded: Equatable {
    var title: String
    var notes: String?
  }
}

enum ExercisePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ExercisesV1, ExercisesV2> {
    MigrationStage.lightweight(fromVersion: ExercisesV1.self, toVersion: ExercisesV2.self)
  }
}

extension ExercisesV1.Event: Equatable {}
extension ExercisesV2.Event: Equatable {}

@Suite struct ExerciseNotesTests {
  // Promise P19.
  @Test func `an optional field that is new is nil in older events`() async throws {
    let place = try TemporaryStore()
    try await place.write([.exerciseAdded(.init(title: "Squat"))], as: ExercisesV1.self)
    #expect(try place.read(ExercisePlan.self) == [.exerciseAdded(.init(title: "Squat", notes: nil))])
  }

  @Test func `an older program passes over the new field`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: ExercisePlan.self).append(
      [.exerciseAdded(.init(title: "Squat", notes: "deep"))], to: "all")
    #expect(try place.read(OneSchema<ExercisesV1>.self) == [.exerciseAdded(.init(title: "Squat"))])
  }

  // Promise P22.
  @Test func `a stage changes nothing on disk, and reading through one writes nothing`() async throws {
    let place = try TemporaryStore()
    try await place.write([.exerciseAdded(.init(title: "Squat"))], as: ExercisesV1.self)
    let files = try place.files()
    _ = try place.read(ExercisePlan.self)
    #expect(try place.files() == files)
  }

  // Promise P25.
  @Test func `two versions in one log are read as one`() async throws {
    let place = try TemporaryStore()
    try await place.write([.exerciseAdded(.init(title: "Squat"))], as: ExercisesV1.self)
    let store = try EventStore(at: place.url, plan: ExercisePlan.self)
    try await store.append([.exerciseAdded(.init(title: "Row", notes: "slow"))], to: "all")
    #expect(
      try place.read(ExercisePlan.self) == [
        .exerciseAdded(.init(title: "Squat", notes: nil)),
        .exerciseAdded(.init(title: "Row", notes: "slow")),
      ])
    let versions = try EventLog.inspect(place.url).census.map(\.version)
    #expect(versions == [SchemaVersion(1, 0, 0), SchemaVersion(1, 1, 0)])
  }
}
