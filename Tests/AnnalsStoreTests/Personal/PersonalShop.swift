import AnnalsTestSupport

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store with two customers and their orders, and its keys.
struct PersonalShop {
  let directory: TemporaryDirectory
  let keys = MemoryKeys()
  var url: URL { directory.url.appendingPathComponent("shop.annals") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  static let ada = PersonalCustomersV1.Registered(
    customerID: 7, name: "Ada Lovelace", birthday: Date(timeIntervalSinceReferenceDate: -5), city: "London",
    address: .init(street: "St James's Square", number: 12))
  static let bob = PersonalCustomersV1.Registered(
    customerID: 8, name: "Bob", birthday: nil, city: "Paris", address: .init(street: "Rue", number: 1))

  func fill() async throws -> EventStore<PersonalPlanV1> {
    let store = try EventStore(at: url, plan: PersonalPlanV1.self, options: keys.options)
    try await store.append([.registered(Self.ada), .closed(.init(reason: "x"))], to: "a")
    try await store.append([.registered(Self.bob)], to: "b")
    try await store.append(
      [
        .ordered(.init(customer: "7", total: 3, note: "Ada's note")),
        .ordered(.init(customer: "8", total: 4, note: nil)),
      ], to: "a")
    return store
  }

  func events<Plan: SchemaMigrationPlan>(_ store: EventStore<Plan>) throws -> [Plan.Current.Event] {
    try MemoryKeys.events(store)
  }

  func dump(_ log: EventLog) throws -> String {
    var text = ""
    try log.read { (snapshot) throws in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        var writer = JSONWriter()
        try writer.entry(entry)
        text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
      }
    }
    return text
  }
}
