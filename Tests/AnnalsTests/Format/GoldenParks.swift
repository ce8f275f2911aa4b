import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The kept store of declared kinds contains these declarations: they never change.

/// The first version, which also takes over events without one.
@Schema(1, 0, 0) enum GoldenParks1 {
  @Record struct ParkAdded: Equatable {
    var name: String
    var city: String
    var area: Float
    var opened: Date?
  }
  @Record("path") struct PathPaved: Equatable {
    var park: String
    @Field("ground") var surface: Surface
    var metres: [UInt16]
    var labels: [String: Int]
  }
  @Record struct Visited: Equatable { var n: Int }

  @Value indirect enum Surface: Equatable {
    case gravel
    case mixed(Surface, over: Surface)
    @UnknownCase case other
  }
}

/// Parks refer to cities: the stage has a context.
@Schema(2, 0, 0) enum GoldenParks2 {
  typealias PathPaved = GoldenParks1.PathPaved
  typealias Visited = GoldenParks1.Visited
  @Record struct CityAdded: Equatable {
    var id: UUID
    var name: String
  }
  @Record struct ParkAdded: Equatable {
    var name: String
    var city: UUID
    var area: Float
    var opened: Date?
  }
}

/// A draft: fields are renamed, widened and new.
@Schema(3, 0, 0, .draft) enum GoldenParks3 {
  typealias CityAdded = GoldenParks2.CityAdded
  typealias Visited = GoldenParks2.Visited
  @Record("path") struct PathPaved: Equatable {
    var note: String?
    @Field(originalName: "park") var place: String
    @Field("ground") var surface: GoldenParks1.Surface
    var metres: [UInt32]
    var labels: [String: Int]
  }
  @Record struct ParkAdded: Equatable {
    var name: String
    var city: UUID
    var area: Double
    var opened: Date?
    var trees: Int
  }
}

/// The program of the first version.
enum GoldenPlan1: SchemaMigrationPlan {
  static var stages: MigrationChain<GoldenParks1, GoldenParks1> {}
  static var unversioned: UnversionedEvents { .adopt(as: GoldenParks1.self) }
}

/// The program of the second version.
enum GoldenPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<GoldenParks1, GoldenParks2> { GoldenCities.stage }
  static var unversioned: UnversionedEvents { .adopt(as: GoldenParks1.self) }
}

/// The program of the draft, today's.
enum GoldenPlan3: SchemaMigrationPlan {
  static var stages: MigrationChain<GoldenParks1, GoldenParks3> {
    GoldenCities.stage
    MigrationStage.lightweight(fromVersion: GoldenParks2.self, toVersion: GoldenParks3.self) {
      Default(\.parkAdded, \.trees, 12)
    }
  }
  static var unversioned: UnversionedEvents { .adopt(as: GoldenParks1.self) }
}

/// A city is added where its name comes first, and parks refer to it from then on.
enum GoldenCities {
  struct UnknownCity: Error {}

  static var stage: MigrationStage<GoldenParks1, GoldenParks2> {
    MigrationStage.custom(
      fromVersion: GoldenParks1.self, toVersion: GoldenParks2.self,
      prepare: { history in
        try history.firstPositions { entry in
          if case .parkAdded(let park) = entry.event { park.city } else { nil }
        }
      }
    ) {
      Split(\.parkAdded, into: [\.cityAdded, \.parkAdded]) { old, origin, firsts in
        guard let first = firsts[old.city] else { throw UnknownCity() }
        let id = id(UInt8(truncatingIfNeeded: first.rawValue))
        let park = GoldenParks2.Event.parkAdded(
          .init(name: old.name, city: id, area: old.area, opened: old.opened))
        return first == origin.position ? [.cityAdded(.init(id: id, name: old.city)), park] : [park]
      }
    }
  }

  /// The id that ends in `number`.
  static func id(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
  }
}

extension GoldenParks3.Event: Equatable {}
