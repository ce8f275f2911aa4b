import Annals
import AnnalsTesting
import Testing

@Schema(1, 0, 0) private enum StepsV1 {
  @Record fileprivate struct Walked: Equatable {
    var day: Int
    var steps: Int
    static var samples: [Self] {
      [1, 1, 2, 2, 2, 3].enumerated().map { Self(day: $0.element, steps: $0.offset) }
    }
  }
}
@Schema(2, 0, 0) private enum StepsV2 {
  @Record fileprivate struct DayWalked: Equatable {
    var day: Int
    var steps: [Int]
    static var samples: [Self] {
      [Self(day: 1, steps: [1, 2]), Self(day: 1, steps: [3]), Self(day: 2, steps: [])]
    }
  }
}
@Schema(3, 0, 0) private enum StepsV3 {
  @Record fileprivate struct WeekWalked: Equatable { var steps: [Int] }
}
extension StepsV3.Event: Equatable {}

/// Steps become days, and days weeks of two days.
private enum StepsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<StepsV1, StepsV3> {
    MigrationStage.custom(fromVersion: StepsV1.self, toVersion: StepsV2.self) {
      Fold(
        \.walked, into: \.dayWalked, grouping: { old, _ in old.day },
        from: StepsV2.DayWalked(day: 0, steps: [])
      ) {
        day, old, _ in
        day = .init(day: old.day, steps: day.steps + [old.steps])
      } result: { day, _ in
        day
      }
    }
    MigrationStage.custom(fromVersion: StepsV2.self, toVersion: StepsV3.self) {
      Fold(\.dayWalked, into: \.weekWalked, grouping: { old, _ in (old.day + 1) / 2 }, from: [Int]()) {
        steps, old, _ in
        steps += old.steps
      } result: { steps, _ in
        .init(steps: steps)
      }
    }
  }
}

/// Plans with folds in the tests that users write.
@Suite struct FoldTests {
  @Test func `events of one stream are folded as a store folds them`() throws {
    try Given<StepsV1.Event>([
      .walked(.init(day: 1, steps: 10)), .walked(.init(day: 1, steps: 20)), .walked(.init(day: 2, steps: 5)),
      .walked(.init(day: 3, steps: 7)),
    ]).when(StepsPlan.self).then([
      .weekWalked(.init(steps: [10, 20, 5])), .weekWalked(.init(steps: [7])),
    ])
  }

  @Test func `every version reads as every later one by every way`() async throws {
    try await MigrationHarness(StepsPlan.self).check()
  }

  @Test func `rules that fold are pure`() async throws {
    try await Purity.check(StepsPlan.self)
  }

  @Test func `a pass gives the same events as reads`() async throws {
    let place = try TestStore()
    do {
      let store = try EventStore(at: place.url, plan: FirstSteps.self)
      for number in 0..<60 {
        try await store.append([.walked(.init(day: number / 7, steps: number))], to: "walker-\(number % 3)")
      }
    }
    let report = try await Laws.rewriting(of: StepsPlan.self, store: place.url)
    #expect(report.folded > 0)
  }
}
private enum FirstSteps: SchemaMigrationPlan {
  static var stages: MigrationChain<StepsV1, StepsV1> {}
}
