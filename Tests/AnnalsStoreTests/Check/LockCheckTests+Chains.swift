import Foundation
import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsStore

/// Released versions keep their places in the chain of a plan.
extension LockCheckTests {
  @Test func `a released version does not leave the middle of the chain`() throws {
    try record(AllPlan.self)
    let error = error(SkippingPlan.self)
    #expect(error?.code == .shapeChanged)
    #expect(
      error?.message.split(separator: "\n").dropFirst() == [
        "- line 7: version 1.1.0 was released, and the plan does not have it any more: put its schema and its stages back"
      ])
  }

  @Test func `a released version does not leave the end of the chain`() throws {
    try record(AllPlan.self)
    #expect(
      error(ShortPlan.self)?.message.split(separator: "\n").dropFirst() == [
        "- line 15: version 1.2.0 was released, and the plan does not have it any more: put its schema and its stages back"
      ])
  }

  @Test func `a version is not put between released ones`() throws {
    try record(SkippingPlan.self)
    #expect(
      error(AllPlan.self, isRecording: true)?.message.split(separator: "\n").dropFirst() == [
        "- line 12: version 1.1.0 stands between 1.0.0 and 1.2.0, which were released without it: give it a version above 1.2.0"
      ])
  }

  @Test func `versions that leave the old end of the chain keep their lines`() throws {
    try record(AllPlan.self)
    let before = try text()
    let check = try LatePlan.check(file, isRecording: true)
    #expect(check.errors == [])
    #expect(try text() == before)
  }

  @Test func `an older version may be put before all that are locked`() throws {
    try record(LatePlan.self)
    try record(AllPlan.self)
    #expect(try text() == PlanLock(AllPlan.stages.outline, PlanSamples(of: AllPlan.stages)).text)
  }

  @Test func `a released version does not become a draft again`() throws {
    try record(AllPlan.self)
    #expect(
      error(RedraftedPlan.self)?.message.split(separator: "\n").dropFirst() == [
        "- line 15: Redrafted (1.2.0) was released, and is a draft now: release it, by leaving out .draft, and put changes into a new version"
      ])
  }
}

@Schema(1, 0, 0) private enum Ticks1 { @Record fileprivate struct Ticked { var n: Int } }

@Schema(1, 1, 0) private enum Ticks2 { typealias Ticked = Ticks1.Ticked }

@Schema(1, 2, 0) private enum Ticks3 { typealias Ticked = Ticks2.Ticked }

@Schema(1, 2, 0, .draft) private enum Redrafted { typealias Ticked = Ticks2.Ticked }

private enum AllPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Ticks1, Ticks3> {
    MigrationStage.lightweight(fromVersion: Ticks1.self, toVersion: Ticks2.self)
    MigrationStage.lightweight(fromVersion: Ticks2.self, toVersion: Ticks3.self)
  }
}

private enum SkippingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Ticks1, Ticks3> {
    MigrationStage.lightweight(fromVersion: Ticks1.self, toVersion: Ticks3.self)
  }
}

private enum ShortPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Ticks1, Ticks2> {
    MigrationStage.lightweight(fromVersion: Ticks1.self, toVersion: Ticks2.self)
  }
}

private enum LatePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Ticks2, Ticks3> {
    MigrationStage.lightweight(fromVersion: Ticks2.self, toVersion: Ticks3.self)
  }
}

private enum RedraftedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Ticks1, Redrafted> {
    MigrationStage.lightweight(fromVersion: Ticks1.self, toVersion: Ticks2.self)
    MigrationStage.lightweight(fromVersion: Ticks2.self, toVersion: Redrafted.self)
  }
}
