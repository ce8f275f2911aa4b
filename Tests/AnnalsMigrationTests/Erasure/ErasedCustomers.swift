import AnnalsTestSupport
import Foundation

@testable import Annals

/// A store with two customers, of whom one is to be erased.
struct ErasedCustomers {
  let place: TemporaryStore
  /// A text that is in the payload, metadata and view of the erased events, and nowhere else.
  static let secret = "Wilhelmina Zuckerberg"

  init() throws {
    place = try TemporaryStore()
  }

  /// Customers with names.
  enum People: Projection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Person: ProjectionRow {
      var account: String
      var name: String
      var key: String { account }
    }
    static let name = "people"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Person.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .opened(let opened) = entry.event else { return }
      try rows.put(Person(account: entry.stream.text, name: opened.name))
    }
  }

  enum Profile: Aggregate {
    typealias Event = InlineAccountsV1.Event
    @Record struct State: Equatable { var name: String; var sum: Int }
    static let name = "profile"
    static let version = 1
    static var initial: State { State(name: "", sum: 0) }
    static var snapshotInterval: Int? { 3 }
    static func apply(_ entry: Entry<Event>, to state: inout State) {
      switch entry.event {
      case .opened(let opened): state.name = opened.name
      case .moved(let moved): state.sum += moved.amount
      case .closed: break
      }
    }
  }

  func store() throws -> EventStore<InlineAccountsPlan> {
    try EventStore(at: place.url, plan: InlineAccountsPlan.self)
  }

  /// Two customers: positions 1 to 5 are of the one to be erased.
  func fill(_ store: EventStore<InlineAccountsPlan>, id: UUID = UUID()) async throws {
    try await store.append(
      [NewEvent(.opened(.init(name: Self.secret, code: 7)), id: id, metadata: ["who": .text(Self.secret)])],
      to: "customer-1")
    try await store.append((1...4).map { .moved(.init(amount: $0)) }, to: "customer-1")
    try await store.append([.opened(.init(name: "Ann", code: 8))], to: "customer-2")
    try await store.append([.moved(.init(amount: 100))], to: "customer-2")
  }

  func hasSecret(in directory: URL) throws -> [String] {
    let needle = Data(Self.secret.utf8)
    var found: [String] = []
    let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: needle) != nil { found.append(file.lastPathComponent) }
    }
    return found.sorted()
  }
}
