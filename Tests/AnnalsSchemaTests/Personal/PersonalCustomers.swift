import AnnalsCoding
import AnnalsSchema
import AnnalsShapes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Customers whose names, addresses and birthdays are personal.
@Schema(1, 0, 0) enum PersonalCustomersV1 {
  @Record("customer") struct Registered: Equatable {
    var customerID: Int
    @Field(personal: "customerID", erased: "unknown person") var name: String
    @Field(personal: "customerID") var birthday: Date?
    var city: String
    @Field(personal: "customerID", erased: PersonalCustomersV1.Address(street: "-", number: 0))
    var address: Address
  }

  @Record struct Ordered: Equatable {
    @Field("id") var customer: String
    var total: Int
    @Field(personal: "customer") var note: String?
  }

  @Record struct Closed: Equatable { var reason: String }

  @Value struct Address: Equatable {
    var street: String
    var number: Int
  }
}

/// The name is divided, which a rule does; the order has a new name, and its note another one.
@Schema(2, 0, 0) enum PersonalCustomersV2 {
  typealias Closed = PersonalCustomersV1.Closed

  @Record(formerly: ["customer"]) struct Person: Equatable {
    var customerID: String
    @Field(personal: "customerID", erased: "nobody") var first: String
    @Field(personal: "customerID") var last: String?
    @Field(personal: "customerID", erased: "?") var place: String
  }

  @Record(formerly: ["Ordered"]) struct Bought: Equatable {
    @Field("id") var customer: String
    var total: Int
    @Field(originalName: "note", personal: "customer") var remark: String?
  }
}

extension PersonalCustomersV1.Event: Equatable {}
extension PersonalCustomersV2.Event: Equatable {}

enum PersonalPlanV1: SchemaMigrationPlan {
  static var stages: MigrationChain<PersonalCustomersV1, PersonalCustomersV1> {}
}

enum PersonalPlanV2: SchemaMigrationPlan {
  static var stages: MigrationChain<PersonalCustomersV1, PersonalCustomersV2> {
    MigrationStage.custom(fromVersion: PersonalCustomersV1.self, toVersion: PersonalCustomersV2.self) {
      Upcast(\.registered, to: \.person) { old, _ in
        let parts = old.name.split(separator: " ", maxSplits: 1).map(String.init)
        return .init(
          customerID: String(old.customerID), first: parts[0], last: parts.count > 1 ? parts[1] : nil,
          place: "\(old.address.street) \(old.address.number), \(old.city)")
      }
    }
  }
}
