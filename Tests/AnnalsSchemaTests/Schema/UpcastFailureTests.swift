import Testing

@testable import AnnalsSchema

@Suite struct UpcastFailureTests {
  private let v1 = SchemaVersion(1, 0, 0)
  private let site = RuleSite(from: .init(1, 0, 0), to: .init(2, 0, 0), type: "Counted")

  /// The failure of an upcast of `count`, stored under version 1.
  private func failure(_ count: Int) throws -> UpcastFailure? {
    let plan = try CompiledPlan(CountPlan.self)
    return #expect(throws: UpcastFailure.self) {
      try plan.upcast(Counts1.Counted(count: count), v1, as: CountPlan.self)
    }
  }

  @Test func `a payload that cannot be decoded names its stored type and version`() throws {
    let plan = try CompiledPlan(OrderPlan.self)
    let step = try plan.step(v1, "Shipped")
    let payload: [UInt8] = [0xff]
    let failure = #expect(throws: UpcastFailure.self) {
      try plan.upcast(
        step, payload: payload.span, origin: .sample(), into: TypedEventBuffer<OrdersV3.Event>())
    }
    #expect(failure?.version == v1)
    #expect(failure?.type == "Shipped")
    #expect(failure?.cause is CodingFailure)
  }

  @Test func `a rule that throws is named by its stage and record, with its error`() throws {
    let failure = try failure(-1)
    #expect(failure?.cause as? CountPlan.Negative == CountPlan.Negative())
    #expect(
      failure?.description
        == "'Counted' of version 1.0.0: the rule for 'Counted' in stage 1.0.0 to 2.0.0 threw Negative")
  }

  @Test func `an error that describes itself keeps its description, and any other gives its type alone`() {
    struct Described: Error, CustomStringConvertible { let description: String }
    struct Silent: Error { let secret = 7 }
    let described = StepFailure.ruleThrew(site, Described(description: "-1 is no count"))
    #expect(
      "\(described)" == "the rule for 'Counted' in stage 1.0.0 to 2.0.0 threw Described: -1 is no count")
    #expect("\(StepFailure.ruleThrew(site, Silent()))".hasSuffix("threw Silent"))
    // Dead letters and marks have the type alone.
    #expect("\(described)".withholding(Described(description: "-1 is no count")).hasSuffix("threw Described"))
    let long = StepFailure.ruleThrew(site, Described(description: String(repeating: "x", count: 1_000)))
    #expect("\(long)".hasSuffix("x…"))
    #expect("\(long)".count < 600)
  }

  @Test func `a failure at a later stage names that stage, and the version that the entry was stored under`()
    throws
  {
    let failure = try failure(3)
    #expect(
      failure?.description
        == "'Counted' of version 1.0.0: the rule for 'Numbered' in stage 2.0.0 to 3.0.0 threw Negative")
  }

  @Test func `a rule may give ten thousand parts`() throws {
    let plan = try CompiledPlan(CountPlan.self)
    #expect(try plan.upcast(Counts1.Counted(count: 10_000), v1, as: CountPlan.self).count == 10_000)
  }

  @Test func `a rule may not give more than ten thousand parts`() throws {
    let failure = try failure(10_001)
    guard case .tooManyParts(site, 10_001) = failure?.failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `a split may not give a record that its into does not name`() throws {
    let failure = try failure(0)
    guard case .unexpectedPart(site, "Emptied") = failure?.failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `an entry that fails half-way delivers nothing and leaves earlier deliveries`() throws {
    let plan = try CompiledPlan(CountPlan.self)
    let delivery = TypedEventBuffer<Counts3.Event>()
    let step = try plan.step(v1, "Counted")
    var two: [UInt8] = []
    var three: [UInt8] = []
    try Counts1.Counted(count: 2).encode(into: &two)
    try Counts1.Counted(count: 3).encode(into: &three)
    try plan.upcast(step, payload: two.span, origin: .sample(), into: delivery)
    #expect(throws: UpcastFailure.self) {
      try plan.upcast(step, payload: three.span, origin: .sample(), into: delivery)
    }
    #expect(delivery.entries.map(\.event) == [.numbered(.init(number: 0)), .numbered(.init(number: 1))])
  }
}

@Schema(1, 0, 0) private enum Counts1 {
  fileprivate struct Counted: Record, Codable, Equatable { var count: Int }
}
@Schema(2, 0, 0) private enum Counts2 {
  fileprivate struct Numbered: Record, Codable, Equatable {
    var number: Int
    var last: Bool
  }
  fileprivate struct Emptied: Record, Codable, Equatable { var at: Int }
}
@Schema(3, 0, 0) private enum Counts3 {
  fileprivate struct Numbered: Record, Codable, Equatable { var number: Int }
  typealias Emptied = Counts2.Emptied
}
extension Counts3.Event: Equatable {}

/// Counts down; refuses negative counts, and the last of three at the second stage.
private enum CountPlan: SchemaMigrationPlan {
  struct Negative: Error, Equatable {}

  static var stages: MigrationChain<Counts1, Counts3> {
    MigrationStage.custom(fromVersion: Counts1.self, toVersion: Counts2.self) {
      Split(\.counted, into: [\.numbered]) { old, origin in
        if old.count < 0 { throw Negative() }
        if old.count == 0 { return [.emptied(.init(at: 0))] }
        return (0..<old.count).map { .numbered(.init(number: $0, last: old.count == 3 && $0 == 2)) }
      }
    }
    MigrationStage.custom(fromVersion: Counts2.self, toVersion: Counts3.self) {
      Upcast(\.numbered, to: \.numbered) { old, origin in
        if old.last { throw Negative() }
        return .init(number: old.number)
      }
    }
  }
}
