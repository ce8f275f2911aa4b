import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// The histories that a stage's `verify` receives, in the pass that leads past the stage and in later ones.
@Suite struct StageVerifyTests {
  @Schema(1, 0, 0) enum Rows1 {
    @Record struct Added: Equatable { var n: Int }
  }
  @Schema(2, 0, 0) enum Rows2 {
    @Record struct Added: Equatable { var n: Int64 }
  }
  @Schema(3, 0, 0) enum Rows3 {
    @Record struct Added: Equatable {
      var n: Int64
      var note: String?
    }
  }
  struct Differs: Error {}
  enum Stages {
    static var second: MigrationStage<Rows1, Rows2> {
      .custom(
        fromVersion: Rows1.self, toVersion: Rows2.self,
        verify: { old, new in
          let before = try old.reduce(into: [Int64]()) { all, entry in
            switch entry.event {
            case .added(let row): all.append(Int64(row.n))
            }
          }
          let after = try new.reduce(into: [Int64]()) { all, entry in
            switch entry.event {
            case .added(let row): all.append(row.n)
            }
          }
          guard !before.isEmpty, before == after else { throw Differs() }
        }
      ) {
        Upcast(\.added, to: \.added) { old, _ in .init(n: Int64(old.n)) }
      }
    }
    static var third: MigrationStage<Rows2, Rows3> {
      .lightweight(fromVersion: Rows2.self, toVersion: Rows3.self)
    }
  }
  enum Plan1: SchemaMigrationPlan { static var stages: MigrationChain<Rows1, Rows1> {} }
  enum Plan2: SchemaMigrationPlan { static var stages: MigrationChain<Rows1, Rows2> { Stages.second } }
  enum Plan3: SchemaMigrationPlan {
    static var stages: MigrationChain<Rows1, Rows3> {
      Stages.second
      Stages.third
    }
  }

  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: Plan1.self).append(
      (1...3).map { .added(.init(n: $0)) }, to: "a")
    return place
  }

  @Test func `a stage that is long done is not compared again`() async throws {
    let place = try await seeded()
    do { _ = try await EventStore(at: place.url, plan: Plan2.self).migrate().report() }
    let store = try EventStore(at: place.url, plan: Plan3.self)
    #expect(try await store.migrate().report().isDone)
    #expect(try store.events().count == 3)
  }

  @Test func `events that were stored under the newer version are on neither side`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: Plan2.self)
    try await store.append([.added(.init(n: 4))], to: "a")
    for verification in try store.verifications() { try verification.run() }
    #expect(try await store.migrate().report().isDone)
    #expect(try store.events().count == 4)
  }

  @Test func `both are so where one pass leads over several stages`() async throws {
    let place = try await seeded()
    do { try await EventStore(at: place.url, plan: Plan2.self).append([.added(.init(n: 4))], to: "a") }
    let store = try EventStore(at: place.url, plan: Plan3.self)
    try await store.append([.added(.init(n: 5, note: "new"))], to: "b")
    #expect(try await store.migrate().report().isDone)
    #expect(try store.events().count == 5)
  }

  @Test func `stages before a contracted version are not verified`() async throws {
    let place = try await seeded()
    do {
      let store = try EventStore(at: place.url, plan: Plan2.self)
      _ = try await store.migrate().report()
      _ = try store.activate()
      #expect(try store.contract().isContracted)
    }
    let store = try EventStore(at: place.url, plan: Plan3.self)
    #expect(try await store.migrate().report().isDone)
    #expect(try store.verifications().isEmpty)
    #expect(try store.events().count == 3)
  }

  /// A rule that loses every second row.
  enum Losing: SchemaMigrationPlan {
    static var stages: MigrationChain<Rows1, Rows2> {
      MigrationStage.custom(
        fromVersion: Rows1.self, toVersion: Rows2.self,
        verify: { old, new in
          let before = try old.reduce(into: 0) { count, _ in count += 1 }
          let after = try new.reduce(into: 0) { count, _ in count += 1 }
          guard before == after else { throw Differs() }
        }
      ) {
        Split(\.added, into: [\.added]) { old, _ in old.n % 2 == 0 ? [.added(.init(n: Int64(old.n)))] : [] }
      }
    }
  }

  @Test func `the result of the older log is compared, even if newer events make up for a loss`() async throws
  {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: Losing.self)
    try await store.append([.added(.init(n: 4)), .added(.init(n: 6))], to: "a")
    let error = await #expect(throws: AnnalsError.self) { _ = try await store.migrate().report() }
    #expect(error?.code == .verifyFailed)
    #expect(error?.underlying is Differs)
  }

  /// A bridge that programs of the version before can read, compared in the pass that leads to it.
  @Schema(2, 0, 0, .bridge) enum Bridge2 {
    @Record struct Added: Equatable {
      var n: Int
      var note: String?
    }
  }
  enum ToBridge: SchemaMigrationPlan {
    static var stages: MigrationChain<Rows1, Bridge2> {
      MigrationStage.custom(
        fromVersion: Rows1.self, toVersion: Bridge2.self,
        verify: { old, new in
          let before = try old.reduce(into: [Int]()) { all, entry in
            if case .added(let row) = entry.event { all.append(row.n) }
          }
          let after = try new.reduce(into: [Int]()) { all, entry in
            if case .added(let row) = entry.event { all.append(row.n) }
          }
          guard before.count == 3, before.map({ $0 + 10 }) == after else { throw Differs() }
        }
      ) {
        Upcast(\.added, to: \.added) { old, _ in .init(n: old.n + 10) }
        Downcast(\.added, to: \.added) { new in .init(n: new.n - 10) }
      }
    }
  }

  @Test func `a stage that leads to a bridge compares its histories`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: ToBridge.self)
    try await store.append([.added(.init(n: 14))], to: "a")
    _ = try store.activate()
    #expect(try await store.migrate().report().isDone)
    let numbers = try store.events().map { event in
      switch event {
      case .added(let row): row.n
      }
    }
    #expect(numbers == [11, 12, 13, 14])
  }

  /// The club's log in one stage that moves streams, and compares how many entries there are.
  enum Counted: SchemaMigrationPlan {
    static var stages: MigrationChain<ClubV1, ClubV2> {
      MigrationStage.custom(
        fromVersion: ClubV1.self, toVersion: ClubV2.self,
        verify: { old, new in
          let before = try old.reduce(into: [Position]()) { all, entry in all.append(entry.position) }
          let after = try new.reduce(into: [Position]()) { all, entry in all.append(entry.position) }
          guard !before.isEmpty, before == after else { throw Differs() }
        }
      ) {
        Split(\.lifted, into: [\.setLifted]) { old, _ in [.setLifted(.init(n: old.n))] }
        Streams { _, origin in origin.stream == "user 0" ? .moves(to: "athlete-0") : .stays }
      }
    }
  }

  @Test func `a stage that moves streams compares the rewritten log`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      try await store.append([.noted(.init(n: 1)), .lifted(.init(n: 2, sets: 1))], to: "user 0")
      try await store.append([.noted(.init(n: 3))], to: "else")
    }
    try await place.migrate(Counted.self)
    #expect(try EventLog(at: place.url).moved(from: "user 0") == ["athlete-0"])
  }
}
