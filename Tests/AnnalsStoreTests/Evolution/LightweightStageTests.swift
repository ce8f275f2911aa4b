import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Suite struct LightweightStageTests {
  private let squat = WorkoutsV11.SetsLogged(
    title: "Squat", note: nil, reps: 5, sets: 2, weight: 82.5, gym: "Old Mill")

  @Test
  func `fields are renamed, added, widened and reordered without a rule, constants from the stage alone`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    #expect(
      try EventStore(at: place.url, plan: WorkoutsSecond.self).events() == [
        .setsLogged(squat), .bodyWeighed(.init(kilograms: 80, note: nil)), .heartbeat(.init(n: 7)),
        .gymNamed(.init(name: "Mill")),
      ])
  }

  @Test func `events converted by a lightweight stage continue through the rules of the next`() async throws {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    let set = WorkoutsV2.SetLogged(title: "Squat", kilograms: 82.5, reps: 5)
    #expect(
      try store.events() == [
        .setLogged(set), .setLogged(set), .bodyWeighed(.init(kilograms: 80, note: nil)),
        .heartbeat(.init(n: 7)), .gymNamed(.init(name: "Mill")),
      ])
  }

  @Test func `several versions in one log are the normal state`() async throws {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    let second = try EventStore(at: place.url, plan: WorkoutsSecond.self)
    var later = squat
    later.note = "hard"
    try await second.append([.setsLogged(later), .heartbeat(.init(n: 8))], to: "workout-1")
    let third = try EventStore(at: place.url, plan: WorkoutPlan.self)
    try await third.append([.heartbeat(.init(n: 9))], to: "workout-1")
    #expect(try third.events().count == 9)
    #expect(
      try third.events().compactMap { if case .heartbeat(let beat) = $0 { beat.n } else { nil } } == [
        7, 8, 9,
      ])
    #expect(try EventLog.verify(place.url).isClean)
  }

  // Promise P65.
  @Test func `a filter by type is widened to the former names of a record`() throws {
    let plan = try CompiledPlan(WorkoutPlan.self)
    let gym = try #require(plan.current.records.firstIndex { $0.name.text == "GymNamed" })
    #expect(
      plan.sources(of: gym).map { "\(plan.steps[$0].version) \(plan.steps[$0].type)" } == [
        "1.0.0 PlaceNamed", "1.1.0 GymNamed", "2.0.0 GymNamed",
      ])
  }

  @Test func `a typed event meets a lightweight stage with the same result as its bytes`() throws {
    let plan = try CompiledPlan(ThreeHops.self)
    #expect(
      try plan.upcast(Hop1.A(n: 5), SchemaVersion(1, 0, 0), as: ThreeHops.self)
        == [Lifted(.a(.init(n: 6, text: nil)))])
  }
}

@Schema(1, 0, 0) private enum Hop1 {
  @Record fileprivate struct A: Equatable { var n: Int32 }
}
@Schema(2, 0, 0) private enum Hop2 {
  @Record fileprivate struct A: Equatable { var n: Int32 }
}
@Schema(3, 0, 0) private enum Hop3 {
  @Record fileprivate struct A: Equatable {
    var n: Int64
    var text: String?
  }
}
private enum ThreeHops: SchemaMigrationPlan {
  static var stages: MigrationChain<Hop1, Hop3> {
    MigrationStage.custom(fromVersion: Hop1.self, toVersion: Hop2.self) {
      Upcast(\.a, to: \.a) { old, _ in .init(n: old.n + 1) }
    }
    MigrationStage.lightweight(fromVersion: Hop2.self, toVersion: Hop3.self)
  }
}
extension Hop3.Event: Equatable {}
