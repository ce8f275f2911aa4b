import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys

/// Inline projections that do not accept the replacements of forgotten people.
@Suite struct RefusedReplacementTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  @Record struct Name: ProjectionRow {
    var customer: String
    @Indexed(unique: true) var name: String
    var key: String { customer }
  }

  /// No two customers have one name, not even forgotten ones.
  enum Names: InlineProjection {
    typealias Event = CustomersV1.Event
    static let name = "names"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Name.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .registered(let customer) = entry.event else { return }
      try rows.put(Name(customer: customer.customerID, name: customer.name))
    }
  }

  /// The same, with names of their own for forgotten people.
  enum NewNames: InlineProjection {
    typealias Event = CustomersV1.Event
    static let name = "names"
    static let version = 2
    static var tables: [ProjectionTable] { [.rows(Name.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .registered(let customer) = entry.event else { return }
      let name = customer.name == "nobody" ? "nobody \(customer.customerID)" : customer.name
      try rows.put(Name(customer: customer.customerID, name: name))
    }
  }

  /// Throws an error of its own for a forgotten person.
  enum Strict: InlineProjection {
    struct Nobody: Error {}
    typealias Event = CustomersV1.Event
    static let name = "strict"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Name.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if case .registered(let customer) = entry.event, customer.name == "nobody" { throw Nobody() }
    }
  }

  /// Opens the store with keys of its own, as a new process does.
  private func open(
    _ inline: any InlineProjection<CustomersV1.Event>.Type, access: StoreOptions.Access = .readWrite
  ) throws(AnnalsError) -> EventStore<CustomerPlan> {
    var options = StoreOptions()
    options.keys = SubjectKeys()
    options.access = access
    return try EventStore(at: customers.url, plan: CustomerPlan.self, options: options, inline: [inline])
  }

  private static let way = "open the store with a higher version that does, and activate it"

  @Test func `a second forgotten person is forgotten, and each error says how the store is used again`()
    async throws
  {
    do {
      let store = try open(Names.self)
      try await customers.fill(store)
      try store.forget("c1", by: "jane", because: "request 1")
      let error = #expect(throws: AnnalsError.self) {
        try store.forget("c2", by: "jane", because: "request 2")
      }
      #expect(error?.code == .rejected && error?.details.position == 3)
      let message = try #require(error?.message)
      #expect(message.hasPrefix("the keys are dropped, and the log records it, but appends fail: position 3"))
      #expect(message.contains("'customer-2'") && message.contains("version 1 of it is in force"))
      #expect(message.hasSuffix(Self.way))
      #expect(try store.log.erasures().map(\.reason) == ["request 1", "request 2"])
      #expect(try store.log.unfinishedErasures().isEmpty)
      let refused = await #expect(throws: AnnalsError.self) {
        try await store.append([.visited(.init(page: "home"))], to: "visits")
      }
      #expect(refused?.code == .requiresActivation && refused?.message.hasSuffix(Self.way) == true)
      // A duty to forget another one is done all the same.
      #expect(throws: AnnalsError.self) { try store.forget("c3", by: "jane", because: "request 3") }
      #expect(try store.log.erasures().count == 3)
      #expect(try Customers.names(store) == ["nobody", "nobody"])
    }
    let error = #expect(throws: AnnalsError.self) { _ = try open(Names.self) }
    #expect(error?.code == .rejected && error?.details.position == 3)
    #expect(error?.message.hasSuffix(Self.way) == true)
    do {
      let reader = try open(Names.self, access: .readOnly)
      #expect(try Customers.names(reader) == ["nobody", "nobody"])
    }
    let store = try open(NewNames.self)
    _ = try store.activate()
    let rows = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(NewNames.self).rows(RowQuery(Name.self)).map(\.name)
    }
    #expect(rows == ["nobody c1", "nobody c2"])
    try await store.append([.visited(.init(page: "home"))], to: "visits")
    try store.forget("c3", by: "jane", because: "request 3")
  }

  @Test func `an error of a fold is explained in the same way`() async throws {
    do {
      let store = try open(Strict.self)
      try await customers.fill(store)
      let error = #expect(throws: AnnalsError.self) {
        try store.forget("c1", by: "jane", because: "request")
      }
      #expect(error?.code == .ruleFailed && error?.details.position == 1)
      #expect(error?.message.hasPrefix("the keys are dropped") == true)
      #expect(error?.message.hasSuffix(Self.way) == true)
    }
    let error = #expect(throws: AnnalsError.self) { _ = try open(Strict.self) }
    #expect(error?.code == .ruleFailed && error?.message.hasSuffix(Self.way) == true)
  }

  @Test func `before a higher version is activated, nobody is forgotten`() async throws {
    do { try await customers.fill(open(Names.self)) }
    let store = try open(NewNames.self)
    let error = #expect(throws: AnnalsError.self) {
      try store.forget("c1", by: "jane", because: "request")
    }
    #expect(error?.code == .requiresActivation)
    #expect(try Customers.names(store).first == Customers.secret)
    #expect(try store.log.erasures().isEmpty)
  }
}
