@Schema(1, 0, 0) enum PeopleV1 { @Record struct Registered { var name: String } }
@Record struct Person: ProjectionRow {
  var id: String
  var name: String
  var key: String { id }
}
enum People: Projection {
  typealias Event = PeopleV1.Event
  static let name = "people"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Person.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .registered(let person) = entry.event else { return }
    try rows.put(Person(id: entry.stream.text, name: person.name))
  }
}
