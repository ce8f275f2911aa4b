import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// What programs have worked out from events: views, aggregates and inline projections after an erasure.
@Suite struct ErasedResultTests {
  private let customers: ErasedCustomers

  init() throws {
    customers = try ErasedCustomers()
  }

  private func name(_ view: View<ErasedCustomers.People>, _ account: String) throws(AnnalsError) -> String? {
    try view.read { (snapshot) throws(AnnalsError) in
      try snapshot.get(ErasedCustomers.People.Person.self, account)?.name
    }
  }

  @Test func `views are built again without erased events, and no read in between returns them`() async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    let view = try store.view(ErasedCustomers.People.self)
    try await view.waitUntil(7)
    #expect(try name(view, "customer-1") == ErasedCustomers.secret)
    let report = try store.erase(stream: "customer-1", by: "jane", because: "request")
    var isBuilt = false
    while !isBuilt {
      do throws(AnnalsError) {
        let (name, position) = try view.read { (snapshot) throws(AnnalsError) in
          (try snapshot.get(ErasedCustomers.People.Person.self, "customer-1")?.name, try snapshot.position())
        }
        #expect(name == nil)
        isBuilt = position == report.recorded.last
      } catch {
        #expect(error.code == .busy, "\(error)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try name(view, "customer-2") == "Ann")
  }

  @Test func `aggregates lose what was erased, also from their snapshots`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(
      try store.load(ErasedCustomers.Profile.self, from: "customer-1").state.name == ErasedCustomers.secret)
    #expect(
      try store.load(ErasedCustomers.Profile.self, from: "customer-1").folded == 0, "a snapshot is kept")
    try store.erase([1], by: "jane", because: "request")
    let loaded = try store.load(ErasedCustomers.Profile.self, from: "customer-1")
    #expect(loaded.state == ErasedCustomers.Profile.State(name: "", sum: 10))
    #expect(loaded.revision == 4)
  }

  @Test func `an aggregate does not see what was truncated, also with a snapshot`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(try store.load(ErasedCustomers.Profile.self, from: "customer-1").state.sum == 10)
    try await store.truncate("customer-1", before: 3)
    #expect(
      try store.load(ErasedCustomers.Profile.self, from: "customer-1").state
        == ErasedCustomers.Profile.State(name: "", sum: 7))
    try await store.truncate("customer-1")
    let loaded = try store.load(ErasedCustomers.Profile.self, from: "customer-1")
    #expect(loaded.state == ErasedCustomers.Profile.initial)
    #expect(loaded.expectation == .revision(4))
  }

  @Test func `inline projections are folded again without erased events`() async throws {
    let inline: [any InlineProjection<InlineAccountsV1.Event>.Type] = [InlineNames.self, InlineBalances.self]
    let store = try customers.place.accounts(inline, activating: true)
    try await customers.fill(store)
    #expect(try store.holder(of: "customer-1") == ErasedCustomers.secret)
    // The log alone cannot fold them.
    let error = #expect(throws: AnnalsError.self) {
      try store.log.erase(stream: "customer-1", by: "jane", because: "request")
    }
    #expect(error?.code == .needsPlan)
    #expect(try store.holder(of: "customer-1") == ErasedCustomers.secret)
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    #expect(try store.holder(of: "customer-1") == nil)
    #expect(try store.holder(of: "customer-2") == "Ann")
    #expect(try store.balance(of: "customer-2") == 100)
    // The name is free again.
    try await store.append([.opened(.init(name: ErasedCustomers.secret, code: nil))], to: "customer-3")
    #expect(try EventLog.verify(customers.place.url).isClean)
  }

  @Test func `a kill between the commit of an erasure and the removal of snapshots brings nothing back`()
    async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(
      try store.load(ErasedCustomers.Profile.self, from: "customer-1").state.name == ErasedCustomers.secret)
    // The commit alone: the snapshot is still there.
    var request = try AppendRequest(LogChange(.erase([1]), author: "jane", reason: "request"))
    request.rules = store.rules
    _ = try store.log.append(blocking: request)
    let loaded = try store.load(ErasedCustomers.Profile.self, from: "customer-1")
    #expect(loaded.state == ErasedCustomers.Profile.State(name: "", sum: 10))
  }

  @Test func `no view is built while the first views of a store are withdrawn`() throws {
    let store = try customers.store()
    let core = store.log.core
    let none = try store.log.read { (snapshot) throws(AnnalsError) in try ErasedKinds([], snapshot) }
    let withdrawn = try core.withdrawViews(of: none)
    let isBuilding = DispatchSemaphore(value: 0)
    let directory = try #require(try ViewDirectory.open(in: core.generation.directory, .readWrite))
    Thread.detachNewThread {
      // What the first view of a store needs.
      _ = try? directory.lock()
      isBuilding.signal()
    }
    #expect(isBuilding.wait(timeout: .now() + 0.1) == .timedOut)
    withdrawn?.end()
    #expect(isBuilding.wait(timeout: .now() + 10) == .success)
  }
}
