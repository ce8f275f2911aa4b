import Testing

@testable import Annals
@testable import AnnalsStore

@Suite struct PlanReportTests {
  @Test func `the report shows every record and field, and useful remarks`() {
    #expect(
      PlanCheck(of: Gym.WorkoutPlan.self).description == """
        WorkoutPlan: 1.0.0, 2.0.0

        WorkoutsV1 1.0.0 -> WorkoutsV2 2.0.0: custom, scope record
          ~ SetsLogged  Split into SetLogged  (custom; new reads old: the rule; old reads new: needs a downcast, rarely possible)
          ~ BodyWeighed  read in its new shape
              ~ weight -> kilograms: float  (lightweight; new reads old: mapped; old reads new: mapped back)
              + note: text?  (lightweight; nil in older events; old reads new: ignored)
          = Heartbeat  carried unchanged
          + SetLogged  new  (lightweight; new reads old: what rules make; old reads new: an unknown type)

        what older programs read
          2.0.0: Heartbeat from 1.0.0 on; BodyWeighed from 1.0.0 on; SetLogged from 2.0.0 on (the version before has another record of this name, or none)

        note: in the stage from WorkoutsV1 (1.0.0) to WorkoutsV2 (2.0.0) a rule makes what 'SetsLogged' becomes: programs of version 1.0.0 need a downcast to read it
        note: in the stage from WorkoutsV1 (1.0.0) to WorkoutsV2 (2.0.0) programs of version 1.0.0 read 'BodyWeighed' of 2.0.0 with a limit, mapped back: `kilograms` was `weight`: it is read under its original name, as float
        """)
  }

  @Test func `a plan of one version has no stage and nothing to say`() {
    #expect(PlanCheck(of: Gym.FirstPlan.self).description == "FirstPlan: 1.0.0\n\nnothing found")
  }

  @Test func `a plan that does not hold together is reported, too`() {
    let check = PlanCheck(of: ForgetfulPlan.self)
    #expect(
      check.stages[0].records.map(\.description) == [
        "- SetsLogged  forgotten  (custom; new reads old: needs a rule; old reads new: -)",
        "- BodyWeighed  forgotten  (custom; new reads old: needs a rule; old reads new: -)",
        "= Heartbeat  carried unchanged",
      ])
    #expect(check.errors.count == 2)
  }

  @Test func `checking a plan with errors throws them all`() throws {
    let error = #expect(throws: AnnalsError.self) { try ForgetfulPlan.check() }
    #expect(error?.code == .invalidPlan)
    #expect(
      error?.message.hasPrefix("ForgetfulPlan does not hold together:\n- record 'SetsLogged' of ") == true)
    #expect(error?.message.split(separator: "\n").count == 3)
  }

  @Test func `checking a sound plan gives its report`() throws {
    let check = try Gym.WorkoutPlan.check()
    #expect(check.description == PlanCheck(of: Gym.WorkoutPlan.self).description)
  }
}

@Schema(2, 0, 0) private enum Forgetful { typealias Heartbeat = Gym.WorkoutsV1.Heartbeat }

private enum ForgetfulPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Gym.WorkoutsV1, Forgetful> {
    MigrationStage.custom(fromVersion: Gym.WorkoutsV1.self, toVersion: Forgetful.self)
  }
}
