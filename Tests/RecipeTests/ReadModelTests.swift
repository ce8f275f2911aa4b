import Annals
import AnnalsTesting
import Foundation
import Testing

@Schema(1, 0, 0) enum LeagueV1 {
  @Record struct Signed {
    var player: UUID; var name: String; var team: String?; var fee: Decimal; var on: Date;
    var roles: Set<String>
  }
}
enum LeaguePlan: SchemaMigrationPlan { static var stages: MigrationChain<LeagueV1, LeagueV1> {} }

enum Squad: Projection {
  @Record struct Player: ProjectionRow, Equatable {
    var id: UUID
    @Indexed(unique: true) var name: String
    @Indexed var team: String?
    @Indexed var fee: Decimal
    @Field("signed on") @Indexed var since: Date
    @Indexed var roles: Set<String>
    var key: UUID { id }
  }
  static let name = "squad", version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<LeagueV1.Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .signed(let signed):
      try rows.put(
        Player(
          id: signed.player, name: signed.name, team: signed.team, fee: signed.fee, since: signed.on,
          roles: signed.roles))
    }
  }
}

/// The same keys, written by hand.
private enum WrittenSquad: Projection {
  @Record struct Player: ProjectionRow {
    var id: UUID
    var name: String
    var team: String?
    var fee: Decimal
    @Field("signed on") var since: Date
    var roles: Set<String>
    var key: UUID { id }
    static let byName = SecondaryKey<Player, String>("name", unique: true) { $0.name }
    static let byTeam = SecondaryKey<Player, String>("team") { $0.team }
    static let byFee = SecondaryKey<Player, Decimal>("fee") { $0.fee }
    static let bySince = SecondaryKey<Player, Date>("signed on") { $0.since }
    static let byRoles = SecondaryKey<Player, String>("roles", each: { Array($0.roles) })
    static var secondaryKeys: [any DeclaredKey<Player>] { [byName, byTeam, byFee, bySince, byRoles] }
  }
  static let name = "squad", version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<LeagueV1.Event>, to rows: inout ProjectionRows) throws {}
}

