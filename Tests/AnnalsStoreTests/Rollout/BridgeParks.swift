import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// A bridge whose records programs of the version before read as their own.
@Schema(1, 0, 0) enum BridgeParks1 {
  @Record struct ParkAdded: Equatable {
    var name: String
    var area: Int32
  }
  @Record struct Counted: Equatable { var n: Int }
}
@Schema(2, 0, 0, .bridge) enum BridgeParks2 {
  typealias Counted = BridgeParks1.Counted
  @Record struct ParkAdded: Equatable {
    var city: String?
    var name: String
    var area: Int32
  }
  @Record struct ParkClosed: Equatable { var name: String }
}
@Schema(3, 0, 0) enum BridgeParks3 {
  typealias Counted = BridgeParks2.Counted
  typealias ParkClosed = BridgeParks2.ParkClosed
  @Record struct ParkAdded: Equatable {
    var city: String
    var name: String
  }
}
enum BridgeParksPlan1: SchemaMigrationPlan {
  static var stages: MigrationChain<BridgeParks1, BridgeParks1> {}
}
enum BridgeParksPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<BridgeParks1, BridgeParks2> {
    MigrationStage.lightweight(fromVersion: BridgeParks1.self, toVersion: BridgeParks2.self)
  }
}
enum BridgeParksPlan3: SchemaMigrationPlan {
  static var stages: MigrationChain<BridgeParks1, BridgeParks3> {
    MigrationStage.lightweight(fromVersion: BridgeParks1.self, toVersion: BridgeParks2.self)
    MigrationStage.custom(fromVersion: BridgeParks2.self, toVersion: BridgeParks3.self) {
      Upcast(\.parkAdded, to: \.parkAdded) { old, _ in .init(city: old.city ?? "", name: old.name) }
    }
  }
}

/// A bridge whose records are stored as the older version until it is active.
///
/// The stage in reverse converts them, or a downcast.
@Schema(1, 0, 0) enum BridgeWeights1 {
  @Record struct Weighed: Equatable {
    var pounds: Double
    var note: String
  }
  @Record struct Walked: Equatable { var steps: Int32 }
  @Record struct Named: Equatable { var name: String }
}
@Schema(2, 0, 0, .bridge) enum BridgeWeights2 {
  @Record struct Weighed: Equatable { var kilograms: Double }
  @Record struct Walked: Equatable { var steps: Int64 }
  @Record(formerly: ["Named"]) struct Titled: Equatable { var name: String }
}
enum BridgeWeightsPlan1: SchemaMigrationPlan {
  static var stages: MigrationChain<BridgeWeights1, BridgeWeights1> {}
}
enum BridgeWeightsPlan2: SchemaMigrationPlan {
  struct NoWeight: Error {}

  static var stages: MigrationChain<BridgeWeights1, BridgeWeights2> {
    MigrationStage.custom(fromVersion: BridgeWeights1.self, toVersion: BridgeWeights2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(kilograms: old.pounds / 2) }
      Downcast(\.weighed) { new in
        guard new.kilograms >= 0 else { throw NoWeight() }
        return new.kilograms > 500 ? nil : .weighed(.init(pounds: new.kilograms * 2, note: ""))
      }
    }
  }
}

extension BridgeParks1.Event: Equatable {}
extension BridgeParks2.Event: Equatable {}
extension BridgeWeights1.Event: Equatable {}
extension BridgeWeights2.Event: Equatable {}

extension EventLog {
  /// How far the roll-out of a version is, by its row.
  func phase(of version: SchemaVersion) throws -> SchemaRow.Phase? {
    try read { (snapshot) throws(AnnalsError) in snapshot.kinds.row(of: version)?.phase }
  }

  /// The version and type of every entry.
  func storedKinds() throws -> [String] {
    try read { (snapshot) throws(AnnalsError) in
      try snapshot.all().map { "\($0.type) \($0.version?.description ?? "-")" }
    }
  }
}
