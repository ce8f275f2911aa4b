import Testing

@Suite struct PlanProblemTests {
  /// What is wrong with `plan`, a line each.
  private func problems<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(plan) }
    #expect(error?.code == .invalidPlan)
    return error?.message.split(separator: "\n").dropFirst().map { String($0.dropFirst(2)) } ?? []
  }

  @Test func `versions rise`() {
    #expect(
      problems(SameVersion.self) == [
        "the version of Same2 (1.0.0) is not above that of First (1.0.0), the schema before it: give Same2 a higher version"
      ])
  }

  @Test func `a chain does not lead back to where it began`() {
    #expect(
      problems(Cycle.self) == [
        "the version of First (1.0.0) is not above that of Redeclared (2.0.0), the schema before it: give First a higher version"
      ])
  }

  @Test func `a stage has one rule for a record`() {
    #expect(
      problems(TwoRules.self) == [
        "the stage from First (1.0.0) to Redeclared (2.0.0) has more than one rule for 'A': keep one rule for \\.a"
      ])
  }

  @Test func `two records of a schema have different names`() {
    #expect(
      problems(SameName.self) == [
        "SameName1 (1.0.0) has two records named 'same', \\.a and \\.b: return another recordName from one of them"
      ])
  }

  @Test func `names that differ in bytes alone are different names`() throws {
    let plan = try CompiledPlan(Accents.self)
    let names = [try plan.step(.init(1, 0, 0), "\u{e9}"), try plan.step(.init(1, 0, 0), "e\u{301}")]
    #expect(names.map(\.step) == [0, 1])
  }

  @Test func `a name can be stored`() {
    let advice = "return a name of 1 to 500 bytes without NUL from its recordName"
    #expect(
      problems(BadNames.self) == [
        "the name of record Empty of BadNames1 (1.0.0) cannot be stored, for it is empty: \(advice)",
        "the name of record Nul of BadNames1 (1.0.0) cannot be stored, for it holds NUL: \(advice)",
        "the name of record Long of BadNames1 (1.0.0) cannot be stored, for it has 502 bytes: \(advice)",
      ])
  }

  @Test func `no record is forgotten`() {
    #expect(
      problems(Forgets.self) == [
        "record 'B' of First (1.0.0) is not in Forgetful (2.0.0), and no rule takes it: write Drop(\\.b, reason: …), Retain(\\.b), Upcast(\\.b, to: …) or Split(\\.b, into: …) in the stage, or carry it with typealias B = First.B"
      ])
  }

  @Test func `a record declared again has a rule`() {
    #expect(
      problems(Redeclares.self) == [
        "record 'A' of First (1.0.0) is declared again in Redeclared (2.0.0), and no rule takes it: write Upcast(\\.a, to: \\.a) { old, origin in … } in the stage, or carry it with typealias A = First.A"
      ])
  }

  @Test func `an alias does not skip a version that declared the record again`() {
    #expect(
      problems(Skips.self) == [
        "Skipping (3.0.0) carries record 'A' of First (1.0.0), which Redeclared (2.0.0) has declared again: write typealias A = Redeclared.A in Skipping, or Upcast(\\.a, to: \\.a) { old, origin in … } in the stage"
      ])
  }

  @Test func `a rule may lead back to the type of an earlier version`() throws {
    let plan = try CompiledPlan(LeadsBack.self)
    let lifted = try plan.upcast(Redeclared.A(n: 1, text: ""), .init(2, 0, 0), as: LeadsBack.self)
    #expect(lifted == [Lifted(.a(.init(n: 1)))])
  }

  @Test func `a split names records in its into`() {
    #expect(
      problems(IntoNothing.self) == [
        "a rule of the stage from First (1.0.0) to Redeclared (2.0.0) names what is no record of Redeclared (2.0.0): name records by the properties of Redeclared.Event.Cases alone"
      ])
  }

  @Test func `all problems are said at once`() {
    #expect(
      problems(ManyProblems.self).map { $0.split(separator: ",")[0] } == [
        "record 'A' of First (1.0.0) is declared again in Redeclared (2.0.0)",
        "the version of Forgetful (2.0.0) is not above that of Redeclared (2.0.0)",
        "Forgetful (2.0.0) carries record 'A' of First (1.0.0)",
        "record 'B' of Redeclared (2.0.0) is not in Forgetful (2.0.0)",
      ])
  }

  @Test func `a field that cannot be stored is named`() {
    #expect(
      problems(TwiceOptional.self) == [
        "record 'Measured' of TwiceOptional1 (1.0.0) cannot be stored by its shape: `value.second`: it is an optional of an optional, and null says only one of the two: remove one `?`"
      ])
  }

  @Test func `the plan is named`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(Redeclares.self) }
    #expect(error?.message.hasPrefix("Redeclares does not hold together:\n- ") == true)
  }
}

