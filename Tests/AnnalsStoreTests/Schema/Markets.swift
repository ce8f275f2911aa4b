import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A market stall in three versions, with every kind of rule.
///
/// It has two splits in sequence, both forms of upcast, a drop, and records unchanged over a stage or two.
@Schema(1, 0, 0) enum MarketV1 {
  struct Placed: Record, Codable, Equatable {
    var lines: [String]
    var total: Int
  }
  struct Noted: Record, Codable, Equatable { var text: String }
  struct Shipped: Record, Codable, Equatable { var parcel: String }
  struct Pinged: Record, Codable, Equatable { var number: Int }
}

/// Orders are placed line by line, notes know their place, and pings are no longer kept.
@Schema(2, 0, 0) enum MarketV2 {
  typealias Shipped = MarketV1.Shipped
  struct Priced: Record, Codable, Equatable { var total: Int }
  struct LineAdded: Record, Codable, Equatable { var text: String }
  struct Noted: Record, Codable, Equatable {
    var text: String
    var place: UInt64
  }
}

/// Lines are words, and a price below zero is a refund.
@Schema(3, 0, 0) enum MarketV3 {
  typealias Shipped = MarketV2.Shipped
  typealias Noted = MarketV2.Noted
  struct Priced: Record, Codable, Equatable {
    var total: Int
    var currency: String
  }
  struct Refunded: Record, Codable, Equatable {
    var total: Int
    var receipt: String
  }
  struct WordAdded: Record, Codable, Equatable { var word: String }
}

extension MarketV3.Event: Equatable {}

/// The whole chain.
enum MarketPlan: SchemaMigrationPlan {
  static let toSecond = MigrationStage.custom(fromVersion: MarketV1.self, toVersion: MarketV2.self) {
    Split(\.placed, into: [\.priced, \.lineAdded]) { old, origin in
      [.priced(.init(total: old.total))] + old.lines.map { .lineAdded(.init(text: $0)) }
    }
    Upcast(\.noted, to: \.noted) { old, origin in .init(text: old.text, place: origin.position.rawValue) }
    Drop(\.pinged, reason: "noise")
  }

  static var stages: MigrationChain<MarketV1, MarketV3> {
    toSecond
    MigrationStage.custom(fromVersion: MarketV2.self, toVersion: MarketV3.self) {
      Split(\.lineAdded, into: [\.wordAdded]) { old, origin in
        old.text.split(separator: " ").map { .wordAdded(.init(word: String($0))) }
      }
      Upcast(\.priced) { old, origin in
        old.total < 0
          ? .refunded(.init(total: -old.total, receipt: origin.derivedID("refund").uuidString))
          : .priced(.init(total: old.total, currency: "EUR"))
      }
    }
  }
}

/// The plan of the first release.
enum FirstMarketPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MarketV1, MarketV1> {}
}

/// The chain as it was when the second version was current.
enum SecondMarketPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MarketV1, MarketV2> { MarketPlan.toSecond }
}
