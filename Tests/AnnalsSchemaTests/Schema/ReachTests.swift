import Testing

@Suite struct ReachTests {
  private let v1 = SchemaVersion(1, 0, 0)

  @Test func `each stored version and type has a step of its own`() throws {
    let plan = try CompiledPlan(OrderPlan.self)
    #expect(
      plan.steps.map { "\($0.version) \($0.type)" } == [
        "1.0.0 Placed", "1.0.0 Shipped", "1.0.0 Pinged",
        "2.0.0 Shipped", "2.0.0 LineAdded", "2.0.0 Priced",
        "3.0.0 Shipped", "3.0.0 Priced", "3.0.0 WordAdded",
      ])
    #expect(try plan.step(SchemaVersion(2, 0, 0), "LineAdded").step == 4)
  }

  @Test(arguments: [
    (
      nil, "Placed", MissingStep.unversioned,
      "the events were stored without a schema version, and the plan does not say which one they are of: give it static var unversioned: UnversionedEvents { .adopt(as: V1.self) }"
    ),
    (
      SchemaVersion(3, 0, 1), "Placed",
      .newerVersion(current: .init(3, 0, 0), from: .init(3, 0, 1), isNoted: true),
      "the plan ends at version 3.0.0, and 3.0.1 is the lowest version that can read the events: use the program that wrote them, or a newer one"
    ),
    (
      SchemaVersion(0, 9, 0), "Placed", .olderVersion(oldest: .init(1, 0, 0), lastRelease: nil),
      "the plan begins at version 1.0.0: run a migration pass with a release whose plan still has this version, or put the older schemas and their stages before it; events that a 'Retain' of that plan keeps stay in this version after every pass, and need those schemas and stages in the plan"
    ),
    (
      SchemaVersion(1, 5, 0), "Placed", .unknownVersion,
      "no schema of the plan has this version: put it and its stages back into the chain"
    ),
    (
      SchemaVersion(2, 0, 0), "Placed", .unknownType(in: .init(2, 0, 0)),
      "the schema of version 2.0.0 has no record of this name: put it back, or return the name from its recordName"
    ),
  ])
  func `a plan that cannot read an entry gives the reason`(
    version: SchemaVersion?, type: String, missing: MissingStep, words: String
  ) throws {
    let plan = try CompiledPlan(OrderPlan.self)
    #expect(throws: missing) { try plan.entrance(of: RecordKind(type: ExactText(type), version: version)) }
    #expect(missing.description == words)
  }

  /// The stored types that become the case numbered `caseIndex` of `plan`'s current schema.
  private func sources(_ plan: CompiledPlan, _ caseIndex: Int) -> [String] {
    plan.sources(of: caseIndex).map { "\(plan.steps[$0].version) \(plan.steps[$0].type)" }
  }

  @Test func `a filter by type includes the sources of splits whose into names it, and no others`() throws {
    let plan = try CompiledPlan(OrderPlan.self)
    #expect(sources(plan, 0) == ["1.0.0 Shipped", "2.0.0 Shipped", "3.0.0 Shipped"])
    #expect(sources(plan, 1) == ["1.0.0 Placed", "2.0.0 Priced", "3.0.0 Priced"])
    #expect(sources(plan, 2) == ["1.0.0 Placed", "2.0.0 LineAdded", "3.0.0 WordAdded"])
  }

  @Test func `a filter by type includes the sources of every rule that may give anything`() throws {
    let plan = try CompiledPlan(AnythingPlan.self)
    #expect(sources(plan, 0) == ["1.0.0 Split", "1.0.0 Event1", "2.0.0 A"])
    #expect(sources(plan, 1) == ["1.0.0 Split", "1.0.0 Typed", "1.0.0 Event1", "2.0.0 B"])
  }
}

@Schema(1, 0, 0) private enum Anything1 {
  fileprivate struct Split: Record, Codable {}
  fileprivate struct Typed: Record, Codable {}
  fileprivate struct Event1: Record, Codable {}
  fileprivate struct Dropped: Record, Codable {}
}
@Schema(2, 0, 0) private enum Anything2 {
  fileprivate struct A: Record, Codable {}
  fileprivate struct B: Record, Codable {}
}
private enum AnythingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Anything1, Anything2> {
    MigrationStage.custom(fromVersion: Anything1.self, toVersion: Anything2.self) {
      Split(\.split) { _, _ in [] }
      Upcast(\.typed, to: \.b) { _, _ in .init() }
      Upcast(\.event1) { _, _ in .a(.init()) }
      Drop(\.dropped, reason: "noise")
    }
  }
}
