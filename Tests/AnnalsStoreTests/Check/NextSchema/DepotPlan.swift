import Annals
import Foundation

@Schema(1, 0, 0) enum DepotV1 {
  @Record struct Arrived { var parcel: String }
}

@Schema(1, 4, 0) enum DepotV2 {
  typealias Arrived = DepotV1.Arrived
  @Value struct Place: Hashable {
    var street: String
    @Field("post code") var zip: String?
  }
  @Value indirect enum Route {
    case direct
    case through(Place, then: Route)
    @UnknownCase case other
  }
  @Value enum Kind: String { case letter, box = "big box" }
  @Record("parcel sent", reserved: ["weight", "two\nlines"]) struct Sent {
    var id: UUID
    var `default`: Bool
    var count: UInt16
    var kind: Kind
    var route: Route
    var places: Set<Place>
    var names: [Place: [String]]
    var at: Date?
    var price: Decimal
    var data: [Data]
    var extra: AnyValue
    var photo: Attachment?
    @Field("by whom") var by: String
    @Field(personal: "by", erased: "no\"body") var sender: String
    @Field(personal: "by", erased: DepotV2.Place(street: "-", zip: nil)) var home: Place
    @Field(personal: "by", erased: [DepotV2.Place(street: "-", zip: "1")]) var stops: [Place]
    @Field(personal: "by", erased: DepotV2.Kind.box) var wanted: Kind
    @Field(personal: "by", erased: DepotV2.Route.direct) var way: Route
    @Field(personal: "by", erased: [String: Int8]()) var counts: [String: Int8]
    @Field(personal: "by", erased: ["a": -1.5]) var weights: [String: Float]
    @Field(personal: "by", erased: true) var isAdult: Bool?
    @Field(personal: "by") var phone: String?
  }
  @Record struct `Lost for good` { var url: URL }
}

enum DepotPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DepotV1, DepotV2> {
    MigrationStage.lightweight(fromVersion: DepotV1.self, toVersion: DepotV2.self)
  }
}
