import Annals
import AnnalsKeys
import Foundation

// A program that tests kill while it drops a key, and that has a store open while another one does.
//
//   drop STORE SUBJECT POINT [names]   ends itself with SIGKILL at a step of the drop, or ends at its end;
//                                      with 'names', the store has an inline projection
//   watch STORE                        prints the names of all customers for each line of standard input

@Schema(1, 0, 0) enum CustomersV1 {
  @Record struct Registered {
    var customerID: String
    @Field(personal: "customerID", erased: "nobody") var name: String
    @Field(personal: "customerID") var phone: String?
    var city: String
  }

  @Record struct Visited { var page: String }
}

enum CustomerPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CustomersV1, CustomersV1> {}
}

/// The projection of the tests.
enum Names: InlineProjection {
  typealias Event = CustomersV1.Event
  @Record struct Person: ProjectionRow {
    var id: String
    var name: String
    var key: String { id }
  }
  static let name = "names"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Person.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .registered(let customer) = entry.event else { return }
    try rows.put(Person(id: customer.customerID, name: customer.name))
  }
}

let arguments = CommandLine.arguments
var options = StoreOptions()
options.keys = SubjectKeys()
let store = try EventStore(
  at: URL(filePath: arguments[2]), plan: CustomerPlan.self, options: options,
  inline: arguments.contains("names") ? [Names.self] : [])

func names() throws -> String {
  try store.read { (snapshot) throws(AnnalsError) in
    var entries = try snapshot.entries()
    var names: [String] = []
    while let entry = try entries.next() {
      if case .registered(let customer) = entry.event { names.append(customer.name) }
    }
    return names.joined(separator: ",")
  }
}

switch arguments[1] {
case "drop":
  let point = KeyPoint(rawValue: arguments[4])
  try KeyPoint.$observer.withValue(KeyPoint.Observer { if $0 == point { kill(getpid(), SIGKILL) } }) {
    _ = try store.forget(arguments[3], by: "jane", because: "request")
  }
case "watch":
  func say(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
  }
  try say(names())
  while readLine() != nil { try say(names()) }
default: exit(64)
}
