import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys

/// Results of personal fields in stores whose file of keys was lost, or is newer than the log.
@Suite struct MovedKeysTests {
  private typealias Names = DroppedKeyTests.Names
  private typealias People = DroppedKeyTests.People
  private typealias Profile = DroppedKeyTests.Profile

  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  private func store(
    _ keys: SubjectKeys = SubjectKeys(), at url: URL? = nil
  ) throws -> EventStore<CustomerPlan> {
    var options = StoreOptions()
    options.keys = keys
    options.activating = true
    return try EventStore(
      at: url ?? customers.url, plan: CustomerPlan.self, options: options, inline: [Names.self])
  }

  /// The names of both customers in the inline projection.
  private func rows(_ store: EventStore<CustomerPlan>) throws -> [String] {
    try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(Names.self).rows(RowQuery(People.Person.self))
    }.map(\.name)
  }

  @Test func `inline rows, views and aggregates lose everybody whose keys are lost`() async throws {
    do {
      let store = try store()
      try await customers.fill(store)
      try await store.view(People.self).waitUntil(3)
      #expect(try store.load(Profile.self, from: "customer-1").state.name == Customers.secret)
    }
    try FileManager.default.removeItem(at: customers.file)
    do {
      let store = try store(SubjectKeys(ifMissing: .forget))
      #expect(try rows(store) == ["nobody", "nobody"])
      #expect(try store.load(Profile.self, from: "customer-1").state.name == "nobody")
      let view = try store.view(People.self)
      try await view.waitUntilCaughtUp(timeout: .seconds(10))
      #expect(try view.rows(RowQuery(People.Person.self)).map(\.name) == ["nobody", "nobody"])
      let erasure = try #require(try store.log.erasures().first)
      #expect(erasure.author == "SubjectKeys(ifMissing: .forget)")
      #expect(erasure.reason.contains("keys.mdb"))
    }
    // Later opens do nothing again, and a second loss is recorded too.
    for _ in 0..<2 { #expect(try store().log.erasures().count == 1) }
    try FileManager.default.removeItem(at: customers.file)
    #expect(try store(SubjectKeys(ifMissing: .forget)).log.erasures().count == 2)
  }

  @Test func `a restored backup with the newest keys shows nobody who was forgotten since`() async throws {
    let backup = customers.directory.url.appendingPathComponent("backup.annals")
    do {
      let store = try store()
      try await customers.fill(store)
      try store.backup(to: backup)
      try store.forget("c1", by: "jane", because: "request")
      try store.forget("c9", by: "jane", because: "another request")
    }
    try FileManager.default.copyItem(at: customers.file, to: backup.appendingPathComponent("keys.mdb"))
    do {
      let store = try store(at: backup)
      #expect(try rows(store) == ["nobody", "Ann"])
      #expect(try Customers.names(store) == ["nobody", "Ann"])
      #expect(try store.log.erasures().map(\.reason) == ["another request"])
    }
    // Later opens do nothing again, in both stores.
    #expect(try store(at: backup).log.erasures().count == 1)
    #expect(try store().log.erasures().count == 2)
    #expect(try EventLog.verify(backup).isClean)
  }

  @Test func `a record with the same words at the same position of another copy is another one`()
    async throws
  {
    let (monday, tuesday) = (
      customers.directory.url.appending(path: "monday"), customers.directory.url.appending(path: "tuesday")
    )
    do {
      let store = try store()
      try await customers.fill(store)
      try store.backup(to: monday)
      try store.forget("c1", by: "jane", because: "request")
      try store.backup(to: tuesday)
      try store.forget("c2", by: "jane", because: "request")
    }
    try FileManager.default.copyItem(at: customers.file, to: monday.appending(path: "keys.mdb"))
    // It gets the record of the second removal where the other backup has that of the first one.
    #expect(try rows(store(at: monday)) == ["nobody", "nobody"])
    try FileManager.default.copyItem(
      at: monday.appending(path: "keys.mdb"), to: tuesday.appending(path: "keys.mdb"))
    let store = try store(at: tuesday)
    #expect(try rows(store) == ["nobody", "nobody"])
    #expect(try store.log.erasures().count == 2)
    #expect(try self.store(at: tuesday).log.erasures().count == 2)
  }

  @Test func `removing unused keys keeps the note of the newest removal`() async throws {
    do {
      let keys = SubjectKeys()
      let store = try store(keys)
      try await customers.fill(store)
      try store.forget("c1", by: "jane", because: "request")
      try keys.rotate("c2")
      var options = MigrationOptions()
      options.renewsKeys = true
      _ = try await store.migrate(options).report()
      _ = try EventLog.discardPrevious(customers.url)
    }
    #expect(try SubjectKeys.removeUnused(ofStoreAt: customers.url) == 1)
    let newest = try #require(try store().log.options.keys?.newestRecordedDrop())
    #expect(newest.reason == "request")
    #expect(try store().log.erasures().map(\.position) == [newest.position])
  }
}
