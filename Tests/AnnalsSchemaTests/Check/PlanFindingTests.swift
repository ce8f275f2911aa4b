import Testing

@Suite struct PlanFindingTests {
  /// What is found in `plan`, of one severity.
  private func found<Plan: SchemaMigrationPlan>(
    _ severity: PlanCheck.Finding.Severity, in plan: Plan.Type,
    _ compatibility: PlanCheck.Compatibility = .backward
  ) -> [String] {
    PlanCheck(of: plan, compatibility: compatibility).findings.filter { $0.severity == severity }
      .map(\.message)
  }

  // Promise P47.
  @Test func `a possible rename is an error until it is acknowledged`() {
    #expect(
      found(.error, in: DoubtfulPlan.self) == [
        "in the stage from Weighed1 (1.0.0) to Weighed2 (1.1.0) record 'Weighed' loses `weight` and gets `kilograms`, of the same type: if they are one field, write @Field(originalName: \"weight\") at it; if they are two, write Unrelated(\\.weighed, old: \\.weight, new: \\.kilograms) in the stage, and what is stored in the old one is not read any more"
      ])
    #expect(found(.error, in: AcknowledgedPlan.self) == [])
  }

  @Test func `an original name next to a rule does nothing and is a warning`() {
    #expect(
      found(.warning, in: IdleNamePlan.self) == [
        "in the stage from Weighed1 (1.0.0) to Renamed2 (2.0.0) the original name `weight` of `Weighed.kilograms` does nothing, for a rule makes the record: take the original name out, or the rule"
      ])
  }

  @Test func `an original name that an earlier stage took is not warned of`() {
    #expect(found(.warning, in: EarlierNamePlan.self) == [])
    #expect(found(.error, in: EarlierNamePlan.self) == [])
  }

  @Test func `rules below a minor version are warned of`() {
    #expect(
      found(.warning, in: MinorPlan.self) == [
        "the stage from Weighed1 (1.0.0) to Minor (1.1.0) has rules, and only the minor number rises: by custom Minor would be 2.0.0"
      ])
  }

  @Test func `a major version without rules is noted`() {
    #expect(
      found(.note, in: MajorPlan.self) == [
        "the stage from Weighed1 (1.0.0) to Major (2.0.0) has no rules, and by custom only the minor number would rise"
      ])
  }

  @Test func `a record that is stored by name is noted once`() {
    #expect(
      found(.note, in: BarePlan.self) == [
        "record 'Bare' of Bare1 (1.0.0) is stored by name and has no shape, so that its changes cannot be checked: write @Record before the struct, in a new version if this one has shipped"
      ])
  }

  @Test func `a stage with a context is noted`() {
    #expect(
      found(.note, in: ContextPlan.self) == [
        "the stage from Weighed1 (1.0.0) to Renamed2 (2.0.0) has a context, so that it activates at one position of the log: a store with older events has to be opened once with activating, and nobody appends older events after it",
        "record 'Weighed' of Weighed1 (1.0.0) has no samples, so that its rule in the stage from Weighed1 (1.0.0) to Renamed2 (2.0.0) cannot be tried: give it static var samples: [Weighed]",
        "in the stage from Weighed1 (1.0.0) to Renamed2 (2.0.0) a rule makes what 'Weighed' becomes: programs of version 1.0.0 need a downcast to read it",
      ])
    #expect(
      PlanCheck(of: ContextPlan.self).stages[0].description.split(separator: "\n")[0]
        == "Weighed1 1.0.0 -> Renamed2 2.0.0: custom, scope record, with a context: it activates at one position"
    )
  }

  // Promise P74.
  @Test func `a change that older programs cannot read is a note, and a warning where they have to read it`()
  {
    let breaks = [
      "in the stage from Weighed1 (1.0.0) to Acknowledged2 (1.1.0) programs of version 1.0.0 read 'Weighed' of 1.1.0 with a limit, needs a downcast: `weight`, double, is gone: its bytes stay but are not read, and older programs cannot read what is written from now on without a downcast"
    ]
    #expect(found(.note, in: AcknowledgedPlan.self) == breaks)
    #expect(found(.warning, in: AcknowledgedPlan.self, .full) == breaks)
    #expect(found(.note, in: AcknowledgedPlan.self, .full) == [])
  }

  @Test func `a rule that fails for a sample is warned of`() {
    #expect(
      found(.warning, in: ThrowingPlan.self) == [
        "in the stage from Sampled1 (1.0.0) to Sampled2 (2.0.0) sample 2 of 'Sampled' fails: the rule for 'Sampled' in stage 1.0.0 to 2.0.0 threw Negative"
      ])
  }

  @Test func `a sample that cannot be stored is an error`() {
    let errors = found(.error, in: UnstorablePlan.self)
    #expect(errors.count == 1)
    #expect(
      errors.first?.hasPrefix("a sample of 'Unstorable' of Unstorable1 (1.0.0) cannot be stored, for ")
        == true)
    #expect(errors.first?.hasSuffix(": correct the record's samples") == true)
  }

  @Test func `problems that only the compilation of a plan finds are errors, too`() {
    #expect(
      found(.error, in: AdoptingPlan.self) == [
        "AdoptingPlan takes events without a version for ones of 1.1.0, which is no version of its chain: name one of its schemas in 'unversioned'"
      ])
  }

  @Test func `errors come before warnings, and warnings before notes`() {
    let severities = PlanCheck(of: DoubtfulPlan.self, compatibility: .full).findings.map(\.severity)
    #expect(severities == [.error, .warning])
  }
}

