import Annals

/// Parks as the first release kept them.
@Schema(1, 0, 0) enum ParksV1 {
  @Record struct ParkOpened: Equatable {
    var name: String
    var city: String
  }
  @Record struct TreesPlanted: Equatable {
    var kind: String
    var count: Int
  }
  @Record struct Inspected: Equatable { var by: String }
  @Record struct Visited: Equatable { var people: Int }
}

/// One record is changed without a rule; the others are unchanged.
@Schema(1, 1, 0) enum ParksV11 {
  typealias TreesPlanted = ParksV1.TreesPlanted
  typealias Inspected = ParksV1.Inspected
  typealias Visited = ParksV1.Visited
  @Record struct ParkOpened: Equatable {
    @Field(originalName: "name") var title: String
    var city: String
    var country: String
  }
}

/// One record is split, one is dropped, and one is converted by a rule.
@Schema(2, 0, 0) enum ParksV2 {
  typealias ParkOpened = ParksV11.ParkOpened
  @Record struct TreePlanted: Equatable { var kind: String }
  @Record struct Visited: Equatable { var visitors: Int }
}

/// The error for an event that has no form in the newer version.
struct NobodyCame: Error {}

enum ParkFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV1, ParksV1> {}
}

enum ParkPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV1, ParksV2> {
    MigrationStage.lightweight(fromVersion: ParksV1.self, toVersion: ParksV11.self) {
      Default(\.parkOpened, \.country, "FR")
    }
    MigrationStage.custom(fromVersion: ParksV11.self, toVersion: ParksV2.self) {
      Split(\.treesPlanted, into: [\.treePlanted]) { old, _ in
        (0..<old.count).map { _ in .treePlanted(.init(kind: old.kind)) }
      }
      Drop(\.inspected, reason: "inspections are kept elsewhere")
      Upcast(\.visited, to: \.visited) { old, _ in
        guard old.people > 0 else { throw NobodyCame() }
        return .init(visitors: old.people)
      }
    }
  }
}

/// The newest version alone.
enum ParkNewest: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV2, ParksV2> {}
}

/// A plan that adopts events without a version as events of the first one.
enum ParkAdopting: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV1, ParksV2> { return ParkPlan.stages }
  static var unversioned: UnversionedEvents { .adopt(as: ParksV1.self) }
}
