import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Erasing and truncating events that a fold makes one of.
@Suite struct ErasedGroupTests {
  @Schema(1, 0, 0) enum MetersV1 {
    @Record struct Read: Equatable { var meter: String; var n: Int }
  }
  @Schema(2, 0, 0) enum MetersV2 {
    @Record struct Sum: Equatable { var meter: String; var n: Int }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<MetersV1, MetersV1> {}
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<MetersV1, MetersV2> {
      MigrationStage.custom(fromVersion: MetersV1.self, toVersion: MetersV2.self) {
        Fold(\.read, into: \.sum, grouping: { old, _ in old.meter }, from: (meter: "", n: 0)) { sum, old, _ in
          sum = (old.meter, sum.n + old.n)
        } result: { sum, _ in
          .init(meter: sum.meter, n: sum.n)
        }
      }
    }
  }

  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// A store whose positions 1 to 5 are of the meter "x", with 1, 2, 4, 8 and 16, and position 6 of "y".
  private func folded() async throws -> EventStore<Second> {
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      try await store.append((0..<5).map { .read(.init(meter: "x", n: 1 << $0)) }, to: "a")
      try await store.append([.read(.init(meter: "y", n: 100))], to: "a")
    }
    var options = StoreOptions()
    options.activating = true
    return try EventStore(at: place.url, plan: Second.self, options: options)
  }

  private func sums(_ store: EventStore<Second>) throws -> [String: Int] {
    try store.read { (snapshot) throws(AnnalsError) in
      var sums: [String: Int] = [:]
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if case .sum(let sum) = entry.event { sums[sum.meter, default: 0] += sum.n }
      }
      return sums
    }
  }

  @Test func `without an erased member, a group is of the others`() async throws {
    let store = try await folded()
    try store.erase([2], by: "me", because: "a law")
    #expect(try sums(store) == ["x": 29, "y": 100])
    _ = try store.migrate().join()
    #expect(try sums(store) == ["x": 29, "y": 100])
  }

  @Test func `the entry that reads as all of its group is not erased alone`() async throws {
    let store = try await folded()
    let error = #expect(throws: AnnalsError.self) { try store.erase([5], by: "me", because: "a law") }
    #expect(error?.code == .wrongUse && error?.details.position == 5)
    #expect(throws: AnnalsError.self) {
      try store.erase(by: "me", because: "a law") {
        if case .sum(let sum) = $0.event { sum.n == 31 } else { false }
      }
    }
    #expect(try sums(store) == ["x": 31, "y": 100])
    // After a pass it is one entry.
    _ = try store.migrate().join()
    try store.erase([5], by: "me", because: "a law")
    #expect(try sums(store) == ["y": 100])
  }

  @Test func `a whole group and a whole stream are erased`() async throws {
    let store = try await folded()
    try store.erase([1, 2, 3, 4, 5], by: "me", because: "a law")
    #expect(try sums(store) == ["y": 100])
    try store.erase(stream: "a", by: "me", because: "a law")
    #expect(try sums(store) == [:])
  }

  @Test func `a store is read after truncated members have left its file`() async throws {
    let store = try await folded()
    try await store.log.truncate("a", before: 2)
    _ = try await store.log.compact().report()
    #expect(try sums(try EventStore(at: place.url, plan: Second.self)) == ["x": 28, "y": 100])
  }
}
