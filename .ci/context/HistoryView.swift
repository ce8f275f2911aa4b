// from History
enum FileTree: Projection {
  typealias Event = HistoryV3.Event
  static let name = "file-tree"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(File.self), .rows(Score.self), .rows(Player.self), .rows(Author.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}
@Record struct File: ProjectionRow { var path: String; var blob: String; var size: Int; var key: String { path } }
@Record struct Score: ProjectionRow {
  var match: String
  var innings: Int
  var key: Keys<String, Int> { Keys(match, innings) }
}
@Record struct Author: ProjectionRow { var name: String; var commits: Int; var key: String { name } }
@Record struct Player: ProjectionRow {
  var id: UUID
  var name: String
  var team: String?
  var age: Int
  var goals: Int
  var key: UUID { id }
  static let byTeam = SecondaryKey<Player, String>("team") { $0.team }
  static let byAge = SecondaryKey<Player, Int>("age") { $0.age }
  static var secondaryKeys: [any DeclaredKey<Player>] { [byTeam, byAge] }
}
enum HistoryPlan: SchemaMigrationPlan { static var stages: MigrationChain<HistoryV3, HistoryV3> {} }
let store = try EventStore(at: URL(filePath: "history.annals"), plan: HistoryPlan.self)
let view = try store.view(FileTree.self)
