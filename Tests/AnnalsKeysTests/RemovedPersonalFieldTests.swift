import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Parcels with parts inside personal fields.
@Schema(1, 0, 0) enum ParcelsV1 {
  @Value struct Address: Equatable {
    var street: String
    var note: String?
  }
  @Value enum Payment: Equatable {
    case cash
    case card(number: String, owner: String)
  }
  @Record struct Delivered: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: ParcelsV1.Address(street: "-", note: nil)) var address: Address
    @Field(personal: "customerID", erased: [ParcelsV1.Address]()) var stops: [Address]
    @Field(personal: "customerID", erased: ParcelsV1.Payment.cash) var payment: Payment
    @Field(personal: "customerID") var phone: String?
    var weight: Int
  }
}

/// The notes, the owner of a card, the phone and the weight are gone.
@Schema(2, 0, 0) enum ParcelsV2 {
  @Value struct Address: Equatable { var street: String }
  @Value enum Payment: Equatable {
    case cash
    case card(number: String)
  }
  @Record struct Delivered: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: ParcelsV2.Address(street: "?")) var address: Address
    @Field(personal: "customerID", erased: [ParcelsV2.Address]()) var stops: [Address]
    @Field(personal: "customerID", erased: ParcelsV2.Payment.cash) var payment: Payment
  }
}

/// The first version, in which a record with code of its own has replaced the struct.
@Schema(1, 0, 0) enum CodedParcels {
  struct Delivered: Record, Codable {
    struct Address: Codable, Sendable { var street: String }
    var customerID: String
    var address: Address
  }
}

@Schema(2, 0, 0) enum ShortParcels {
  @Record struct Delivered: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: "?") var street: String
  }
}

enum ParcelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV1> {}
}

enum NewParcelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV2> {
    MigrationStage.lightweight(fromVersion: ParcelsV1.self, toVersion: ParcelsV2.self)
  }
}

enum CodedParcelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CodedParcels, ShortParcels> {
    MigrationStage.custom(fromVersion: CodedParcels.self, toVersion: ShortParcels.self) {
      Upcast(\.delivered, to: \.delivered) { old, _ in
        .init(customerID: old.customerID, street: old.address.street)
      }
    }
  }
}

/// What passes remove of personal fields, in the report and in the archive.
@Suite struct RemovedPersonalFieldTests {
  private let customers: Customers
  /// The data of each event as a dump shows them before the pass.
  private let data: [[String: Any]]
  private var archive: URL { customers.directory.url.appendingPathComponent("archive") }

  init() async throws {
    customers = try Customers()
    let secret = Customers.secret
    do {
      let store = try customers.store(SubjectKeys(), ParcelPlan.self)
      for (number, id) in ["c1", "c2", "c3"].enumerated() {
        let address = ParcelsV1.Address(street: secret, note: number == 2 ? nil : secret)
        try await store.append(
          [
            .delivered(
              .init(
                customerID: id, address: address, stops: [address, address],
                payment: number == 2 ? .cash : .card(number: secret, owner: secret),
                phone: secret, weight: number))
          ], to: "parcels")
      }
    }
    var lines = try EntryLines(
      EventLog(at: customers.url, options: StoreOptions(access: .readOnly, creation: .never)))
    var bytes: [UInt8] = []
    while let page = try lines.nextPage() { bytes += page }
    data = try Self.objects(Data(bytes)).compactMap { $0["data"] as? [String: Any] }
  }

  private static func objects(_ data: Data) throws -> [[String: Any]] {
    try data.split(separator: 0x0a).map {
      try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
    }
  }

  private static func text(_ value: Any?) -> String {
    guard let value,
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    else { return "none" }
    return String(decoding: data, as: UTF8.self)
  }

  /// The values in the archive, by the number of the event: path, place and value.
  private func archived() throws -> [[[String]]] {
    try Self.objects(Data(contentsOf: archive)).map { line in
      let removed = line["removed"] as? [[String: Any]] ?? []
      return removed.map { [Self.text($0["path"]), Self.text($0["at"]), Self.text($0["value"])] }
    }
  }

  /// What the archive must have of an event: the whole stored field for each part of it.
  private func expected(_ number: Int, _ paths: [String]) -> Set<[String]> {
    Set(
      paths.map { path in
        let names = path.split(separator: ".").map(String.init)
        return [
          Self.text(names), names.count > 1 ? Self.text([names[0]]) : "none",
          Self.text(data[number][names[0]]),
        ]
      })
  }

  private var options: MigrationOptions {
    var options = MigrationOptions()
    options.archive = archive
    return options
  }

  @Test func `parts of personal fields are listed, and archived with their field as it is stored`()
    async throws
  {
    let store = try customers.store(SubjectKeys(), NewParcelPlan.self)
    let report = try await store.migrate(options).report()
    #expect(
      Set(report.removedFields.map { "\($0.name) \($0.count)" }) == [
        "Delivered.address.note 2", "Delivered.stops.note 2", "Delivered.payment.card.owner 2",
        "Delivered.phone 3", "Delivered.weight 3",
      ])
    let all = ["address.note", "stops.note", "payment.card.owner", "phone", "weight"]
    let found = try archived()
    #expect(found.map(\.count) == [5, 5, 2])
    #expect(
      found.map(Set.init) == [
        expected(0, all), expected(1, all), expected(2, ["phone", "weight"]),
      ])
    #expect(found.joined().filter { $0[2].contains("sealed") }.count == 9)
    #expect(try customers.files(with: Array(Customers.secret.utf8), in: customers.directory.url) == [])
  }

  @Test func `parts of a forgotten person's fields are unknown, and the others are listed`() async throws {
    let store = try customers.store(SubjectKeys(), NewParcelPlan.self)
    try store.forget("c1", by: "jane", because: "request")
    let report = try await store.migrate(options).report()
    #expect(
      Set(report.removedFields.map { "\($0.name) \($0.count)" }) == [
        "Delivered.address.note 1", "Delivered.stops.note 1", "Delivered.payment.card.owner 1",
        "Delivered.phone 3", "Delivered.weight 3",
      ])
    #expect(try Set(archived()[0]) == expected(0, ["phone", "weight"]))
  }

  @Test func `values that a record with its own code does not take are archived as they are stored`()
    async throws
  {
    let store = try customers.store(SubjectKeys(), CodedParcelPlan.self)
    var options = options
    options.dropFields = [
      "Delivered.address.note", "Delivered.stops", "Delivered.payment", "Delivered.phone", "Delivered.weight",
    ]
    let report = try await store.migrate(options).report()
    #expect(report.removedFields.count == 5)
    let found = try archived()
    let all = ["stops", "payment", "phone", "weight"]
    #expect(
      found.map(Set.init) == [
        expected(0, all + ["address.note"]), expected(1, all + ["address.note"]), expected(2, all),
      ])
    #expect(try customers.files(with: Array(Customers.secret.utf8), in: customers.directory.url) == [])
    #expect(
      try Customers.events(store)
        == ["c1", "c2", "c3"].map {
          .delivered(.init(customerID: $0, street: Customers.secret))
        })
  }
}

extension ShortParcels.Event: Equatable {}
