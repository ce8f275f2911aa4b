import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsStore

@Suite struct BridgeProblemTests {
  @Schema(1, 0, 0) enum Old {
    @Record struct Made: Equatable {
      var count: Int
      var name: String
    }
  }
  /// No superset: a required field is gone.
  @Schema(2, 0, 0, .bridge) enum Narrow {
    @Record struct Made: Equatable { var count: Int }
  }
  @Schema(2, 0, 0) enum Released {
    @Record struct Made: Equatable { var count: Int }
  }
  enum Unbridged: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Narrow> {
      MigrationStage.lightweight(fromVersion: Old.self, toVersion: Narrow.self)
    }
  }
  enum Bridged: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Narrow> {
      MigrationStage.lightweight(fromVersion: Old.self, toVersion: Narrow.self) {
        Downcast(\.made, to: \.made) { new in .init(count: new.count, name: "-") }
      }
    }
  }
  /// The same shape, and a rule that gives it another meaning.
  @Schema(2, 0, 0, .bridge) enum Halved {
    @Record struct Made: Equatable {
      var count: Int
      var name: String
    }
  }
  enum Misread: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Halved> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Halved.self) {
        Upcast(\.made, to: \.made) { old, _ in .init(count: old.count / 2, name: old.name) }
      }
    }
  }
  enum MisreadNot: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Halved> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Halved.self) {
        Upcast(\.made, to: \.made) { old, _ in .init(count: old.count / 2, name: old.name) }
        Downcast(\.made, to: \.made) { new in .init(count: new.count * 2, name: new.name) }
      }
    }
  }
  /// A new record that only has the name of one that is gone.
  enum Namesake: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Halved> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Halved.self) {
        Drop(\.made, reason: "counted anew")
      }
    }
  }

  @Test func `a shape that an older program could read is not enough where a rule gives it another meaning`()
    throws
  {
    for plan in [{ try CompiledPlan(Misread.self) }, { try CompiledPlan(Namesake.self) }] {
      let error = #expect(throws: AnnalsError.self) { try plan() }
      #expect(error?.code == .invalidPlan)
      #expect(error?.message.contains("Downcast(") == true)
    }
    #expect(try CompiledPlan(MisreadNot.self).bridge?.needsLowering == true)
  }

  /// Records without a shape that stay unchanged and are nevertheless read by a rule.
  @Schema(1, 0, 0) enum Pounds {
    struct Weighed: TreeRecord { var tree: CBOR }
  }
  @Schema(2, 0, 0, .bridge) enum Kilograms {
    typealias Weighed = Pounds.Weighed
  }
  enum PoundsPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Pounds, Pounds> {}
  }
  enum TreeCarried: SchemaMigrationPlan {
    static var stages: MigrationChain<Pounds, Kilograms> {
      MigrationStage.lightweight(fromVersion: Pounds.self, toVersion: Kilograms.self)
    }
  }
  enum TreeMisread: SchemaMigrationPlan {
    static var stages: MigrationChain<Pounds, Kilograms> {
      MigrationStage.custom(fromVersion: Pounds.self, toVersion: Kilograms.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(tree: ["n": CBOR(old.n / 2)]) }
      }
    }
  }
  enum TreeNamesake: SchemaMigrationPlan {
    static var stages: MigrationChain<Pounds, Kilograms> {
      MigrationStage.custom(fromVersion: Pounds.self, toVersion: Kilograms.self) {
        Drop(\.weighed, reason: "weighed anew")
      }
    }
  }
  enum TreeLowered: SchemaMigrationPlan {
    static var stages: MigrationChain<Pounds, Kilograms> {
      MigrationStage.custom(fromVersion: Pounds.self, toVersion: Kilograms.self) {
        Upcast(\.weighed, to: \.weighed) { old, _ in .init(tree: ["n": CBOR(old.n / 2)]) }
        Downcast(\.weighed, to: \.weighed) { new in .init(tree: ["n": CBOR(new.n * 2)]) }
      }
    }
  }

  @Test func `an unchanged record without a shape reaches older programs unchanged only if no rule takes it`()
    throws
  {
    for plan in [{ try CompiledPlan(TreeMisread.self) }, { try CompiledPlan(TreeNamesake.self) }] {
      let error = #expect(throws: AnnalsError.self) { try plan() }
      #expect(error?.code == .invalidPlan)
      #expect(error?.message.contains("Downcast(") == true)
    }
    #expect(try CompiledPlan(TreeCarried.self).bridge?.needsLowering == true)
  }

  @Test func `an append alongside an older program runs each rule once`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: PoundsPlan.self)
    let newer = try EventStore(at: place.url, plan: TreeLowered.self)
    try await newer.append([.weighed(.init(tree: ["n": 40]))], to: "a")
    #expect(try newer.log.storedKinds() == ["Weighed 1.0.0"])
    #expect(
      try older.events().map { event in
        switch event {
        case .weighed(let weighed): weighed.n
        }
      } == [80])
    #expect(
      try newer.events().map { event in
        switch event {
        case .weighed(let weighed): weighed.n
        }
      } == [40])
  }

  enum Twice: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Narrow> {
      MigrationStage.lightweight(fromVersion: Old.self, toVersion: Narrow.self) {
        Downcast(\.made, to: \.made) { new in .init(count: new.count, name: "-") }
        Downcast(\.made) { _ in nil }
      }
    }
  }
  enum Idle: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Released> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Released.self) {
        Downcast(\.made, to: \.made) { new in .init(count: new.count, name: "-") }
      }
    }
  }
  enum WithContext: SchemaMigrationPlan {
    struct Count: StageContext { var n: Int }
    static var stages: MigrationChain<Old, Narrow> {
      MigrationStage.custom(
        fromVersion: Old.self, toVersion: Narrow.self,
        prepare: { history in
          try history.reduce(into: Count(n: 0)) { count, _ in count.n += 1 }
        }
      ) {
        Upcast(\.made, to: \.made) { (old, _, _: Count) in .init(count: old.count) }
        Downcast(\.made, to: \.made) { new in .init(count: new.count, name: "-") }
      }
    }
  }

  private func message<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> String {
    do throws(AnnalsError) {
      _ = try CompiledPlan(plan)
      return ""
    } catch {
      return error.message
    }
  }

  @Test func `a bridge that is no superset needs a downcast, and the plan says so`() {
    let text = message(Unbridged.self)
    for part in ["'Made'", "Narrow (2.0.0)", "Downcast(\\.made, to: …)", "`name`"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(message(Bridged.self) == "")
  }

  @Test func `a record has one downcast at most`() {
    #expect(message(Twice.self).contains("more than one Downcast for 'Made'"))
  }

  @Test func `a downcast leads from a bridge`() {
    #expect(message(Idle.self).contains("Released is no bridge"))
  }

  @Test func `a stage that looks at the whole log leads to no bridge`() {
    #expect(message(WithContext.self).contains("leave out .bridge"))
  }

  /// The same version with another shape.
  @Schema(2, 0, 0, .bridge) enum Edited {
    @Record struct Made: Equatable { var count: Int32 }
  }
  enum EditedPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, Edited> {
      MigrationStage.custom(fromVersion: Old.self, toVersion: Edited.self) {
        Upcast(\.made, to: \.made) { old, _ in .init(count: Int32(clamping: old.count)) }
        Downcast(\.made, to: \.made) { new in .init(count: Int(new.count), name: "-") }
      }
    }
  }

  @Test func `the shapes of a bridge do not change any more`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: Bridged.self).append([.made(.init(count: 1))], to: "a")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: EditedPlan.self) }
    #expect(error?.code == .shapeChanged)
    let lock = PlanLock(Bridged.stages.outline, PlanSamples(of: Bridged.stages))
    #expect(lock.versions.map(\.version) == [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0)])
  }

  @Test func `a bridge is stored as one`() throws {
    let row = SchemaRow(version: SchemaVersion(2, 0, 0), stability: SchemaRow.Stability(Narrow.stability))
    let bytes = row.encoded()
    #expect(try SchemaRow(bytes.span) == row)
    #expect(row.stability == .bridge)
  }

  @Test func `a downcast is part of a plan's mark`() throws {
    enum Other: SchemaMigrationPlan {
      static var stages: MigrationChain<Old, Released> {
        MigrationStage.lightweight(fromVersion: Old.self, toVersion: Released.self)
      }
    }
    #expect(try PlanMark.of(CompiledPlan(Bridged.self)) != PlanMark.of(CompiledPlan(Other.self)))
  }

  @Schema(2, 0, 0, .bridge) enum Renamed {
    @Record(formerly: ["Made"]) struct Built: Equatable {
      var count: Int
      var name: String
    }
    @Record struct Extra: Equatable { var n: Int }
  }
  @Schema(2, 0, 0, .bridge) enum Widened {
    @Record struct Made: Equatable {
      var count: Int
      var name: String?
    }
  }
  @Schema(2, 0, 0, .bridge) enum Wider {
    @Record struct Made: Equatable {
      var note: String?
      @Field(originalName: "name") var title: String
      var count: Int
    }
  }

  private func forms<To: VersionedSchema>(_ to: To.Type) -> [String] {
    let stage = MigrationStage<Old, To>.lightweight(fromVersion: Old.self, toVersion: To.self)
    let outline = MigrationChain(stage).outline
    return (outline.bridgeForms(ofStage: 0) ?? []).map { form in
      switch form {
      case .readable: "readable"
      case .lowered: "lowered"
      case .rule: "rule"
      case .later: "later"
      case .impossible: "impossible"
      }
    }
  }

  @Test func `events that an older program can read never fail; the rest is lowered or waits`() {
    #expect(forms(Renamed.self) == ["lowered", "later"])
    #expect(forms(Widened.self) == ["lowered"])
    #expect(forms(Wider.self) == ["readable"])
    #expect(forms(Narrow.self) == ["impossible"])
  }
}

extension BridgeProblemTests.Pounds.Weighed {
  fileprivate var n: Int { tree["n"]?.integer ?? 0 }
}
