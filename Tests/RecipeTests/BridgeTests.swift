import Annals
import Foundation
import Testing

@Value struct DiaryWeight: Equatable {
  var weight: Double
  var reps: Int
  var sets: Int
}

@Value struct DiarySet: Equatable {
  var weight: Double
  var reps: Int
}

@Schema(1, 0, 0) enum DiaryV1 {
  @Record struct Exercised: Equatable {
    var title: String
    var data: DiaryWeight
  }
}

/// The older fields stay next to the new one, so that programs of the first version read every record.
@Schema(2, 0, 0, .bridge) enum DiaryV2 {
  @Record struct Exercised: Equatable {
    var title: String
    var data: DiaryWeight
    var performed: [DiarySet]?
  }
}

@Schema(3, 0, 0) enum DiaryV3 {
  @Record struct Exercised: Equatable {
    var title: String
    var performed: [DiarySet]
  }
}

enum FirstDiary: SchemaMigrationPlan {
  static var stages: MigrationChain<DiaryV1, DiaryV1> {}
}

enum BridgeDiary: SchemaMigrationPlan {
  static var stages: MigrationChain<DiaryV1, DiaryV2> {
    MigrationStage.custom(fromVersion: DiaryV1.self, toVersion: DiaryV2.self) {
      Upcast(\.exercised, to: \.exercised) { old, _ in
        let set = DiarySet(weight: old.data.weight, reps: old.data.reps)
        return .init(
          title: old.title, data: old.data, performed: Array(repeating: set, count: max(old.data.sets, 0)))
      }
    }
  }
}

enum Diary: SchemaMigrationPlan {
  static var stages: MigrationChain<DiaryV1, DiaryV3> {
    MigrationStage.custom(fromVersion: DiaryV1.self, toVersion: DiaryV2.self) {
      Upcast(\.exercised, to: \.exercised) { old, _ in
        let set = DiarySet(weight: old.data.weight, reps: old.data.reps)
        return .init(
          title: old.title, data: old.data, performed: Array(repeating: set, count: max(old.data.sets, 0)))
      }
    }
    MigrationStage.custom(fromVersion: DiaryV2.self, toVersion: DiaryV3.self) {
      Upcast(\.exercised, to: \.exercised) { old, _ in
        .init(title: old.title, performed: old.performed ?? [])
      }
    }
  }
}

@Schema(1, 0, 0) enum ScalesV1 {
  @Record struct Weighed: Equatable { var pounds: Double }
}

@Schema(2, 0, 0, .bridge) enum ScalesV2 {
  @Record struct Weighed: Equatable { var kilograms: Double }
}

enum FirstScales: SchemaMigrationPlan {
  static var stages: MigrationChain<ScalesV1, ScalesV1> {}
}

enum Scales: SchemaMigrationPlan {
  static var stages: MigrationChain<ScalesV1, ScalesV2> {
    MigrationStage.custom(fromVersion: ScalesV1.self, toVersion: ScalesV2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds * 0.45359237) }
      Downcast(\.weighed, to: \.weighed, losing: \.kilograms) { new in
        .init(pounds: new.kilograms / 0.45359237)
      }
    }
  }
}

extension DiaryV1.Event: Equatable {}
extension DiaryV3.Event: Equatable {}
extension ScalesV2.Event: Equatable {}

@Suite struct BridgeTests {
  private func events<Plan: SchemaMigrationPlan>(_ store: EventStore<Plan>) throws -> [Plan.Current.Event] {
    try store.read { snapshot in
      var events: [Plan.Current.Event] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  // Promise P112.
  @Test func `one record becomes a list of others while programs of three versions come and go`() async throws
  {
    let place = try TemporaryStore()
    let data = DiaryWeight(weight: 80, reps: 5, sets: 2)
    let sets = [DiarySet(weight: 80, reps: 5), DiarySet(weight: 80, reps: 5)]
    let bridge = try EventStore(at: place.url, plan: BridgeDiary.self)
    do {
      let first = try EventStore(at: place.url, plan: FirstDiary.self)
      try await first.append([.exercised(.init(title: "Squat", data: data))], to: "a")
      try await bridge.append(
        [.exercised(.init(title: "Squat", data: data, performed: [sets[0]]))], to: "a")
      #expect(try events(first) == Array(repeating: .exercised(.init(title: "Squat", data: data)), count: 2))
      // The clean-up waits for the last program that needs the older fields.
      let diary = try EventStore(at: place.url, plan: Diary.self)
      let error = await #expect(throws: AnnalsError.self) {
        try await diary.append([.exercised(.init(title: "Row", performed: []))], to: "a")
      }
      #expect(error?.code == .busy)
    }
    let diary = try EventStore(at: place.url, plan: Diary.self)
    try await diary.append([.exercised(.init(title: "Row", performed: []))], to: "a")
    #expect(
      try events(diary) == [
        .exercised(.init(title: "Squat", performed: sets)),
        .exercised(.init(title: "Squat", performed: [sets[0]])),
        .exercised(.init(title: "Row", performed: [])),
      ])
  }

  // Promise P113.
  @Test func `a unit changes beneath programs that go on with the older one`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: FirstScales.self)
    let store = try EventStore(at: place.url, plan: Scales.self)
    try await store.append([.weighed(.init(kilograms: 45.359237))], to: "a")
    guard case .weighed(let weighed) = try events(older)[0] else { return }
    #expect(weighed == .init(pounds: 100))
    try await finish(store)
    #expect(try events(store) == [.weighed(.init(kilograms: 45.359237))])
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([.weighed(weighed)], to: "a")
    }
    #expect(error?.code == .superseded)
  }

  private func finish(_ store: EventStore<Scales>) async throws {
    print(try store.activate(isRehearsal: true).olderPrograms)
    _ = try store.activate(superseding: true)
  }
}
