import Annals
import Foundation
import Testing

/// Version 1 stored every set of a workout as it was done.
@Schema(1, 0, 0) enum SetsV1 {
  @Record struct SetDone: Equatable {
    var exercise: String
    var kilograms: Double
    var reps: Int
  }
  @Record struct Rested: Equatable {
    var seconds: Int
  }
}

/// Version 2 has one event for all sets of an exercise.
@Schema(2, 0, 0) enum SetsV2 {
  @Record struct ExerciseDone: Equatable {
    var exercise: String
    var sets: Int
    var kilograms: Double
  }
  typealias Rested = SetsV1.Rested
}

extension SetsV2.Event: Equatable {}

/// The state gathered from the sets of an exercise.
struct ExerciseSoFar {
  var exercise = ""
  var sets = 0
  var kilograms = 0.0

  mutating func add(_ set: SetsV1.SetDone) {
    exercise = set.exercise
    sets += 1
    kilograms += set.kilograms * Double(set.reps)
  }
}

enum SetPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SetsV1, SetsV2> {
    MigrationStage.custom(fromVersion: SetsV1.self, toVersion: SetsV2.self) {
      Fold(
        \.setDone, into: \.exerciseDone, grouping: { old, _ in old.exercise }, from: ExerciseSoFar()
      ) { soFar, old, _ in
        soFar.add(old)
      } result: { soFar, _ in
        .init(exercise: soFar.exercise, sets: soFar.sets, kilograms: soFar.kilograms)
      }
    }
  }
}

/// The sets of a day become one event.
enum DayPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SetsV1, SetsV2> {
    MigrationStage.custom(fromVersion: SetsV1.self, toVersion: SetsV2.self) {
      Fold(
        [\.setDone, \.rested], into: [\.exerciseDone],
        grouping: { _, origin in Int(origin.time.timeIntervalSince1970 / 86_400) }, from: ExerciseSoFar(),
        emptyBecause: "nothing but rest"
      ) { soFar, event, _ in
        if case .setDone(let set) = event { soFar.add(set) }
      } result: { soFar, _ in
        if soFar.sets == 0 { return [] }
        return [.exerciseDone(.init(exercise: soFar.exercise, sets: soFar.sets, kilograms: soFar.kilograms))]
      }
    }
  }
}

@Suite struct FoldTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [
        .setDone(.init(exercise: "squat", kilograms: 100, reps: 5)), .rested(.init(seconds: 90)),
        .setDone(.init(exercise: "squat", kilograms: 100, reps: 5)),
        .setDone(.init(exercise: "bench", kilograms: 60, reps: 10)),
      ], as: SetsV1.self, at: Date(timeIntervalSince1970: 0))
    return place
  }

  // Promise P92.
  @Test func `the sets of an exercise become one event, in the place of the last one`() async throws {
    let place = try await seeded()
    #expect(
      try place.read(SetPlan.self, activating: true) == [
        .rested(.init(seconds: 90)), .exerciseDone(.init(exercise: "squat", sets: 2, kilograms: 1000)),
        .exerciseDone(.init(exercise: "bench", sets: 1, kilograms: 600)),
      ])
  }

  // Promise P93.
  @Test func `two types become one`() async throws {
    let place = try await seeded()
    #expect(
      try place.read(DayPlan.self, activating: true) == [
        .exerciseDone(.init(exercise: "bench", sets: 3, kilograms: 1600))
      ])
  }
}
