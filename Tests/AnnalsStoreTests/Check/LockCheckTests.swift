import Foundation
import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsStore

@Suite struct LockCheckTests {
  private let folder: TemporaryStore
  let file: LockFile

  init() throws {
    folder = try TemporaryStore()
    file = LockFile(url: folder.directory.appendingPathComponent("Workouts.lock"))
  }

  func text() throws -> String { try String(contentsOf: file.url, encoding: .utf8) }

  func record<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws {
    _ = try plan.check(file, isRecording: true)
  }

  func error<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, isRecording: Bool = false
  ) -> AnnalsError? {
    #expect(throws: AnnalsError.self) { try plan.check(file, isRecording: isRecording) }
  }

  @Test func `a lock that is not there is asked for`() {
    let error = error(Gym.FirstPlan.self)
    #expect(error?.code == .invalidPlan)
    #expect(
      error?.message
        == "there is no lock file 'Workouts.lock' yet: run the test once with ANNALS_RECORD=1 in the environment, or check(lock:recording: true), and commit the file; while a version may still change, declare it as .draft"
    )
    #expect(!FileManager.default.fileExists(atPath: file.url.path))
  }

  @Test func `recording makes the file, and the plan passes from then on`() throws {
    let check = try Gym.FirstPlan.check(lock: file.url, recording: true)
    #expect(check.findings.map(\.message) == ["'Workouts.lock' has been extended: commit it"])
    let first = try text()
    let again = try Gym.FirstPlan.check(file, isRecording: false)
    #expect(again.findings == [])
    #expect(try text() == first)
  }

  @Test func `a released version that is not in the lock is asked for`() throws {
    try record(Gym.FirstPlan.self)
    let before = try text()
    let error = error(Gym.WorkoutPlan.self)
    #expect(error?.code == .invalidPlan)
    #expect(error?.details.version == SchemaVersion(2, 0, 0))
    #expect(
      error?.message
        == "'Workouts.lock' does not have version 2.0.0 of WorkoutPlan yet: run the test once with ANNALS_RECORD=1 in the environment, or check(lock:recording: true), and commit the file; while a version may still change, declare it as .draft"
    )
    #expect(try text() == before)
  }

  @Test func `recording a further version leaves the lines that are there`() throws {
    try record(Gym.FirstPlan.self)
    let before = try text()
    try record(Gym.WorkoutPlan.self)
    #expect(try text().hasPrefix(before))
    #expect(
      try text() == PlanLock(Gym.WorkoutPlan.stages.outline, PlanSamples(of: Gym.WorkoutPlan.stages)).text)
  }

  @Test func `recording writes nothing where nothing is new`() throws {
    try record(Gym.FirstPlan.self)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
    let check = try Gym.FirstPlan.check(file, isRecording: true)
    #expect(check.findings == [])
    let after = try FileManager.default.attributesOfItem(atPath: file.url.path)
    #expect(attributes[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
  }

  @Test func `a draft passes without being locked`() throws {
    try record(DraftGym.WorkoutPlan.self)
    #expect(try !text().contains("version 2.0.0"))
    _ = try DraftGym.WorkoutPlan.check(file, isRecording: false)
  }

  // Promise P11.
  @Test func `an edited released version is reported with the expected and the found shape`() throws {
    try record(Gym.FirstPlan.self)
    let error = error(EditedGym.FirstPlan.self)
    #expect(error?.code == .shapeChanged)
    #expect(
      error?.message == """
        FirstPlan changes what 'Workouts.lock' says was released:
        - line 3: record 'BodyWeighed' of WorkoutsV1 (1.0.0) is not what was released
            `weight`: expected float, found double
            `note`: expected no such field, found text?
            expected (weight: float)
            found    (weight: double, note: text?)
            give it back what it was released with, and put the change into a new version
        - line 7: record 'Heartbeat' of WorkoutsV1 (1.0.0) was released, and the schema does not have it any more: put it back, and drop it in a new version
        - line 2: record 'Stretched' of WorkoutsV1 (1.0.0) is not among those that were released with the version: put it into a new version
        """)
    #expect(error?.details.type == "BodyWeighed")
    #expect(error?.details.version == SchemaVersion(1, 0, 0))
    #expect(error?.details.line == 3)
    #expect(error?.details.file == "Workouts.lock")
  }

  @Test func `recording never covers up an edit`() throws {
    try record(Gym.FirstPlan.self)
    let before = try text()
    #expect(error(EditedGym.FirstPlan.self, isRecording: true)?.code == .shapeChanged)
    #expect(try text() == before)
  }

  // Promise P17.
  @Test func `a rule that does something else than when it was released is found`() throws {
    try record(Gym.WorkoutPlan.self)
    let error = error(EditedGym.WorkoutPlan.self)
    #expect(error?.code == .shapeChanged)
    // The digests are of `sha256sum` over what the sample becomes.
    #expect(
      error?.message == """
        WorkoutPlan changes what 'Workouts.lock' says was released:
        - line 33: the stage from WorkoutsV1 (1.0.0) to WorkoutsV2 (2.0.0) does something else with 'SetsLogged' than when it was released: its samples gave 06f0c757c420, and give 1a4e675ba57f now; give the rule back what it did, and correct events in a new version
        """)
    #expect(self.error(EditedGym.WorkoutPlan.self, isRecording: true)?.code == .shapeChanged)
  }

  @Test func `an edit is reported before its effects on the plan`() throws {
    try record(Gym.FirstPlan.self)
    let error = error(BrokenPlan.self)
    #expect(error?.code == .shapeChanged)
    let list = error?.message.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { $0.prefix(34) }
    #expect(
      list == [
        "- line 3: record 'BodyWeighed' of ", "- line 7: record 'Heartbeat' of Wo",
        "- line 2: record 'Stretched' of Wo", "- record 'BodyWeighed' of Workouts",
        "- record 'Stretched' of WorkoutsV1",
      ])
  }

  @Test func `the environment can ask for recording`() async throws {
    await #expect(processExitsWith: .success) { [path = file.url.path as String] in
      unsafe setenv("ANNALS_RECORD", "1", 1)
      try Gym.FirstPlan.check(lock: URL(fileURLWithPath: path))
    }
    #expect(try text() == PlanLock(Gym.FirstPlan.stages.outline, PlanSamples(of: Gym.FirstPlan.stages)).text)
  }

  @Test func `a constant that a released stage gives is not changed`() throws {
    try record(KilogramPlan.self)
    #expect(try text().contains("    takes Lifted\n      constant unit = \"kg\"\n      behaviour -\n"))
    let error = error(PoundPlan.self)
    #expect(error?.code == .shapeChanged)
    #expect(
      error?.message == """
        PoundPlan changes what 'Workouts.lock' says was released:
        - line 13: the stage from Lifts1 (1.0.0) to Lifts2 (1.1.0) gives other constants to 'Lifted' than when it was released
            expected unit = "kg"
            found    unit = "lb"
            give it the constants back, and correct events in a new version
        """)
    _ = try KilogramPlan.check(file, isRecording: false)
  }

  @Test func `samples may be added after the existing ones`() throws {
    try record(Gym.FirstPlan.self)
    let check = try DraftGym.WorkoutPlan.check(file, isRecording: false)
    #expect(
      check.findings.last?.message
        == "records have samples or unknown cases of which 'Workouts.lock' knows nothing yet: run the test once with ANNALS_RECORD=1 in the environment, and commit the file"
    )
  }

  @Test func `a rule is compared by the samples that the lock knows, also where there are more`() throws {
    try record(Gym.FirstPlan.self)
    try record(DoublePlan.self)
    #expect(try text().contains("    takes BodyWeighed\n      behaviour 1 "))
    _ = try DoublePlan.check(file, isRecording: false)
    let error = error(TwofoldPlan.self)
    #expect(error?.code == .shapeChanged)
    #expect(error?.details.type == "BodyWeighed")
    #expect(error?.details.version == SchemaVersion(2, 0, 0))
  }

  @Test func `recording fills in samples where there were none, and nothing else`() throws {
    try record(Gym.FirstPlan.self)
    let before = try text().split(separator: "\n")
    try record(DraftGym.WorkoutPlan.self)
    let after = try text().split(separator: "\n")
    #expect(before.count == after.count)
    let changed = zip(before, after).filter { $0 != $1 }
    #expect(changed.map { $0.0 } == ["    samples -"])
    #expect(changed.map { $0.1.prefix(14) } == ["    samples 1 "])
  }

  @Test func `samples that were released are not changed`() throws {
    try record(DraftGym.WorkoutPlan.self)
    let error = error(Gym.FirstPlan.self)
    #expect(error?.code == .shapeChanged)
    #expect(
      error?.message.split(separator: "\n").dropFirst() == [
        "- line 3: the samples of record 'BodyWeighed' of WorkoutsV1 (1.0.0) are not those that it was released with: restore the first 2, and add new ones after them",
        "- line 7: the samples of record 'Heartbeat' of WorkoutsV1 (1.0.0) are not those that it was released with: restore the first 1, and add new ones after them",
      ])
  }

  @Test func `a damaged lock is an error with its line`() throws {
    try record(Gym.FirstPlan.self)
    try text().replacing("    samples -\n", with: "").write(to: file.url, atomically: true, encoding: .utf8)
    let error = error(Gym.FirstPlan.self)
    #expect(error?.code == .malformed)
    #expect(error?.details.line == 10)
    #expect(
      error?.message
        == "line 10 of 'Workouts.lock': no such line may stand here; take the file back from version control")
  }

  @Test func `a lock of a later library is an error of its own`() throws {
    try "annals plan lock 7\n".write(to: file.url, atomically: true, encoding: .utf8)
    let error = error(Gym.FirstPlan.self, isRecording: true)
    #expect(error?.code == .needsNewer)
    #expect(
      error?.message
        == "line 1 of 'Workouts.lock': the file has form 7, and this library reads form 4: use a newer library"
    )
    #expect(try text() == "annals plan lock 7\n")
  }

  @Test func `a lock that cannot be written is an error`() {
    let nowhere = LockFile(url: folder.directory.appendingPathComponent("none/Workouts.lock"))
    let error = #expect(throws: AnnalsError.self) {
      try Gym.FirstPlan.check(nowhere, isRecording: true)
    }
    #expect(error?.code == .cannotCreate)
    #expect(
      error?.message
        == "writing the lock file '\(nowhere.url.path)' failed: the directory above it does not exist; create it first"
    )
  }
}

