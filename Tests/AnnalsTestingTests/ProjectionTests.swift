import Annals
import AnnalsTesting
import Synchronization
import Testing

@Schema(1, 0, 0) private enum ClubV1 {
  @Record struct Joined { var player: Int; var name: String }
  @Record struct Left { var player: Int }
}

private enum ClubPlanV1: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV1> {}
}

private enum Roster: Projection {
  typealias Event = ClubV1.Event
  @Record struct Player: ProjectionRow {
    var id: Int
    var name: String
    var key: Int { id }
    static let byName = SecondaryKey<Player, String>("name", unique: true) { $0.name }
    static var secondaryKeys: [any DeclaredKey<Player>] { [byName] }
  }
  struct Unknown: Error {}

  static let name = "roster"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .joined(let joined): try rows.put(Player(id: joined.player, name: joined.name))
    case .left(let left): guard try rows.delete(Player.self, left.player) else { throw Unknown() }
    }
  }
}

/// It counts outside its rows, which no projection may do.
private enum Forgetful: Projection {
  typealias Event = ClubV1.Event
  @Record struct Count: ProjectionRow { var name: String; var count: Int; var key: String { name } }
  static let counted = Mutex(0)

  static let name = "forgetful"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Count.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let count = counted.withLock { count in
      count += 1
      return count
    }
    try rows.put(Count(name: "all", count: count))
  }
}

@Suite struct ProjectionTests {
  private let ann = Roster.Player(id: 1, name: "Ann")
  private let bo = Roster.Player(id: 2, name: "Bo")

  @Test func `given events, then rows`() throws {
    let given = Given<ClubV1.Event>([
      .joined(.init(player: 2, name: "Bo")), .joined(.init(player: 1, name: "Ann")),
    ])
    try given.folded(by: Roster.self).then([ann, bo])
    try Given<ClubV1.Event>([.joined(.init(player: 2, name: "Bo")), .left(.init(player: 2))])
      .folded(by: Roster.self).thenNone(of: Roster.Player.self)
    let error = #expect(throws: RowMismatch.self) { try given.folded(by: Roster.self).then([bo, ann]) }
    #expect(error?.description.contains("Ann") == true)
    #expect(throws: RowMismatch.self) { try given.folded(by: Roster.self).then([ann]) }
  }

  @Test func `given events that a projection refuses, it fails`() throws {
    try Given<ClubV1.Event>([.left(.init(player: 1))]).folded(by: Roster.self).thenFails()
    let twice = Given<ClubV1.Event>([
      .joined(.init(player: 1, name: "Ann")), .joined(.init(player: 2, name: "Ann")),
    ])
    try twice.folded(by: Roster.self).thenFails(.conflict)
    #expect(throws: RowMismatch.self) { try twice.folded(by: Roster.self).thenFails(.tooLarge) }
    #expect(throws: RowMismatch.self) {
      try Given<ClubV1.Event>([.joined(.init(player: 1, name: "Ann"))]).folded(by: Roster.self).thenFails()
    }
  }

  @Test func `a projection that keeps something outside of its rows is found`() async throws {
    let place = try TestStore()
    let store = try place.open(plan: ClubPlanV1.self)
    for number in 0..<40 {
      try await store.append([.joined(.init(player: number, name: "\(number)"))], to: "club")
    }
    try ProjectionLaws.check(Roster.self, in: store)
    let error = #expect(throws: LawFailure.self) { try ProjectionLaws.check(Forgetful.self, in: store) }
    #expect(error?.description.contains("all at once") == true)
  }
}
