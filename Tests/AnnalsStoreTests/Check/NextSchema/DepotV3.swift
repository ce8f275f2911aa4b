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
    @Field("by whom") var byWhom: String
    @Field(personal: "byWhom", erased: "no\"body") var sender: String
    @Field(personal: "byWhom", erased: DepotV3.Through(street: "-", postCode: nil)) var home: Through
    @Field(personal: "byWhom", erased: [DepotV3.Through(street: "-", postCode: "1")]) var stops: [Through]
    @Field(personal: "byWhom", erased: DepotV3.Kind.bigBox) var wanted: Kind
    @Field(personal: "byWhom", erased: DepotV3.Route.direct) var way: Route
    @Field(personal: "byWhom", erased: [String: Int8]()) var counts: [String: Int8]
    @Field(personal: "byWhom", erased: ["a": -1.5]) var weights: [String: Float]
    @Field(personal: "byWhom", erased: true) var isAdult: Bool?
    @Field(personal: "byWhom") var phone: String?
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