@Schema(2, 0, 0) private enum OnlySets { typealias SetsLogged = EditedGym.WorkoutsV1.SetsLogged }

@Schema(1, 0, 0) private enum Lifts1 { @Record fileprivate struct Lifted { var weight: Int } }
@Schema(1, 1, 0) private enum Lifts2 {
  @Record fileprivate struct Lifted {
    var weight: Int
    var unit: String
  }
}

private enum KilogramPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Lifts1, Lifts2> {
    MigrationStage.lightweight(fromVersion: Lifts1.self, toVersion: Lifts2.self) {
      Default(\.lifted, \.unit, "kg")
    }
  }
}
private enum PoundPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Lifts1, Lifts2> {
    MigrationStage.lightweight(fromVersion: Lifts1.self, toVersion: Lifts2.self) {
      Default(\.lifted, \.unit, "lb")
    }
  }
}
@Schema(2, 0, 0) private enum Double2 {
  typealias SetsLogged = DraftGym.WorkoutsV1.SetsLogged
  typealias Heartbeat = DraftGym.WorkoutsV1.Heartbeat
  @Record fileprivate struct BodyWeighed { var weight: Double }
}

private enum DoublePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DraftGym.WorkoutsV1, Double2> {
    MigrationStage.custom(fromVersion: DraftGym.WorkoutsV1.self, toVersion: Double2.self) {
      Upcast(\.bodyWeighed, to: \.bodyWeighed) { old, origin in .init(weight: Double(old.weight)) }
    }
  }
}
private enum TwofoldPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DraftGym.WorkoutsV1, Double2> {
    MigrationStage.custom(fromVersion: DraftGym.WorkoutsV1.self, toVersion: Double2.self) {
      Upcast(\.bodyWeighed, to: \.bodyWeighed) { old, origin in .init(weight: 2 * Double(old.weight)) }
    }
  }
}
private enum BrokenPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<EditedGym.WorkoutsV1, OnlySets> {
    MigrationStage.custom(fromVersion: EditedGym.WorkoutsV1.self, toVersion: OnlySets.self)
  }
}
