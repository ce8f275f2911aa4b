import Foundation

@testable import Annals

// Events that say where a pass takes them.

@Schema(1, 0, 0) enum RoutesV1 {
  @Record struct Went: Equatable {
    var number: Int
    /// The stream after each of the stages, or one of ``Routes/others``.
    var to: [String]
  }
}

@Schema(2, 0, 0) enum RoutesV2 { typealias Went = RoutesV1.Went }
@Schema(3, 0, 0) enum RoutesV3 { typealias Went = RoutesV2.Went }
@Schema(4, 0, 0) enum RoutesV4 { typealias Went = RoutesV3.Went }

enum Routes {
  static let names = ["a", "b", "c", "d", "e"]
  static let stay = "stay"
  static let drop = "drop"
  static let others = [stay, stay, drop]

  static func route(_ went: RoutesV1.Went?, _ stage: Int) -> StreamRoute {
    switch went?.to[stage] {
    case nil, stay: .stays
    case drop: .dropped(reason: "no use")
    case let name?: .moves(to: StreamName(name))
    }
  }

  static var second: MigrationStage<RoutesV1, RoutesV2> {
    .custom(fromVersion: RoutesV1.self, toVersion: RoutesV2.self) {
      Streams { events, _ in
        guard case .went(let went) = events.first else { return .stays }
        return route(went, 0)
      }
    }
  }
  static var third: MigrationStage<RoutesV2, RoutesV3> {
    .custom(fromVersion: RoutesV2.self, toVersion: RoutesV3.self) {
      Streams { events, _ in
        guard case .went(let went) = events.first else { return .stays }
        return route(went, 1)
      }
    }
  }
  static var fourth: MigrationStage<RoutesV3, RoutesV4> {
    .custom(fromVersion: RoutesV3.self, toVersion: RoutesV4.self) {
      Streams { events, _ in
        guard case .went(let went) = events.first else { return .stays }
        return route(went, 2)
      }
    }
  }
}

enum RoutesFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<RoutesV1, RoutesV1> {}
}

enum RoutesSecond: SchemaMigrationPlan {
  static var stages: MigrationChain<RoutesV1, RoutesV2> { Routes.second }
}

enum RoutesThird: SchemaMigrationPlan {
  static var stages: MigrationChain<RoutesV1, RoutesV3> {
    Routes.second
    Routes.third
  }
}

enum RoutesFourth: SchemaMigrationPlan {
  static var stages: MigrationChain<RoutesV1, RoutesV4> {
    Routes.second
    Routes.third
    Routes.fourth
  }
}

extension RoutesV1.Event {
  var number: Int {
    switch self {
    case .went(let went): went.number
    }
  }
}

extension RoutesV2.Event {
  var number: Int {
    switch self {
    case .went(let went): went.number
    }
  }
}

extension RoutesV3.Event {
  var number: Int {
    switch self {
    case .went(let went): went.number
    }
  }
}