@Suite struct ReadModelTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func signed(_ name: String, _ team: String?, _ fee: String, roles: Set<String> = [])
    -> LeagueV1.Event
  {
    .signed(
      .init(
        player: UUID(), name: name, team: team, fee: Decimal(string: fee) ?? 0,
        on: Date(timeIntervalSinceReferenceDate: Double(name.utf8.count)), roles: roles))
  }

  @Test func `keys declared at fields find and order rows, after an append that waits for the view`()
    async throws
  {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    let view = try store.view(Squad.self)
    let done = try await store.append(
      [
        signed("Ann", "red", "10.50", roles: ["goal", "wing"]), signed("Bob", nil, "-3", roles: ["wing"]),
        signed("Cyril", "red", "1e9"), signed("Di", "blue", "10.5000001"),
      ], to: "transfers", waitingFor: view)
    #expect(done.positions.count == 4)
    #expect(
      Set(try view.rows(RowQuery(Squad.Player.byTeam, .key("red"))).map(\.name)) == ["Ann", "Cyril"])
    #expect(try view.rows(RowQuery(Squad.Player.byFee)).map(\.name) == ["Bob", "Ann", "Di", "Cyril"])
    #expect(try view.rows(RowQuery(Squad.Player.byFee, .above(10.5))).map(\.name) == ["Di", "Cyril"])
    #expect(try view.rows(RowQuery(Squad.Player.bySince).descending()).first?.name == "Cyril")
    #expect(try view.rows(RowQuery(Squad.Player.byRoles, .key("wing"))).count == 2)
    #expect(try view.count(RowQuery(Squad.Player.byTeam)) == 3)
    try ProjectionLaws.check(Squad.self, in: store)
  }

  @Test func `a key declared at a field is the key written by hand`() {
    let keys = Squad.Player.secondaryKeys
    #expect(keys.map(\.name) == ["name", "team", "fee", "signed on", "roles"])
    #expect(keys.map(\.isUnique) == [true, false, false, false, false])
    #expect(keys.map(\.name) == WrittenSquad.Player.secondaryKeys.map(\.name))
    let row = Squad.Player(
      id: UUID(), name: "Ann", team: nil, fee: 1, since: .distantPast, roles: ["a", "b"])
    let written = WrittenSquad.Player(
      id: row.id, name: "Ann", team: nil, fee: 1, since: .distantPast, roles: ["a", "b"])
    #expect(keys.map { $0.keys(of: row).count } == [1, 0, 1, 1, 2])
    #expect(WrittenSquad.Player.secondaryKeys.map { $0.keys(of: written).count } == [1, 0, 1, 1, 2])
  }

  @Test func `an append that a view does not reach is stored, and says so`() async throws {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    let view = try store.view(Squad.self)
    try await store.append([signed("Ann", nil, "1")], to: "transfers", waitingFor: view)
    // The name is taken: the view stops before this event.
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([signed("Ann", nil, "2")], to: "transfers", waitingFor: view)
    }
    #expect(error?.code == .viewLags)
    #expect(error?.details.position == 2)
    #expect(error?.message.contains("do not append them again") == true)
    #expect((error?.underlying as? AnnalsError)?.code == .ruleFailed)
    #expect(try store.read { snapshot in try snapshot.head() } == 2)
  }

  @Test func `an append that fails stores nothing, and waits for nothing`() async throws {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    let view = try store.view(Squad.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(
        [signed("Ann", nil, "1")], to: "transfers", expecting: .exists, waitingFor: view)
    }
    #expect(error?.code == .conflict)
    let other = try EventStore.temporary(plan: LeaguePlan.self)
    let foreign = await #expect(throws: AnnalsError.self) {
      try await other.append([signed("Ann", nil, "1")], to: "transfers", waitingFor: view)
    }
    #expect(foreign?.code == .wrongUse)
    #expect(try other.read { snapshot in try snapshot.head() } == nil)
    let empty = try await store.append([] as [LeagueV1.Event], to: "transfers", waitingFor: view)
    #expect(empty.positions.isEmpty)
  }

  @Test func `waiting until a view has caught up includes its first build, and shows the progress`()
    async throws
  {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    for batch in 0..<20 {
      try await store.append(
        (0..<500).map { signed("\(batch) \($0)", nil, "1") }, to: "transfers")
    }
    let view = try store.view(Squad.self)
    var seen: [UInt64] = []
    try await view.waitUntilCaughtUp(timeout: .seconds(60)) { progress in
      #expect(progress.total == 10_000 && progress.done <= progress.total)
      seen.append(progress.done)
    }
    #expect(seen == seen.sorted())
    #expect(try view.count(RowQuery(Squad.Player.self)) == 10_000)
    #expect(try view.status().servedVersion == 1)
    // Nothing is left to wait for.
    var calls = 0
    try await view.waitUntilCaughtUp(timeout: .seconds(60)) { _ in calls += 1 }
    #expect(calls == 0)
  }

  @Test func `waiting for a view that has stopped gives its error`() async throws {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    let view = try store.view(Squad.self)
    try await store.append([signed("Ann", nil, "1"), signed("Ann", nil, "2")], to: "transfers")
    let error = await #expect(throws: AnnalsError.self) { try await view.waitUntilCaughtUp() }
    #expect(error?.code == .ruleFailed)
  }

  @Test func `a closure that reads a snapshot needs no annotation, and may throw errors of its own`()
    async throws
  {
    let store = try EventStore(at: place.url, plan: LeaguePlan.self)
    let view = try store.view(Squad.self)
    try await store.append([signed("Ann", "red", "1")], to: "transfers", waitingFor: view)
    let last = try store.read { snapshot in
      var entries = try snapshot.entries(in: "transfers", backwards: true, limit: 1)
      return try entries.next()?.position
    }
    #expect(last == 1)
    let names = try view.read { rows in
      let red = try rows.rows(RowQuery(Squad.Player.byTeam, .key("red")))
      return red.map(\.name)
    }
    #expect(names == ["Ann"])
    let both = try store.read(view, view) { first, second in
      let one = try first.count(RowQuery(Squad.Player.self))
      return try one + second.count(RowQuery(Squad.Player.self))
    }
    #expect(both == 2)
    let three = try store.read(view, view, view) { first, _, third in
      let one = try first.count(RowQuery(Squad.Player.self))
      return try one + third.count(RowQuery(Squad.Player.self))
    }
    #expect(three == 2)
    #expect(throws: Refusal.self) {
      try store.read(view, view) { first, _ in
        guard try first.count(RowQuery(Squad.Player.self)) > 1 else { throw Refusal() }
      }
    }
  }

  private struct Refusal: Error {}

  /// With the annotation, the error is typed.
  private func typed(_ store: EventStore<LeaguePlan>) throws(AnnalsError) -> Position? {
    try store.read { snapshot throws(AnnalsError) in
      guard let head = try snapshot.head() else { return nil }
      return head
    }
  }

  @Test func `an annotated closure throws typed errors`() throws {
    #expect(try typed(EventStore(at: place.url, plan: LeaguePlan.self)) == nil)
  }
}