@Schema(1, 0, 0) private enum First {
  fileprivate struct A: Record, Codable, Equatable { var n: Int }
  fileprivate struct B: Record, Codable, Equatable { var n: Int }
}
@Schema(1, 0, 0) private enum Same2 {
  typealias A = First.A
  typealias B = First.B
}
@Schema(2, 0, 0) private enum Redeclared {
  fileprivate struct A: Record, Codable, Equatable {
    var n: Int
    var text: String
  }
  typealias B = First.B
}
@Schema(2, 0, 0) private enum Forgetful { typealias A = First.A }
@Schema(3, 0, 0) private enum Skipping {
  typealias A = First.A
  typealias B = First.B
}
@Schema(1, 0, 0) private enum SameName1 {
  fileprivate struct A: Record, Codable { static var recordName: String { "same" } }
  fileprivate struct B: Record, Codable { static var recordName: String { "same" } }
}
@Schema(1, 0, 0) private enum Accents1 {
  fileprivate struct A: Record, Codable { static var recordName: String { "\u{e9}" } }
  fileprivate struct B: Record, Codable { static var recordName: String { "e\u{301}" } }
}
@Schema(1, 0, 0) private enum BadNames1 {
  fileprivate struct Empty: Record, Codable { static var recordName: String { "" } }
  fileprivate struct Nul: Record, Codable { static var recordName: String { "a\0b" } }
  fileprivate struct Long: Record, Codable {
    static var recordName: String { String(repeating: "é", count: 251) }
  }
  fileprivate struct Longest: Record, Codable {
    static var recordName: String { String(repeating: "é", count: 250) }
  }
}
@Schema(1, 0, 0) private enum TwiceOptional1 {
  @Value struct Pair {
    var first: Int?
    var second: Int??
  }
  @Record struct Measured { var value: Pair }
}
extension First.Event: Equatable {}
extension Skipping.Event: Equatable {}

private let firstToRedeclared = MigrationStage.custom(fromVersion: First.self, toVersion: Redeclared.self) {
  Upcast(\.a, to: \.a) { old, origin in .init(n: old.n, text: "") }
}

private enum SameVersion: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Same2> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Same2.self)
  }
}
private enum Cycle: SchemaMigrationPlan {
  static var stages: MigrationChain<First, First> {
    firstToRedeclared
    MigrationStage.custom(fromVersion: Redeclared.self, toVersion: First.self) {
      Upcast(\.a, to: \.a) { old, origin in .init(n: old.n) }
    }
  }
}
private enum TwoRules: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Redeclared> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Redeclared.self) {
      Upcast(\.a, to: \.a) { old, origin in .init(n: old.n, text: "") }
      Drop(\.a, reason: "noise")
    }
  }
}
private enum SameName: SchemaMigrationPlan {
  static var stages: MigrationChain<SameName1, SameName1> {}
}
private enum Accents: SchemaMigrationPlan {
  static var stages: MigrationChain<Accents1, Accents1> {}
}
private enum BadNames: SchemaMigrationPlan {
  static var stages: MigrationChain<BadNames1, BadNames1> {}
}
private enum TwiceOptional: SchemaMigrationPlan {
  static var stages: MigrationChain<TwiceOptional1, TwiceOptional1> {}
}
private enum Forgets: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Forgetful> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Forgetful.self)
  }
}
private enum Redeclares: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Redeclared> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Redeclared.self)
  }
}
private enum Skips: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Skipping> {
    firstToRedeclared
    MigrationStage.custom(fromVersion: Redeclared.self, toVersion: Skipping.self)
  }
}
private enum LeadsBack: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Skipping> {
    firstToRedeclared
    MigrationStage.custom(fromVersion: Redeclared.self, toVersion: Skipping.self) {
      Upcast(\.a, to: \.a) { old, origin in .init(n: old.n) }
    }
  }
}
private enum IntoNothing: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Redeclared> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Redeclared.self) {
      Split(\.a, into: [\.self]) { old, origin in [] }
    }
  }
}
private enum ManyProblems: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Forgetful> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Redeclared.self)
    MigrationStage.custom(fromVersion: Redeclared.self, toVersion: Forgetful.self)
  }
}
