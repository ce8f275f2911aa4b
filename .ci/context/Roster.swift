import AnnalsTesting
import Testing
@Schema(1, 0, 0) enum ClubV1 {
  @Record struct Joined { var player: Int; var name: String }
  @Record struct Left { var player: Int }
}
enum ClubPlan: SchemaMigrationPlan { static var stages: MigrationChain<ClubV1, ClubV1> {} }
enum Roster: Projection {
  typealias Event = ClubV1.Event
  @Record struct Player: ProjectionRow { var key: Int; var name: String }
  static let name = "roster"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Player.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}
let store = try EventStore(at: URL(filePath: "club.annals"), plan: ClubPlan.self)
