import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog

/// A stage that changes the id of a person, and drops of the keys of both ids.
@Suite struct ChangedSubjectTests {
  @Schema(3, 0, 0) enum Renamed {
    typealias Visited = CustomersV1.Visited

    @Record struct Registered: Equatable {
      var customerID: String
      @Field(personal: "customerID", erased: "nobody") var name: String
      var city: String
    }
  }

  enum RenamingPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<CustomersV1, Renamed> {
      MigrationStage.custom(fromVersion: CustomersV1.self, toVersion: Renamed.self) {
        Upcast(\.registered, to: \.registered) { old, _ in
          .init(customerID: "customer/\(old.customerID)", name: "Dear \(old.name)", city: old.city)
        }
      }
    }
  }

  private func names(_ store: EventStore<RenamingPlan>) throws -> [String] {
    try Customers.events(store).compactMap {
      if case .registered(let customer) = $0 { customer.name } else { nil }
    }
  }

  @Test func `a pass never stores a value in the clear because another id was forgotten`() async throws {
    let customers = try Customers()
    do { try await customers.fill(try customers.store()) }
    let store = try customers.store(SubjectKeys(), RenamingPlan.self)
    try store.forget("customer/c1", by: "jane", because: "request")
    #expect(try names(store) == ["nobody", "Dear Ann"])
    _ = try await store.migrate().report()
    #expect(try names(store) == ["nobody", "Dear Ann"])
    _ = try EventLog.discardPrevious(customers.url)
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
  }

  @Test func `a pass keeps what the rule makes of the replacement of the older id`() async throws {
    let customers = try Customers()
    do { try await customers.fill(try customers.store()) }
    let store = try customers.store(SubjectKeys(), RenamingPlan.self)
    try store.forget("customer/c1", by: "jane", because: "request")
    try store.forget("c1", by: "jane", because: "request")
    #expect(try names(store) == ["Dear nobody", "Dear Ann"])
    _ = try await store.migrate().report()
    #expect(try names(store) == ["Dear nobody", "Dear Ann"])
    _ = try EventLog.discardPrevious(customers.url)
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
  }

  @Test func `nobody is forgotten under a new id because the keys of others were lost`() async throws {
    let customers = try Customers()
    do { try await customers.fill(try customers.store()) }
    try FileManager.default.removeItem(at: customers.file)
    do {
      let store = try customers.store(SubjectKeys(ifMissing: .forget))
      try await store.append(
        [.registered(.init(customerID: "c3", name: "Kim", phone: nil, city: "Kiel"))], to: "customer-3")
    }
    let store = try customers.store(SubjectKeys(), RenamingPlan.self)
    #expect(try names(store) == ["Dear nobody", "Dear nobody", "Dear Kim"])
    _ = try await store.migrate().report()
    #expect(try names(store) == ["Dear nobody", "Dear nobody", "Dear Kim"])
  }

  @Test func `a person who is forgotten after the pass has the new id`() async throws {
    let customers = try Customers()
    do { try await customers.fill(try customers.store()) }
    let store = try customers.store(SubjectKeys(), RenamingPlan.self)
    _ = try await store.migrate().report()
    try store.forget("customer/c1", by: "jane", because: "request")
    #expect(try names(store) == ["nobody", "Dear Ann"])
    // A further pass keeps what is there.
    _ = try await store.log.compact().report()
    #expect(try names(store) == ["nobody", "Dear Ann"])
  }
}
