import Annals
import Testing

@Schema(1, 0, 0) enum TrainingV1 {
  @Value struct WeightData: Equatable {
    var kilograms: Double
    var reps: Int
    var sets: Int
  }
  @Record struct ExerciseDone: Equatable {
    var exercise: String
    var data: WeightData
  }
}

@Schema(2, 0, 0) enum TrainingV2 {
  @Record struct SetPerformed: Equatable {
    var exercise: String
    var kilograms: Double
    var reps: Int
  }
}

enum TrainingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TrainingV1, TrainingV2> {
    MigrationStage.custom(fromVersion: TrainingV1.self, toVersion: TrainingV2.self) {
      Split(\.exerciseDone, into: [\.setPerformed]) { old, _ in
        let set = TrainingV2.SetPerformed(
          exercise: old.exercise, kilograms: old.data.kilograms, reps: old.data.reps)
        return Array(repeating: .setPerformed(set), count: old.data.sets)
      }
    }
  }
}

typealias SetPerformed = TrainingV2.SetPerformed

extension SetPerformed {
  /// The total weight moved.
  var volume: Double { kilograms * Double(reps) }
}

extension TrainingV2.Event: Equatable {}

@Suite struct PerformedSetTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [
        .exerciseDone(.init(exercise: "Squat", data: .init(kilograms: 80, reps: 5, sets: 3))),
        .exerciseDone(.init(exercise: "Row", data: .init(kilograms: 50, reps: 8, sets: 0))),
        .exerciseDone(.init(exercise: "Press", data: .init(kilograms: 40, reps: 6, sets: 1))),
      ], as: TrainingV1.self)
    return place
  }

  // Promise P87.
  @Test func `one record becomes many in one rule, without a version in between`() async throws {
    let place = try await seeded()
    let squat = TrainingV2.SetPerformed(exercise: "Squat", kilograms: 80, reps: 5)
    let press = TrainingV2.SetPerformed(exercise: "Press", kilograms: 40, reps: 6)
    #expect(
      try place.read(TrainingPlan.self) == [
        .setPerformed(squat), .setPerformed(squat), .setPerformed(squat), .setPerformed(press),
      ])
  }

  // Promise P89.
  @Test func `the parts share the place of their entry and are distinguished by their path`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: TrainingPlan.self)
    var places: [String] = []
    for try await entry in store.entries(in: "all") { places.append("\(entry.position) \(entry.path)") }
    #expect(places == ["1 [0]", "1 [1]", "1 [2]", "3 [0]"])
  }

  // Promise P9.
  @Test func `behaviour is on the alias, and moves to the next version with it`() async throws {
    let place = try await seeded()
    let volumes = try place.read(TrainingPlan.self).map { event in
      switch event {
      case .setPerformed(let set): set.volume
      }
    }
    #expect(volumes == [400, 400, 400, 240])
  }
}
