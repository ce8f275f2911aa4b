@Schema(1, 0, 0) enum LeagueV1 { @Record struct Signed { var player: UUID } }
enum LeaguePlan: SchemaMigrationPlan { static var stages: MigrationChain<LeagueV1, LeagueV1> {} }
enum Players: Projection {
  typealias Event = LeagueV1.Event
  static let name = "players"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}
let store = try EventStore(at: URL(filePath: "league.annals"), plan: LeaguePlan.self)
let view = try store.view(Players.self)
// here
