@Schema(2, 0, 0) enum ClubV2 { @Record struct Walked { var who: String; var metres: Int } }
enum ClubPlan: SchemaMigrationPlan { static var stages: MigrationChain<ClubV2, ClubV2> {} }
enum Distances: Projection {
  typealias Event = ClubV2.Event
  @Record struct Walker: ProjectionRow { var who: String; var metres: Int; var key: String { who } }
  static let name = "distances"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Walker.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}
let store = try EventStore(at: URL(filePath: "club.annals"), plan: ClubPlan.self)
let view = try store.view(Distances.self)
