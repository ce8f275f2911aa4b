import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections

/// An erasure while programs with two versions of a projection follow their views.
@Suite struct ErasedVersionTests {
  private typealias Older = ErasedCustomers.People

  enum Newer: Projection {
    typealias Event = InlineAccountsV1.Event
    @Record struct Person: ProjectionRow {
      var position: UInt64
      var name: String
      var key: UInt64 { position }
    }
    static let name = "people"
    static let version = 2
    static var tables: [ProjectionTable] { [.rows(Person.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .opened(let opened) = entry.event else { return }
      try rows.put(Person(position: entry.position.rawValue, name: opened.name))
    }
  }

  private let customers: ErasedCustomers

  init() throws {
    customers = try ErasedCustomers()
  }

  /// Has the newer version built while the older one is followed.
  private func follow(
    _ store: EventStore<InlineAccountsPlan>
  ) async throws -> (older: View<Older>, newer: View<Newer>) {
    let older = try store.view(Older.self)
    try await older.waitUntilBuilt()
    let newer = try store.view(Newer.self)
    try await newer.waitUntilBuilt()
    return (older, newer)
  }

  @Test func `each version is built again for the program that follows it`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let (older, newer) = try await follow(store)
    for position in [1, 6] as [Position] {
      try store.erase([position], by: "jane", because: "request")
      try await older.waitUntilCaughtUp()
      try await newer.waitUntilCaughtUp()
      let names = position == 1 ? ["Ann"] : []
      #expect(try older.rows(RowQuery(Older.Person.self)).map(\.name) == names)
      #expect(try newer.rows(RowQuery(Newer.Person.self)).map(\.name) == names)
    }
    try store.rebuild(Older.self)
    try await older.waitUntilBuilt()
    #expect(try older.rows(RowQuery(Older.Person.self)).isEmpty)
  }

  @Test func `an older program that is opened after the erasure builds its version again`() async throws {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      _ = try await follow(store)
    }
    try EventLog(at: customers.place.url).erase([1], by: "jane", because: "request")
    let store = try customers.store()
    let older = try store.view(Older.self)
    try await older.waitUntilCaughtUp()
    #expect(try older.rows(RowQuery(Older.Person.self)).map(\.name) == ["Ann"])
  }
}
