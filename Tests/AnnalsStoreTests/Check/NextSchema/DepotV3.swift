import Annals
import Foundation

@Schema(1, 5, 0) enum DepotV3 {
  @Value enum Kind {
    case letter
    @Field("big box") case bigBox
  }
  @Value indirect enum Route {
    case direct
    case through(Through, then: Route)
    @UnknownCase case other
  }
  @Value struct Through: Hashable {
    var street: String
    @Field("post code") var postCode: String?
  }
  typealias Arrived = DepotV2.Arrived
  @Record("parcel sent", reserved: ["weight", "two\u{a}lines"]) struct Sent {
    var id: UUID
    var `default`: Bool
    var count: UInt16
    var kind: Kind
    var route: Route
    var places: Set<Through>
    var names: [Through: [String]]
    var at: Date?
    var price: Decimal
    var data: [Data]
    var extra: AnyValue
    var photo: Attachment?
  }
  typealias `Lost for good` = DepotV2.`Lost for good`
}

/// From 1.4.0 to 1.5.0. For a record that needs a rule, write
/// `MigrationStage.custom(fromVersion:toVersion:)` with `Upcast`, `Keep`, `Split` or `Drop` in braces.
let depotV2ToDepotV3 = MigrationStage.lightweight(
  fromVersion: DepotV2.self, toVersion: DepotV3.self)

// In DepotPlan, change the type of `stages`, and add the stage after the others:
//
//   static var stages: MigrationChain<DepotV1, DepotV3> {
//     …
//     depotV2ToDepotV3
//   }
