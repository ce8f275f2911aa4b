import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog
import LMDB

/// The schema of KeysTool too, which cannot be imported.
@Schema(1, 0, 0) enum CustomersV1 {
  @Record struct Registered: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: "nobody") var name: String
    @Field(personal: "customerID") var phone: String?
    var city: String
  }

  @Record struct Visited: Equatable { var page: String }
}

@Schema(2, 0, 0) enum CustomersV2 {
  typealias Visited = CustomersV1.Visited

  @Record struct Registered: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: "NOBODY") var upper: String
    var city: String
  }
}

extension CustomersV1.Event: Equatable {}
extension CustomersV2.Event: Equatable {}

enum CustomerPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CustomersV1, CustomersV1> {}
}

enum NewCustomerPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CustomersV1, CustomersV2> {
    MigrationStage.custom(fromVersion: CustomersV1.self, toVersion: CustomersV2.self) {
      Upcast(\.registered, to: \.registered) { old, _ in
        .init(customerID: old.customerID, upper: old.name.uppercased(), city: old.city)
      }
    }
  }
}

/// A store with two customers, of whom one is to be forgotten.
struct Customers {
  let directory: TemporaryDirectory
  var url: URL { directory.url.appendingPathComponent("shop.annals") }
  var file: URL { url.appendingPathComponent("keys.mdb") }
  /// A text that is in the personal fields of the customer `c1`, and nowhere else.
  static let secret = "Wilhelmina Zuckerberg"

  init() throws {
    directory = try TemporaryDirectory()
  }

  func store(_ keys: SubjectKeys = SubjectKeys()) throws -> EventStore<CustomerPlan> {
    try store(keys, CustomerPlan.self)
  }

  func store<Plan: SchemaMigrationPlan>(_ keys: SubjectKeys, _ plan: Plan.Type) throws -> EventStore<Plan> {
    var options = StoreOptions()
    options.keys = keys
    return try EventStore(at: url, plan: plan, options: options)
  }

  func fill(_ store: EventStore<CustomerPlan>) async throws {
    try await store.append(
      [.registered(.init(customerID: "c1", name: Self.secret, phone: Self.secret + "!", city: "Ulm"))],
      to: "customer-1")
    try await store.append([.visited(.init(page: "home"))], to: "visits")
    try await store.append(
      [.registered(.init(customerID: "c2", name: "Ann", phone: nil, city: "Bonn"))], to: "customer-2")
  }

  static func names(_ store: EventStore<CustomerPlan>) throws -> [String] {
    try events(store).compactMap {
      if case .registered(let customer) = $0 { customer.name } else { nil }
    }
  }

  static func events<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>
  ) throws -> [Plan.Current.Event] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  /// The names of all files of the store that have these bytes.
  func files(with needle: [UInt8], in place: URL? = nil) throws -> [String] {
    let needle = Data(needle)
    var found: [String] = []
    let files = FileManager.default.enumerator(at: place ?? url, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: needle) != nil { found.append(file.lastPathComponent) }
    }
    return found.sorted()
  }

  /// The bytes of the newest key of a subject.
  func key(of subject: String, _ log: UUID) throws -> [UInt8] {
    let directory = try files { () throws(StoreFileError) in
      try Directory.open(path: url.path(percentEncoded: false))
    }
    let file = try #require(
      try KeyFile.open(in: directory, of: log, isReadOnly: false, creating: nil))
    return try #require(try file.row(of: subject)?.keys.last?.key)
  }

  private func files<R>(_ body: () throws(StoreFileError) -> R) throws -> R { try body() }
}
