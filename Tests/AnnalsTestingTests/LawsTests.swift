import Annals
import AnnalsTesting
import Testing

@Suite struct LawsTests {
  @Test func `a sample reads the same on every way through the versions`() async throws {
    try await Laws.pathIndependence(of: WorkoutPlan.self)
    try await Laws.pathIndependence(of: RanksPlan.self)
  }

  @Test func `rules are pure`() async throws {
    try await Laws.purity(of: WorkoutPlan.self)
    await #expect(throws: PurityFailure.self) { try await Laws.purity(of: ImpurePlan<Random>.self) }
  }

  @Test func `a mix of versions with splits and drops keeps every place`() async throws {
    let place = try TestStore()
    for number in 0..<12 {
      let stream = StreamName("athlete-\(number % 3)")
      try await place.seed(WorkoutsV1.self) { call in
        call.append(
          [
            .setsLogged(.init(exercise: "Squat", weight: 80, reps: 5, sets: number % 4)), .pinged(.init()),
            .heartbeat(.init(n: number)),
          ], to: stream)
      }
      try await place.seed(WorkoutsV2.self) { call in
        call.append([.setLogged(.init(exercise: "Bench", kilograms: 60, reps: number))], to: stream)
      }
      try await place.seed(WorkoutsV3.self) { call in
        call.append([.counted(.init(exercise: "Row", reps: number))], to: "rows")
      }
    }
    // A dropped entry at the end of a stream, whose head revision must still count it.
    try await place.seed(WorkoutsV1.self) { call in call.append([.pinged(.init())], to: "rows") }
    try Laws.coordinates(of: WorkoutPlan.self, in: place)
  }

  @Test func `a store with an entry that a rule refuses is no store to check`() async throws {
    let place = try TestStore()
    try await place.seed(WorkoutsV1.self) { call in
      call.append([.setsLogged(.init(exercise: "", weight: 0, reps: 0, sets: -1))], to: "x")
    }
    let error = #expect(throws: AnnalsError.self) { try Laws.coordinates(of: WorkoutPlan.self, in: place) }
    #expect(error?.code == .ruleFailed)
  }
}
