import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog
@testable import AnnalsMigration

/// The second version of the visits, whose tags come from fields that are not personal.
@Schema(2, 0, 0) enum TaggedCustomersV2 {
  @Record struct Registered: Equatable {
    @Field(tag: "customer") var customerID: String
    @Field(personal: "customerID", erased: "nobody") var name: String
    @Field(personal: "customerID") var phone: String?
    @Field(tag: "city") var city: String
  }

  @Record struct Visited: Equatable { @Field(tag: "page") var page: String }
}

enum TaggedCustomerPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CustomersV1, TaggedCustomersV2> {
    MigrationStage.custom(fromVersion: CustomersV1.self, toVersion: TaggedCustomersV2.self) {
      Retag(\.registered)
      Retag(\.visited)
    }
  }
}

/// Passes that renew keys and compute tags again at once.
@Suite struct RetaggedKeyTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  /// The tags of all entries with an event, in the order of their positions.
  private func tags() throws -> [[EventTag]] {
    try EventLog(at: customers.url).read { snapshot in
      var found: [[EventTag]] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if case .payload = entry.content { found.append(entry.tags) }
      }
      return found
    }
  }

  private static var renewing: MigrationOptions {
    var options = MigrationOptions()
    options.renewsKeys = true
    return options
  }

  private static func names(_ store: EventStore<TaggedCustomerPlan>) throws -> [String] {
    try Customers.events(store).compactMap {
      if case .registered(let customer) = $0 { "\(customer.name) \(customer.phone ?? "-")" } else { nil }
    }
  }

  private static let wanted: [[EventTag]] = [
    ["city:Ulm", "customer:c1"], ["page:home"], ["city:Bonn", "customer:c2"], ["city:Kiel", "customer:c3"],
  ]

  @Test func `a pass renews keys and computes tags, and dropped keys stay dropped`() async throws {
    var log = UUID()
    var (older, dropped): ([UInt8], [UInt8]) = ([], [])
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      try await store.append(
        [.registered(.init(customerID: "c3", name: "Kim", phone: "03", city: "Kiel"))], to: "customer-3")
      log = store.log.id
      older = try customers.key(of: "c1", log)
      dropped = try customers.key(of: "c3", log)
      try keys.rotate("c1")
      try keys.rotate("c3")
      try store.forget("c3", by: "jane", because: "request")
      #expect(try tags() == [[], [], [], []])
    }
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys, TaggedCustomerPlan.self)
      let before = try Self.names(store)
      #expect(before == ["\(Customers.secret) \(Customers.secret)!", "Ann -", "nobody -"])
      var rehearsal = Self.renewing
      rehearsal.isRehearsal = true
      #expect(try await store.migrate(rehearsal).report().retagged == 4)
      let report = try await store.migrate(Self.renewing).report()
      #expect(report.isDone && report.retagged == 4)
      #expect(try Self.names(store) == before)
      #expect(try tags() == Self.wanted)
      // Queries and conditions use the tags of the pass.
      let query = EventQuery<TaggedCustomersV2.Event>(tags: ["customer:c1"])
      let found = try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(matching: query)
        var names: [String] = []
        while let entry = try entries.next() {
          if case .registered(let customer) = entry.event { names.append(customer.name) }
        }
        return names
      }
      #expect(found == [Customers.secret])
      #expect(try keys.isForgotten("c3"))
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append(
          [.registered(.init(customerID: "c3", name: "Kim", phone: nil, city: "Kiel"))], to: "customer-3")
      }
      #expect(error?.code == .subjectForgotten)
    }
    #expect(try EventLog.verify(customers.url).isClean)
    _ = try EventLog.discardPrevious(customers.url)
    #expect(try SubjectKeys.removeUnused(ofStoreAt: customers.url) == 1)
    for key in [older, dropped] { #expect(try customers.files(with: key) == []) }
    let store = try customers.store(SubjectKeys(), TaggedCustomerPlan.self)
    #expect(try Self.names(store) == ["\(Customers.secret) \(Customers.secret)!", "Ann -", "nobody -"])
    // A key that is dropped after the pass takes the renewed values too.
    try store.forget("c1", by: "jane", because: "request")
    #expect(try Self.names(store) == ["nobody -", "Ann -", "nobody -"])
    #expect(try tags() == Self.wanted, "tags are not personal, and stay")
    #expect(try EventLog.verify(customers.url).isClean)
  }

  @Test(arguments: ["batchCommitted", "compared", "locked", "live", "sealed", "unlocked"])
  func `such a pass may be killed at any step, and a rollback brings the older tags and keys back`(
    name: String
  ) async throws {
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      try await store.append(
        [.registered(.init(customerID: "c3", name: "Kim", phone: "03", city: "Kiel"))], to: "customer-3")
      for person in ["c1", "c2", "c3"] { try keys.rotate(person) }
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = customers.url.path as String, name = name as String] in
      let point = try #require(PassPoint(rawValue: name))
      var options = StoreOptions()
      options.keys = SubjectKeys()
      let store = try EventStore(
        at: URL(fileURLWithPath: path), plan: TaggedCustomerPlan.self, options: options)
      var pass = MigrationOptions()
      pass.renewsKeys = true
      (pass.batch, pass.durableBatch) = (1, 1)
      pass.atPoint = { if $0 == point { kill(getpid(), SIGKILL) } }
      _ = try await store.migrate(pass).report()
    }
    let names = ["\(Customers.secret) \(Customers.secret)!", "Ann -", "Kim 03"]
    do {
      let store = try customers.store(SubjectKeys(), TaggedCustomerPlan.self)
      #expect(try Self.names(store) == names)
      // A pass that has switched is complete; another one would leave an older generation of its own.
      if !["sealed", "unlocked"].contains(name) { _ = try await store.migrate(Self.renewing).report() }
      #expect(try Self.names(store) == names)
      #expect(try tags() == Self.wanted)
      #expect(try EventLog.verify(customers.url).isClean)
    }
    _ = try EventLog.rollback(customers.url)
    #expect(try tags() == [[], [], [], []])
    #expect(try Self.names(customers.store(SubjectKeys(), TaggedCustomerPlan.self)) == names)
    #expect(try EventLog.verify(customers.url).isClean)
  }
}
