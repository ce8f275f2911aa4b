import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum ConsignmentsV1 {
  @Value struct Address: Equatable { var street: String }
  @Value struct Item: Equatable { var title: String }
  @Value enum Carrier: Equatable {
    case pickup
    case courier(name: String)
  }
  @Record struct Consigned: Equatable {
    var to: Address
    var from: Address?
    var items: [Item]
    var carrier: Carrier
  }
}

@Schema(2, 0, 0) enum ConsignmentsV2 {
  @Value struct Address: Equatable {
    var street: String
    @Field("postcode") var zip: String
  }
  @Value struct Item: Equatable {
    var title: String
    var grams: Int
  }
  @Value enum Carrier: Equatable {
    case pickup
    case courier(name: String, insured: Bool)
  }
  @Record struct Consigned: Equatable {
    var to: Address
    var from: Address?
    var items: [Item]
    var carrier: Carrier
  }
}

enum ConsignmentPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ConsignmentsV1, ConsignmentsV2> {
    MigrationStage.lightweight(fromVersion: ConsignmentsV1.self, toVersion: ConsignmentsV2.self) {
      Default(\.consigned, \.to.zip, "")
      Default(\.consigned, at: \.from.postcode, "unknown")
      Default(\.consigned, at: \.items.grams, 0)
      Default(\.consigned, at: \.carrier.courier.insured, false)
    }
  }
}

extension ConsignmentsV2.Event: Equatable {}

/// It gives some constants, or wrong ones.
private enum CarelessConsignmentPlan<Constants: ConsignmentConstants>: SchemaMigrationPlan {
  static var stages: MigrationChain<ConsignmentsV1, ConsignmentsV2> {
    MigrationStage.lightweight(
      fromVersion: ConsignmentsV1.self, toVersion: ConsignmentsV2.self, adjustments: Constants.all)
  }
}
private protocol ConsignmentConstants: Sendable {
  static func all() -> [Adjustment<ConsignmentsV1, ConsignmentsV2>]
}
private enum NoConstants: ConsignmentConstants {
  static func all() -> [Adjustment<ConsignmentsV1, ConsignmentsV2>] { [] }
}
private enum WrongName: ConsignmentConstants {
  static func all() -> [Adjustment<ConsignmentsV1, ConsignmentsV2>] {
    [Default(\.consigned, at: \.to.zip, "")]
  }
}
private enum WrongType: ConsignmentConstants {
  static func all() -> [Adjustment<ConsignmentsV1, ConsignmentsV2>] {
    [Default(\.consigned, at: \.to.postcode, 8000)]
  }
}
private enum Unstored: ConsignmentConstants {
  static func all() -> [Adjustment<ConsignmentsV1, ConsignmentsV2>] {
    [Default(\.consigned, \.from?.zip, "")]
  }
}

@Suite struct NestedConstantTests {
  @Test func `a constant fills a new field of a struct, an optional, an array's elements and an enum's case`()
    async throws
  {
    let place = try TemporaryStore()
    let (item, address) = (ConsignmentsV1.Item(title: "tea"), ConsignmentsV1.Address(street: "Mill Lane"))
    try await place.write(
      [
        .consigned(.init(to: address, from: address, items: [item, item], carrier: .courier(name: "Bo"))),
        .consigned(.init(to: address, from: nil, items: [], carrier: .pickup)),
      ], as: ConsignmentsV1.self)
    let sent: [ConsignmentsV2.Event] = [
      .consigned(
        .init(
          to: .init(street: "Mill Lane", zip: ""), from: .init(street: "Mill Lane", zip: "unknown"),
          items: [.init(title: "tea", grams: 0), .init(title: "tea", grams: 0)],
          carrier: .courier(name: "Bo", insured: false))),
      .consigned(.init(to: .init(street: "Mill Lane", zip: ""), from: nil, items: [], carrier: .pickup)),
    ]
    #expect(try place.read(ConsignmentPlan.self) == sent)
    do {
      let store = try EventStore(at: place.url, plan: ConsignmentPlan.self)
      _ = try await store.migrate().report()
    }
    #expect(try place.read(OneSchema<ConsignmentsV2>.self) == sent)
  }

  @Test func `the check reports each constant with its path`() throws {
    let report = try ConsignmentPlan.check().description
    for line in [
      "to.postcode: text = \"\"", "items.grams: int64 = 0", "carrier.courier.insured: bool = false",
    ] {
      #expect(report.contains(line), "\(report)")
    }
  }

  @Test func `a new field inside a value that has no constant makes the plan invalid, with what to write`()
    throws
  {
    let message = try Self.refusal(NoConstants.self)
    #expect(message.contains("record 'Consigned' of ConsignmentsV1"), "\(message)")
    #expect(message.contains("Default(\\.consigned, \\.to.postcode, …)"), "\(message)")
    #expect(message.contains("Default(\\.consigned, at: \\.from.postcode, …)"), "\(message)")
    #expect(message.contains("Default(\\.consigned, at: \\.items.grams, …)"), "\(message)")
  }

  @Test func `a path to no new field makes the plan invalid, with the fields that still need a value`() throws
  {
    let message = try Self.refusal(WrongName.self)
    #expect(message.contains("`to.zip`"), "\(message)")
    #expect(
      message.contains("applies to nothing: correct its name (without a value: `to.postcode`"), "\(message)")
  }

  @Test func `a constant of another type makes the plan invalid`() throws {
    let message = try Self.refusal(WrongType.self)
    #expect(message.contains("`to.postcode`") && message.contains("its constant is no text"), "\(message)")
  }

  @Test func `a key path through an optional makes the plan invalid, with the form that reaches the field`()
    throws
  {
    let message = try Self.refusal(Unstored.self)
    #expect(message.contains("Default(\\.consigned, at: \\.…, …)"), "\(message)")
  }

  private static func refusal(_ constants: (some ConsignmentConstants).Type) throws -> String {
    func check<Constants: ConsignmentConstants>(_ constants: Constants.Type) throws -> String {
      let place = try TemporaryStore()
      let error = #expect(throws: AnnalsError.self) {
        _ = try EventStore(at: place.url, plan: CarelessConsignmentPlan<Constants>.self)
      }
      #expect(error?.code == .invalidPlan)
      return try #require(error?.message)
    }
    return try check(constants)
  }
}
