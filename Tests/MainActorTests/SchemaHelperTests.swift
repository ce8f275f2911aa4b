import Annals
import AnnalsTestSupport
import Foundation
import Testing

// What a schema uses of the app's code is not isolated to the main actor.
nonisolated protocol HasPlayer { var player: String { get } }
nonisolated struct Money: Codable, Sendable, Hashable {
  var cents: Int
  static let zero = Money(cents: 0)
}
nonisolated enum Limits { static let lives = 3 }
nonisolated let firstLevel = 1
nonisolated func clamped(_ lives: Int) -> Int { min(lives, Limits.lives) }
nonisolated extension String { var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() } }

/// A protocol of the screens, which records may adopt in an extension.
protocol Listed { var line: String { get } }

@Schema(1, 0, 0) enum GamesV1 {
  @Record struct Joined { var player: String; var lives: Int }
}

@Schema(2, 0, 0) enum GamesV2 {
  @Record struct Joined: HasPlayer, Equatable {
    var player: String
    var lives: Int = Limits.lives
    var level: Int = firstLevel
    var credit: Money = .zero
    var seat: Seat = .init()
  }
  @Value struct Seat: HasPlayer, Equatable { var player: String = "nobody" }
}

extension GamesV2.Joined: Listed {
  var line: String { "\(player) at level \(level)" }
}

enum FirstGamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GamesV1, GamesV1> {}
}

enum GamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GamesV1, GamesV2> {
    MigrationStage.custom(fromVersion: GamesV1.self, toVersion: GamesV2.self) {
      Upcast(\.joined, to: \.joined) { old, _ in
        .init(player: old.player.capitalizedFirst, lives: clamped(old.lives))
      }
    }
  }
}

enum Credits: Projection {
  typealias Event = GamesV2.Event
  @Record struct Player: ProjectionRow, HasPlayer {
    var player: String
    @Indexed var lives: Int = Limits.lives
    var credit: Money = .zero
    var key: String { player }
  }
  static let name = "credits"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .joined(let joined) = entry.event else { return }
    let player = Player(
      player: joined.player.capitalizedFirst, lives: clamped(joined.lives), credit: joined.credit)
    try rows.put(player)
  }
}

/// A schema with helpers of the app, in a module whose default isolation is the main actor.
struct SchemaHelperTests {
  private func isNamed(_ value: some HasPlayer, _ player: String) -> Bool { value.player == player }
  private func lines(_ listed: [any Listed]) -> [String] { listed.map(\.line) }

  @Test func `protocols, types, constants and functions without isolation serve a schema`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: FirstGamePlan.self)
      .append([.joined(.init(player: "ben", lives: 9))], to: "games")
    let store = try EventStore(at: place.url, plan: GamePlan.self)
    let view = try store.view(Credits.self)
    let joined = GamesV2.Joined(player: "ann", credit: Money(cents: 5))
    try await store.append([.joined(joined)], to: "games", waitingFor: view)
    let row = try #require(try view.get(Credits.Player.self, "Ann"))
    #expect(isNamed(joined, "ann") && isNamed(joined.seat, "nobody") && isNamed(row, "Ann"))
    #expect(row.credit == joined.credit && row.lives == Limits.lives)
    #expect(try view.rows(RowQuery(Credits.Player.byLives, .key(3))).map(\.player) == ["Ann", "Ben"])
  }

  @Test func `a record adopts a protocol of the main actor in an extension`() {
    #expect(lines([GamesV2.Joined(player: "ann")]) == ["ann at level 1"])
  }
}
