import Annals
import AnnalsTesting
import Foundation
import Testing

/// The check that users run with their own stores before a release that rewrites them.
@Suite struct RewritingTests {
  private let place: TestStore

  init() throws {
    place = try TestStore()
  }

  private func seed() async throws {
    for number in 0..<30 {
      try await place.seed(WorkoutsV1.self) { call in
        call.append(
          [
            .setsLogged(.init(exercise: "Squat", weight: 80, reps: 5, sets: number % 4)), .pinged(.init()),
            .heartbeat(.init(n: number)),
          ], to: StreamName("athlete-\(number % 3)"))
      }
      try await place.seed(WorkoutsV3.self) { call in
        call.append([.counted(.init(exercise: "Row", reps: number))], to: "rows")
      }
    }
  }

  @Test func `a store that is rewritten reads the same, and the store itself is only read`() async throws {
    try await seed()
    let before = try Data(contentsOf: place.url.appending(path: "log-000001.mdb"))
    let report = try await Laws.rewriting(of: WorkoutPlan.self, store: place.url)
    #expect(report.isDone && report.entries == 120 && report.rewritten > 0)
    #expect(try Data(contentsOf: place.url.appending(path: "log-000001.mdb")) == before)
  }

  @Test func `an entry that a rule refuses is set aside and compared as well`() async throws {
    try await seed()
    try await place.seed(WorkoutsV1.self) { call in
      call.append([.setsLogged(.init(exercise: "", weight: 0, reps: 0, sets: -1))], to: "x")
      call.append([.heartbeat(.init(n: 1))], to: "x")
    }
    let report = try await Laws.rewriting(of: WorkoutPlan.self, store: place.url)
    #expect(report.quarantined == 1)
  }

  @Test func `a rule that gives something else each time is found`() async throws {
    try await place.seed(ImpureV1.self) { call in
      call.append([.seen(.init(names: ["a", "b", "c"]))], to: "x")
    }
    let error = await #expect(throws: AnnalsError.self) {
      try await Laws.rewriting(of: ImpurePlan<Random>.self, store: place.url)
    }
    #expect(error?.code == .verifyFailed)
  }
}
