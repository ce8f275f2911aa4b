import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog

/// Results of personal fields, other processes, and kills.
@Suite struct DroppedKeyTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  /// Names by customer, as rows of a view.
  enum People: Projection {
    typealias Event = CustomersV1.Event
    @Record struct Person: ProjectionRow {
      var id: String
      var name: String
      var key: String { id }
    }
    static let name = "people"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Person.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .registered(let customer) = entry.event else { return }
      try rows.put(Person(id: customer.customerID, name: customer.name))
    }
  }

  /// The same in the log's own file.
  enum Names: InlineProjection {
    typealias Event = CustomersV1.Event
    static let name = "names"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(People.Person.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .registered(let customer) = entry.event else { return }
      try rows.put(People.Person(id: customer.customerID, name: customer.name))
    }
  }

  /// The name of the newest registration.
  enum Profile: Aggregate {
    typealias Event = CustomersV1.Event
    @Record struct State: Equatable { var name: String }
    static let name = "profile"
    static let version = 1
    static var initial: State { State(name: "") }
    static var snapshotInterval: Int? { 1 }
    static func apply(_ entry: Entry<Event>, to state: inout State) {
      if case .registered(let customer) = entry.event { state.name = customer.name }
    }
  }

  @Test func `views are built again without a forgotten person, and no read in between returns them`()
    async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    let view = try store.view(People.self)
    try await view.waitUntil(3)
    func row() throws(AnnalsError) -> (name: String?, position: Position?) {
      try view.read { (snapshot) throws(AnnalsError) in
        (try snapshot.get(People.Person.self, "c1")?.name, try snapshot.position())
      }
    }
    #expect(try row().name == Customers.secret)
    let report = try store.forget("c1", by: "jane", because: "request")
    var isBuilt = false
    while !isBuilt {
      do throws(AnnalsError) {
        let row = try row()
        #expect(row.name != Customers.secret)
        isBuilt = row.position == report.recorded.last
      } catch {
        #expect(error.code == .busy, "\(error)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try row().name == "nobody")
    try await waitUntil { try customers.files(with: Array(Customers.secret.utf8)) == [] }
  }

  @Test func `aggregates lose a forgotten person, also from their snapshots`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(try store.load(Profile.self, from: "customer-1").state.name == Customers.secret)
    #expect(try store.load(Profile.self, from: "customer-1").folded == 0, "a snapshot is kept")
    try store.forget("c1", by: "jane", because: "request")
    #expect(try store.load(Profile.self, from: "customer-1").state.name == "nobody")
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
  }

  @Test func `inline projections are folded again, and their bytes leave with the next pass`() async throws {
    var options = StoreOptions()
    options.keys = SubjectKeys()
    options.activating = true
    let store = try EventStore(
      at: customers.url, plan: CustomerPlan.self, options: options, inline: [Names.self])
    try await customers.fill(store)
    func name() throws -> String? {
      try store.read { (snapshot) throws(AnnalsError) in
        try snapshot.inline(Names.self).get(People.Person.self, "c1")?.name
      }
    }
    #expect(try name() == Customers.secret)
    try store.forget("c1", by: "jane", because: "request")
    #expect(try name() == "nobody")
    let erasure = try #require(try store.log.erasures().first)
    #expect(erasure.remains == [.generation(1)], "the row may be in a free page")
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(customers.url)
    #expect(try store.log.erasures().first?.remains == [])
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
  }

  @Test func `subscriptions and aggregates follow the same rule as reads`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    try store.forget("c1", by: "jane", because: "request")
    var names: [String] = []
    for try await subscribed in store.subscribe(from: .beginning) {
      if case .registered(let customer) = subscribed.entry.event { names.append(customer.name) }
      if names.count == 2 { break }
    }
    #expect(names == ["nobody", "Ann"])
  }

  @Test(.enabled(if: ToolProcess.program != nil, "needs the program KeysTool"))
  func `another process that has the store open decrypts nothing after the drop has returned`() async throws {
    let program = try #require(ToolProcess.program)
    let store = try customers.store()
    try await customers.fill(store)
    let watcher = try ToolProcess(program, ["watch", customers.url.path])
    #expect(watcher.line() == "\(Customers.secret),Ann")
    #expect(try watcher.ask() == "\(Customers.secret),Ann")
    try store.forget("c1", by: "jane", because: "request")
    #expect(try watcher.ask() == "nobody,Ann")
    // Both go on with the new file.
    try await store.append(
      [.registered(.init(customerID: "c3", name: "Kim", phone: nil, city: "Ulm"))], to: "customer-3")
    #expect(try watcher.ask() == "nobody,Ann,Kim")
    #expect(watcher.end() == (false, 0))
  }

  @Test(
    .enabled(if: ToolProcess.program != nil, "needs the program KeysTool"), arguments: KeyPoint.allCases)
  func `a kill at any step of a drop leaves the key whole or gone, and the next open finishes it`(
    point: KeyPoint
  ) async throws {
    let program = try #require(ToolProcess.program)
    var log = UUID()
    do {
      let store = try customers.store()
      try await customers.fill(store)
      log = store.log.id
    }
    let key = try customers.key(of: "c1", log)
    let other = try customers.key(of: "c2", log)
    let tool = try ToolProcess(program, ["drop", customers.url.path, "c1", point.rawValue])
    #expect(tool.end() == (true, SIGKILL))
    // A program without libsodium says that it is not complete.
    let isBegun = point != .written
    do {
      let unfinished = try EventLog(at: customers.url).unfinishedErasures()
      #expect(unfinished.map(\.reason) == (isBegun ? ["request"] : []))
      #expect(unfinished.map(\.positions) == (isBegun ? [[]] : []))
      let reader = try EventLog(at: customers.url, options: StoreOptions(access: .readOnly))
      #expect(try reader.unfinishedErasures() == unfinished)
    }
    let store = try customers.store()
    let names = try Customers.names(store)
    #expect(names == (point == .written ? [Customers.secret, "Ann"] : ["nobody", "Ann"]))
    if point != .written { #expect(try customers.files(with: key) == []) }
    // The open has recorded what the killed process was asked for, and no more than once.
    let erasures = try store.log.erasures()
    #expect(erasures.map(\.author) == (point == .written ? [] : ["jane"]))
    #expect(erasures.map(\.reason) == (point == .written ? [] : ["request"]))
    #expect(try (store.log.options.keys as? SubjectKeys)?.unrecordedDrops() == [])
    try store.forget("c1", by: "jane", because: "request")
    #expect(try Customers.names(store) == ["nobody", "Ann"])
    #expect(try customers.files(with: key) == [])
    #expect(try customers.files(with: other) == ["keys.mdb"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: customers.url.path)
        .filter { $0.hasPrefix("keys.") }.sorted()
        == ["keys.mdb", "keys.mdb-lock", "keys.open", "keys.queue", "keys.write"])
    #expect(try EventLog.verify(customers.url).isClean)
  }

  @Test(.enabled(if: ToolProcess.program != nil, "needs the program KeysTool"))
  func `a killed drop is finished for inline projections too, by the next open that has them`() async throws {
    let program = try #require(ToolProcess.program)
    var options = StoreOptions()
    options.activating = true
    func store() throws -> EventStore<CustomerPlan> {
      options.keys = SubjectKeys()
      return try EventStore(
        at: customers.url, plan: CustomerPlan.self, options: options, inline: [Names.self])
    }
    do { try await customers.fill(store()) }
    let tool = try ToolProcess(program, ["drop", customers.url.path, "c1", "renamed", "names"])
    #expect(tool.end() == (true, SIGKILL))
    // A program without the projection reads, and leaves the rest to one that has it.
    do { #expect(try Customers.names(customers.store()) == ["nobody", "Ann"]) }
    #expect(try EventLog(at: customers.url).erasures().isEmpty)
    #expect(try EventLog(at: customers.url).unfinishedErasures().count == 1)
    let opened = try store()
    let name = try opened.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(Names.self).get(People.Person.self, "c1")?.name
    }
    #expect(name == "nobody")
    #expect(try opened.log.erasures().map(\.reason) == ["request"])
  }

  @Test func `stores with keys of their own in one process notice each other's drops`() async throws {
    let stores = [try customers.store(), try customers.store(), try customers.store()]
    try await customers.fill(stores[0])
    for store in stores { #expect(try Customers.names(store) == [Customers.secret, "Ann"]) }
    try stores[1].forget("c1", by: "jane", because: "request")
    for store in stores { #expect(try Customers.names(store) == ["nobody", "Ann"]) }
    try stores[2].forget("c2", by: "jane", because: "request")
    for store in stores { #expect(try Customers.names(store) == ["nobody", "nobody"]) }
    try await stores[0].append(
      [.registered(.init(customerID: "c3", name: "Kim", phone: nil, city: "Ulm"))], to: "customer-3")
    for store in stores { #expect(try Customers.names(store).last == "Kim") }
  }

  @Test func `keys that tasks make while others are dropped are all kept`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            let id = "t\(task)-\(number)"
            try await store.append(
              [.registered(.init(customerID: id, name: "name of \(id)", phone: nil, city: ""))], to: "all")
          }
        }
      }
      group.addTask {
        for number in 0..<10 { try store.forget("gone-\(number)", by: "jane", because: "request") }
      }
      try await group.waitForAll()
    }
    let names = Set(try Customers.names(store))
    for task in 0..<4 { for number in 0..<10 { #expect(names.contains("name of t\(task)-\(number)")) } }
  }
}
