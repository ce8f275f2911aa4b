import Annals

/// The tasks of the fourth release as a table. It is folded from events of all releases.
enum TaskTable: Projection {
  typealias Event = TodoV4.Event

  @Record struct Row: ProjectionRow {
    var task: String
    var title: String
    var list: String
    var tags: [String]
    var isDone: Bool

    var key: String { task }
    static let byList = SecondaryKey<Row, String>("list") { $0.list }
    static var secondaryKeys: [any DeclaredKey<Row>] { [byList] }
  }

  static let name = "tasks"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let task = entry.stream.text
    switch entry.event {
    case .taskAdded(let added):
      try rows.put(Row(task: task, title: added.title, list: added.list, tags: [], isDone: false))
    case .taskTagged(let tagged):
      guard var row = try rows.get(Row.self, task) else { return }
      row.tags.append(tagged.tag)
      try rows.put(row)
    case .taskDone:
      guard var row = try rows.get(Row.self, task) else { return }
      row.isDone = true
      try rows.put(row)
    }
  }
}
