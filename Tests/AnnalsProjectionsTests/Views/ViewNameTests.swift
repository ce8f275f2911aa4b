import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsStore

/// Plans that take the events of a record away and use its name again, for a record of the same shape.
struct ViewNameTests {
  @Schema(1, 0, 0) enum V1 {
    @Record struct Placed { var total: Int }
    @Record struct Noted { var text: String }
  }
  /// With a new record of the name.
  @Schema(2, 0, 0) enum V2 {
    @Record struct Placed { var total: Int }
    typealias Noted = V1.Noted
    @Record struct Ordered { var total: Int }
  }
  /// Without a record of the name.
  @Schema(2, 0, 0) enum GapV2 {
    typealias Noted = V1.Noted
  }
  @Schema(3, 0, 0) enum GapV3 {
    @Record struct Placed { var total: Int }
    typealias Noted = V1.Noted
  }
  /// The record with another name.
  @Schema(2, 0, 0) enum RenamedV2 {
    @Record(formerly: ["Placed"]) struct Ordered { var total: Int }
    typealias Noted = V1.Noted
  }
  @Schema(3, 0, 0) enum RenamedV3 {
    typealias Ordered = RenamedV2.Ordered
    typealias Noted = V1.Noted
    @Record struct Placed { var total: Int }
  }
  /// The records of the first version, and one more.
  @Schema(2, 0, 0) enum LongerV2 {
    typealias Placed = V1.Placed
    typealias Noted = V1.Noted
    @Record struct Ordered { var total: Int }
  }

  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V1> {}
  }
  enum Longer: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, LongerV2> {
      MigrationStage.lightweight(fromVersion: V1.self, toVersion: LongerV2.self)
    }
  }
  enum Upcasting: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Upcast(\.placed, to: \.ordered) { old, _ in .init(total: old.total) }
      }
    }
  }
  enum Splitting: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Split(\.placed, into: [\.ordered]) { old, _ in [.ordered(.init(total: old.total))] }
      }
    }
  }
  enum Dropping: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Drop(\.placed, reason: "counted elsewhere")
      }
    }
  }
  enum Retaining: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) { Retain(\.placed) }
    }
  }
  enum Gap: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, GapV3> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: GapV2.self) {
        Drop(\.placed, reason: "counted elsewhere")
      }
      MigrationStage.lightweight(fromVersion: GapV2.self, toVersion: GapV3.self)
    }
  }
  enum Renaming: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, RenamedV3> {
      MigrationStage.lightweight(fromVersion: V1.self, toVersion: RenamedV2.self)
      MigrationStage.lightweight(fromVersion: RenamedV2.self, toVersion: RenamedV3.self)
    }
  }
  /// The plans after the migration pass, without the versions before it.
  enum Later: SchemaMigrationPlan {
    static var stages: MigrationChain<V2, V2> {}
  }
  enum LaterRenaming: SchemaMigrationPlan {
    static var stages: MigrationChain<RenamedV2, RenamedV3> {
      MigrationStage.lightweight(fromVersion: RenamedV2.self, toVersion: RenamedV3.self)
    }
  }

  private static let reusing: [any SchemaMigrationPlan.Type] = [
    Upcasting.self, Splitting.self, Dropping.self, Retaining.self, Gap.self, Renaming.self,
  ]

  /// The inputs of a projection that selects the record called `name`.
  private func inputs(_ plan: any SchemaMigrationPlan.Type, _ name: String) throws -> ProjectionInputs {
    let compiled = try CompiledPlan(plan)
    let number = try #require(compiled.current.index(of: ExactText(name)))
    return ProjectionInputs(compiled, cases: [number])
  }

  @Test("a name used again for another record of the same shape is a change, in both directions")
  func reused() throws {
    let first = try inputs(First.self, "Placed")
    for plan in Self.reusing {
      let later = try inputs(plan, "Placed")
      let reason = later.reasonToRebuild(from: first, oldest: SchemaVersion(1, 0, 0))
      #expect(reason?.contains("from 1.0.0 to 2.0.0") == true, "\(plan): \(reason ?? "none")")
      #expect(reason?.contains("'Placed'") == true, "\(plan): \(reason ?? "none")")
      #expect(first.reasonToRebuild(from: later, oldest: SchemaVersion(1, 0, 0)) != nil, "\(plan)")
      #expect(ProjectionInputs(later.text)?.lines == later.lines, "\(plan)")
    }
  }

  @Test("records whose name is not used again have the inputs that they had")
  func unchanged() throws {
    for plan in Self.reusing + [Longer.self] {
      #expect(try inputs(plan, "Noted").text == inputs(First.self, "Noted").text, "\(plan)")
    }
    #expect(try inputs(Longer.self, "Placed").text == inputs(First.self, "Placed").text)
  }

  @Test("a plan without the versions before the name was used again rebuilds nothing")
  func withoutFirstVersions() throws {
    for plan in [Upcasting.self, Splitting.self, Dropping.self, Retaining.self]
      as [any SchemaMigrationPlan.Type]
    {
      let later = try inputs(Later.self, "Placed")
      let reason = later.reasonToRebuild(from: try inputs(plan, "Placed"), oldest: SchemaVersion(2, 0, 0))
      #expect(reason == nil, "\(plan)")
    }
    let later = try inputs(LaterRenaming.self, "Placed")
    let reason = later.reasonToRebuild(
      from: try inputs(Renaming.self, "Placed"), oldest: SchemaVersion(2, 0, 0))
    #expect(reason == nil)
  }

  @Record struct Sum: ProjectionRow {
    var name: String
    var total: Int
    var key: String { name }
  }
  enum SumsOfFirst: Projection {
    typealias Event = V1.Event
    static let name = "sums"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Sum.self)] }
    static var events: EventQuery<Event> { [\.placed] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .placed(let placed) = entry.event else { return }
      try rows.update(Sum.self, "all", initial: Sum(name: "all", total: 0)) { $0.total += placed.total }
    }
  }
  enum Sums: Projection {
    typealias Event = V2.Event
    static let name = "sums"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Sum.self)] }
    static var events: EventQuery<Event> { [\.placed] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .placed(let placed) = entry.event else { return }
      try rows.update(Sum.self, "all", initial: Sum(name: "all", total: 0)) { $0.total += placed.total }
    }
  }

  @Test("a view whose record's name is used again is built from the events that the log delivers")
  func rebuilt() async throws {
    let temporary = try TemporaryStore()
    do {
      let store = try EventStore(at: temporary.url, plan: First.self)
      try await store.append((1...5).map { NewEvent(.placed(.init(total: $0))) }, to: "orders")
      let view = try store.view(SumsOfFirst.self)
      try await view.waitUntil(5)
      #expect(try view.get(Sum.self, "all")?.total == 15)
    }
    let store = try EventStore(at: temporary.url, plan: Upcasting.self)
    let view = try store.view(Sums.self)
    try await view.waitUntilBuilt()
    #expect(try view.get(Sum.self, "all") == nil)
    let reason = try #require(try view.status().reason)
    #expect(reason.contains("takes 'Placed' by a rule"), "\(reason)")
    let last = try await store.append([NewEvent(.placed(.init(total: 7)))], to: "orders").positions[0]
    try await view.waitUntil(last)
    #expect(try view.get(Sum.self, "all")?.total == 7)
  }
}
