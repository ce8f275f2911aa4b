import Annals
import AnnalsTesting
import Testing

@Suite struct VerificationTests {
  @Test func `a stage's verify sees the older log and its newer form`() async throws {
    let place = try TestStore()
    try await place.seed(RanksV1.self) { call in
      call.append(
        [.scored(.init(points: 5)), .scored(.init(points: 9)), .scored(.init(points: 7))], to: "game")
    }
    try place.verify(plan: RanksPlan.self)
  }

  @Test func `an error of a stage's verify is reported with the stage`() async throws {
    let place = try TestStore()
    try await place.seed(RanksV1.self) { call in
      // Two of a score share a rank, which the stage does not allow.
      call.append([.scored(.init(points: 5)), .scored(.init(points: 5))], to: "game")
    }
    let failure = #expect(throws: VerificationFailure.self) { try place.verify(plan: RanksPlan.self) }
    #expect(failure?.from == SchemaVersion(1, 0, 0))
    #expect(failure?.to == SchemaVersion(2, 0, 0))
    #expect(failure?.underlying is RanksPlan.OutOfOrder)
    #expect(failure?.description == "the 'verify' of the stage from 1.0.0 to 2.0.0 threw: OutOfOrder()")
  }

  @Test func `a stage's prepare runs over a seeded store when it is activated, and only then`() async throws {
    let place = try TestStore()
    try await place.seed(RanksV1.self) { call in
      call.append([.scored(.init(points: 5)), .scored(.init(points: 9))], to: "game")
    }
    let error = #expect(throws: AnnalsError.self) { try place.open(plan: RanksPlan.self) }
    #expect(error?.code == .requiresActivation)
    try place.activate(plan: RanksPlan.self)
    let events = try place.open(plan: RanksPlan.self).events()
    #expect(events == [.ranked(.init(points: 5, rank: 2)), .ranked(.init(points: 9, rank: 1))])
  }

  @Test func `a plan without verify has nothing to verify`() async throws {
    let place = try TestStore()
    try await place.seed(WorkoutsV1.self) { call in call.append([.heartbeat(.init(n: 1))], to: "x") }
    try place.verify(plan: WorkoutPlan.self)
  }
}