@Schema(1, 0, 0) private enum Weighed1 {
  @Record fileprivate struct Weighed { var weight: Double }
}
@Schema(1, 1, 0) private enum Weighed2 {
  @Record fileprivate struct Weighed { var kilograms: Double? }
}
@Schema(1, 1, 0) private enum Acknowledged2 {
  @Record fileprivate struct Weighed { var kilograms: Double? }
}
@Schema(2, 0, 0) private enum Renamed2 {
  @Record fileprivate struct Weighed { @Field(originalName: "weight") var kilograms: Double }
}
@Schema(3, 0, 0) private enum Renamed3 {
  @Record fileprivate struct Weighed {
    @Field(originalName: "weight") var kilograms: Double
    var note: String
    static var samples: [Weighed] { [.init(kilograms: 1, note: "")] }
  }
}
@Schema(1, 1, 0) private enum Minor { @Record fileprivate struct Weighed { var weight: Int } }
@Schema(2, 0, 0) private enum Major { typealias Weighed = Weighed1.Weighed }
@Schema(1, 0, 0) private enum Bare1 { fileprivate struct Bare: Record, Codable { var n: Int } }
@Schema(1, 1, 0) private enum Bare2 { typealias Bare = Bare1.Bare }
@Schema(1, 0, 0) private enum Sampled1 {
  @Record fileprivate struct Sampled {
    var n: Int
    static var samples: [Sampled] { [.init(n: 1), .init(n: -1)] }
  }
}
@Schema(2, 0, 0) private enum Sampled2 { @Record fileprivate struct Sampled { var n: UInt } }
@Schema(1, 0, 0) private enum Unstorable1 {
  fileprivate struct Unstorable: Record, Codable {
    var n: Int
    static var samples: [Unstorable] { [.init(n: 1)] }
    func encode(to encoder: any Encoder) throws { throw Negative() }
  }
}
private struct Negative: Error {}

private enum DoubtfulPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Weighed2> {
    MigrationStage.lightweight(fromVersion: Weighed1.self, toVersion: Weighed2.self)
  }
}
private enum AcknowledgedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Acknowledged2> {
    MigrationStage.lightweight(fromVersion: Weighed1.self, toVersion: Acknowledged2.self) {
      Remove(\.weighed, "weight")
    }
  }
}
private enum IdleNamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Renamed2> {
    MigrationStage.custom(fromVersion: Weighed1.self, toVersion: Renamed2.self) {
      Upcast(\.weighed, to: \.weighed) { old, origin in .init(kilograms: old.weight) }
    }
  }
}
private enum EarlierNamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Renamed3> {
    MigrationStage.lightweight(fromVersion: Weighed1.self, toVersion: Renamed2.self)
    MigrationStage.custom(fromVersion: Renamed2.self, toVersion: Renamed3.self) {
      Upcast(\.weighed, to: \.weighed) { old, origin in .init(kilograms: old.kilograms, note: "") }
    }
  }
}
private enum MinorPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Minor> {
    MigrationStage.custom(fromVersion: Weighed1.self, toVersion: Minor.self) {
      Upcast(\.weighed, to: \.weighed) { old, origin in .init(weight: Int(old.weight)) }
    }
  }
}
private enum MajorPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Major> {
    MigrationStage.lightweight(fromVersion: Weighed1.self, toVersion: Major.self)
  }
}
private enum BarePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Bare1, Bare2> {
    MigrationStage.lightweight(fromVersion: Bare1.self, toVersion: Bare2.self)
  }
}
private enum ContextPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Renamed2> {
    MigrationStage.custom(
      fromVersion: Weighed1.self, toVersion: Renamed2.self,
      prepare: { history in try history.reduce(into: 0) { count, _ in count += 1 } }
    ) {
      Upcast(\.weighed, to: \.weighed) { old, origin, count in .init(kilograms: old.weight + Double(count)) }
    }
  }
}
private enum ThrowingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Sampled1, Sampled2> {
    MigrationStage.custom(fromVersion: Sampled1.self, toVersion: Sampled2.self) {
      Upcast(\.sampled, to: \.sampled) { old, origin in
        guard old.n >= 0 else { throw Negative() }
        return .init(n: UInt(old.n))
      }
    }
  }
}
private enum AdoptingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weighed1, Weighed1> {}
  static var unversioned: UnversionedEvents { .adopt(as: Minor.self) }
}
private enum UnstorablePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Unstorable1, Unstorable1> {}
}
