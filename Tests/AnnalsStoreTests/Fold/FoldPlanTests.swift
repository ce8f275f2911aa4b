import Foundation
import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsStore

/// Mistakes in plans with folds that are found before any store is opened.
@Suite struct FoldPlanTests {
  private func problem<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> String {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(plan) }
    #expect(error?.code == .invalidPlan)
    return error?.message ?? ""
  }

  @Test func `a fold and another rule for one record are two rules`() {
    #expect(problem(TwiceTakenReadings.self).contains("'Read'"))
  }

  @Test func `a key path that leads to no record is a mistake, both for folded events and for the result`() {
    #expect(problem(NoRecordReadings.self).contains("Readings1"))
    #expect(problem(NoResultReadings.self).contains("Readings2"))
  }

  @Test func `a filter by type includes the sources of a fold`() throws {
    let plan = try CompiledPlan(StrictReadings.self)
    let sources = plan.sources(of: 0).map { "\(plan.steps[$0].version) \(plan.steps[$0].type)" }
    #expect(sources == ["1.0.0 Read", "2.0.0 Averaged"])
  }

  @Test func `a stage with a fold looks at streams, and is activated`() {
    let stage = StrictReadings.stages.outline.stages[0]
    #expect(stage.scope == .stream && stage.activatesAtOnePosition && StrictReadings.hasContexts)
  }

  @Test func `the check of a plan shows the folded records`() throws {
    let check = try #require(PlanCheck(of: StrictReadings.self).stages.first)
    let fate = try #require(check.records.first)
    #expect(fate.outcome == .folded(into: ["Averaged"]) && fate.changeClass == .custom)
    #expect("\(fate)".contains("Fold into Averaged"))
  }

  @Test func `a pass of one plan does not go on with that of another that folds otherwise`() throws {
    let (one, other) = (try CompiledPlan(OneForAllReadings.self), try CompiledPlan(OneForEachReadings.self))
    #expect(PlanMark.of(one) != PlanMark.of(other))
  }

  @Test func `a record without a stream is a group of its own`() throws {
    let pipeline = try StrictReadings.stages.pipeline(FrozenContexts())
    let form = try FirstReadings.stages.pipeline(FrozenContexts()).form(of: .read(.init(hour: 1, value: 8)))
    let origin = Origin(
      position: 1, stream: "meter", revision: 0, timestamp: Timestamp(microseconds: 0), id: nil,
      metadata: [:],
      log: UUID())
    let entries = try pipeline.entries(of: form, at: origin)
    #expect(entries.map(\.event) == [.averaged(.init(hour: 1, mean: 8))])
    #expect(entries.map(\.path) == [[0]])
  }
}
