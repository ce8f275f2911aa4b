import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A record with a field of every type, whose code the macro writes.
@Record struct Shipment: Record {
  var text: String
  var flag: Bool
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var int: Int
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var uint: UInt
  var single: Float
  var double: Double
  var data: Data
  var bytes: [UInt8]
  var id: UUID
  var at: Date
  var link: URL
  var price: Decimal
  @Field("left-out") var note: String?
  var nested: Int??
  var legs: [Route]
  var ports: Set<String>
  var days: Set<Date>
  var crates: [String: Crate]
  var hazards: [Hazard: Set<Int16>]
  var seals: [UUID: [Double?]]?
  var route: Route
  var crate: Crate?

  static var samples: [Shipment] {
    let crate = Crate(
      mark: "A", kilograms: 12.5, hazard: .flammable(celsius: -3, label: "3"),
      crates: [Crate(mark: "", kilograms: nil, hazard: .other, crates: [])])
    return [
      Shipment(
        text: "Bremerhaven", flag: true, int8: -8, int16: -1600, int32: -320_000, int64: .min, int: 24,
        uint8: 255, uint16: 65_535, uint32: .max, uint64: .max, uint: 0, single: 0.5, double: 0.1,
        data: Data([0, 1]), bytes: [255],
        id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        at: Date(timeIntervalSinceReferenceDate: 700_000_000.5), link: URL(filePath: "/a"),
        price: Decimal(125) / 10, note: "n", nested: .some(.some(3)),
        legs: [.direct, .leg(to: "Oslo", days: 2)], ports: ["Oslo", "Riga"],
        days: [Date(timeIntervalSinceReferenceDate: 0)], crates: ["a": crate],
        hazards: [.none: [], .other: [1, -1], .flammable(celsius: 1, label: nil): [300]],
        seals: [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)): [nil, 1.5]],
        route: .joined(.leg(to: "Kiel", days: nil), .joined(.direct, .direct)), crate: crate),
      Shipment(
        text: "", flag: false, int8: 0, int16: 0, int32: 0, int64: 0, int: 0, uint8: 0, uint16: 0,
        uint32: 0, uint64: 0, uint: 0, single: .infinity, double: -.infinity, data: Data(), bytes: [],
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        at: Date(timeIntervalSinceReferenceDate: 0), link: URL(filePath: "/"), price: 0, note: nil,
        nested: nil, legs: [], ports: [], days: [], crates: [:], hazards: [:], seals: nil, route: .direct,
        crate: nil),
    ]
  }
}

/// A struct that contains itself.
@Value struct Crate {
  @Field("m") var mark: String
  var kilograms: Double?
  var hazard: Hazard
  var crates: [Crate]
}

/// An enum with a case for unknown ones.
@Value enum Hazard: Hashable {
  case none
  case flammable(celsius: Int16, label: String?)
  @UnknownCase case other
}

/// An enum that contains itself.
@Value indirect enum Route {
  case direct
  case leg(to: String, days: UInt8?)
  case joined(Route, Route)
}
