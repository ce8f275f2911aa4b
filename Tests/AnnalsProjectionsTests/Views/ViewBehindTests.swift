import Annals
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Views that have read what cannot be read any more, when another one begins there.
struct ViewBehindTests {
  @Schema(1, 0, 0) enum GymV1 {
    @Record struct Weighed { var pounds: Double }
    @Record struct Walked { var metres: Int }
  }
  @Schema(2, 0, 0) enum GymV2 {
    typealias Walked = GymV1.Walked
    @Record struct Weighed { var kilograms: Double }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<GymV1, GymV1> {}
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<GymV1, GymV2> {
      MigrationStage.custom(fromVersion: GymV1.self, toVersion: GymV2.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds / 2) }
      }
    }
  }

  @Record struct Total: ProjectionRow {
    var of: String
    var walks: Int
    var key: String { of }

    static func add(to rows: inout ProjectionRows) throws {
      try rows.update(Total.self, "all", initial: Total(of: "all", walks: 0)) { $0.walks += 1 }
    }
  }
  enum WalksOfFirst: Projection {
    typealias Event = GymV1.Event
    static let name = "walks"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Total.self)] }
    static var events: EventQuery<Event> { [\.walked] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try Total.add(to: &rows)
    }
  }
  enum WalksOfSecond: Projection {
    typealias Event = GymV2.Event
    static let name = "walks"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Total.self)] }
    static var events: EventQuery<Event> { [\.walked] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try Total.add(to: &rows)
    }
  }

  private func place<P: Projection>(of view: View<P>) throws -> (walks: Int?, position: Position?) {
    try view.read { (snapshot) throws(AnnalsError) in
      (try snapshot.get(Total.self, "all")?.walks, try snapshot.position())
    }
  }

  @Test(
    "an older program that rebuilds a view, and cannot read the log any more, leaves the rows and their position",
    .timeLimit(.minutes(1)))
  func rebuildOfOlderProgram() async throws {
    let temporary = try TemporaryStore()
    do {
      let store = try EventStore(at: temporary.url, plan: First.self)
      let view = try store.view(WalksOfFirst.self)
      try await store.append([.weighed(.init(pounds: 160))], to: "gym")
      try await store.append((1...20).map { .walked(.init(metres: $0)) }, to: "gym")
      try await view.waitUntil(21)
      _ = try await EventStore(at: temporary.url, plan: Second.self).migrate().report()
      try store.rebuild(WalksOfFirst.self)
      while true {
        if case .stopped(let error) = try view.status().state {
          #expect(error.code == .newerSchema)
          break
        }
        try await Task.sleep(for: .milliseconds(2))
      }
      let (walks, position) = try place(of: view)
      #expect(walks == 20 && position == 21)
    }
    // The newer program goes on with the same rows.
    let store = try EventStore(at: temporary.url, plan: Second.self)
    let view = try store.view(WalksOfSecond.self)
    let done = try await store.append([.walked(.init(metres: 21))], to: "gym")
    try await view.waitUntil(done.positions[0])
    #expect(try place(of: view).walks == 21)
  }
}
