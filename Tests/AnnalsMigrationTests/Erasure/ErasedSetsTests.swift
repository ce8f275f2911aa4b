import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Erasing and truncating entries that give several of the events that a fold makes one of.
@Suite struct ErasedSetsTests {
  @Schema(1, 0, 0) enum TrainingV1 {
    @Record struct Session: Equatable { var sets: [String] }
  }
  @Schema(2, 0, 0) enum TrainingV2 {
    @Record struct Set: Equatable { var exercise: String; var kilograms: Int }
  }
  @Schema(3, 0, 0) enum TrainingV3 {
    @Record struct Done: Equatable { var exercise: String; var kilograms: [Int] }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<TrainingV1, TrainingV1> {}
  }
  enum Third: SchemaMigrationPlan {
    static var stages: MigrationChain<TrainingV1, TrainingV3> {
      MigrationStage.custom(fromVersion: TrainingV1.self, toVersion: TrainingV2.self) {
        Split(\.session, into: [\.set]) { old, _ in
          old.sets.map { set in
            let words = set.split(separator: " ")
            return .set(.init(exercise: String(words[0]), kilograms: Int(words[1]) ?? 0))
          }
        }
      }
      MigrationStage.custom(fromVersion: TrainingV2.self, toVersion: TrainingV3.self) {
        Fold(
          \.set, into: \.done, grouping: { old, _ in old.exercise },
          from: TrainingV3.Done(exercise: "", kilograms: [])
        ) { done, old, _ in
          done.exercise = old.exercise
          done.kilograms.append(old.kilograms)
        } result: { done, _ in
          done
        }
      }
    }
  }

  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// A store with an entry for each list of sets.
  private func folded(_ sessions: [String]...) async throws -> EventStore<Third> {
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      try await store.append(sessions.map { .session(.init(sets: $0)) }, to: "a")
    }
    var options = StoreOptions()
    options.activating = true
    return try EventStore(at: place.url, plan: Third.self, options: options)
  }

  /// What the store reads, and what a pass makes of it.
  private func expect(_ expected: [TrainingV3.Done], _ store: EventStore<Third>) throws {
    #expect(try events(store) == expected)
    _ = try store.migrate().join()
    #expect(try events(store) == expected)
  }

  private func events(_ store: EventStore<Third>) throws -> [TrainingV3.Done] {
    try store.read { (snapshot) throws(AnnalsError) in
      var events: [TrainingV3.Done] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if case .done(let done) = entry.event { events.append(done) }
      }
      return events
    }
  }

  @Test func `the events of another group stay in their own after an erasure`() async throws {
    let store = try await folded(["bench 100", "squat 1"], ["squat 2"], ["squat 3"])
    try store.erase([2], by: "me", because: "a law")
    try expect(
      [.init(exercise: "bench", kilograms: [100]), .init(exercise: "squat", kilograms: [1, 3])], store)
  }

  @Test func `the events of several other groups in the first entry stay in their own`() async throws {
    let store = try await folded(
      ["squat 9"], ["squat 8", "bench 7", "bench 6", "squat 1", "squat 2"], ["squat 3", "squat 4"],
      ["squat 5", "row 1"])
    try store.erase([1, 3], by: "me", because: "a law")
    try expect(
      [
        .init(exercise: "squat", kilograms: [8]), .init(exercise: "bench", kilograms: [7, 6]),
        .init(exercise: "squat", kilograms: [1, 2, 5]), .init(exercise: "row", kilograms: [1]),
      ], store)
  }

  @Test func `an entry that gives several events of a group can be erased`() async throws {
    let store = try await folded(["squat 5", "squat 6"], ["squat 3"])
    try store.erase([1], by: "me", because: "a law")
    try expect([.init(exercise: "squat", kilograms: [3])], store)
  }

  @Test func `an entry that gives several events of a group can be truncated`() async throws {
    let store = try await folded(["squat 5", "squat 6"], ["squat 4"], ["squat 3"])
    try await store.log.truncate("a", before: 1)
    _ = try await store.log.compact().report()
    try expect([.init(exercise: "squat", kilograms: [4, 3])], store)
  }
}
