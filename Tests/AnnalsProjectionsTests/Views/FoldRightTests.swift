import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The right to fold a view when one program cannot continue.
struct FoldRightTests {
  /// As ``Tallies/Plan``, so that a store of this process has an engine of its own.
  private enum SamePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Tallies.V1, Tallies.V1> {}
  }

  /// Counts words, and refuses one of them once if `refuses` is set.
  enum Fickle: Projection {
    static let refuses = Atomic(false)

    typealias Event = Tallies.Event
    static let name = "fickle"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if case .said(let said) = entry.event, said.word == "bad",
        refuses.exchange(false, ordering: .acquiringAndReleasing)
      {
        throw Tallies.Refused()
      }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test("a view that has stopped in one program is folded on by another that can")
  func handedOn() async throws {
    var random = SeededGenerator(seed: 81)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(60, to: store, &random)
    let view = try store.view(Fickle.self)
    try await view.waitUntil(tallied.last)
    let other = try EventStore(at: tallied.url, plan: SamePlan.self)
    let beside = try other.view(Fickle.self)
    Fickle.refuses.store(true, ordering: .releasing)
    let last = try await store.append([NewEvent(.said(.init(word: "bad", times: 1)))], to: "s0").positions[0]
    try await beside.waitUntil(last)
    guard case .stopped(let error) = try view.status().state else {
      Issue.record("the first program goes on")
      return
    }
    #expect(error.code == .ruleFailed)
    guard case .following = try beside.status().state else {
      Issue.record("the second program does not go on")
      return
    }
    // Both read one file.
    #expect(try view.read { try $0.position() } == last)
    #expect(try store.log.views().map(\.number) == [1])
  }

  @Test("a view that can no longer read the log releases the right to fold")
  func unreadable() async throws {
    var random = SeededGenerator(seed: 82)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(60, to: store, &random)
    let view = try store.view(Tallies.Counts.self)
    try await view.waitUntil(tallied.last)
    let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    #expect(try shelf.foldLease(1) == nil)
    view.registry.fail(1, AnnalsError(.superseded, "the log cannot be read any more"))
    try await waitUntil { try shelf.foldLease(1) != nil }
    guard case .stopped(let error) = try view.status().state else {
      Issue.record("the view goes on")
      return
    }
    #expect(error.code == .superseded)
    #expect(try view.read { try $0.all() } == tallied.counts())
  }
}

/// Views of a program that lets newer ones store types it does not know.
struct NewerTypeViewTests {
  @Record struct Total: ProjectionRow {
    var id: Int
    var sum: Int
    var key: Int { id }
  }

  /// The sum of the counts, selecting only the events that it needs.
  enum Sums: Projection {
    typealias Event = BridgeParks1.Event
    static let name = "sums"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Total.self)] }
    static var events: EventQuery<Event> { [\.counted] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .counted(let counted) = entry.event else { return }
      try rows.update(Total.self, 0, initial: Total(id: 0, sum: 0)) { $0.sum += counted.n }
    }
  }
  /// The same, and everything is asked for.
  enum Everything: Projection {
    typealias Event = BridgeParks1.Event
    static let name = "everything"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Total.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try Sums.apply(entry, to: &rows)
    }
  }

  @Test(
    "a type that only newer programs have stops the views that ask for everything, and none that names its events",
    arguments: [false, true])
  func unknownType(isShared: Bool) async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    var options = StoreOptions()
    options.newerTypes = .skip
    let older = try EventStore(at: place.url, plan: BridgeParksPlan1.self, options: options)
    let sums = try older.view(Sums.self)
    let everything = isShared ? try older.view(Everything.self) : nil
    try await newer.append([.counted(.init(n: 1))], to: "parks")
    try await sums.waitUntil(1)
    try await everything?.waitUntil(1)
    try await newer.append([.parkClosed(.init(name: "Victoria"))], to: "parks")
    try await newer.append([.counted(.init(n: 2))], to: "parks")
    try await sums.waitUntil(3)
    let total = try sums.read { (snapshot) throws(AnnalsError) in try snapshot.get(Total.self, 0) }
    #expect(total?.sum == 3)
    guard let everything else { return }
    let error = await #expect(throws: AnnalsError.self) { try await everything.waitUntil(3) }
    #expect(error?.code == .newerSchema)
    #expect(try everything.read { try $0.position() } == 1)
  }
}
