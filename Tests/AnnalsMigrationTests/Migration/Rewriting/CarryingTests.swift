import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsStore

/// Kilograms become pounds under one name and shape.
@Schema(1, 0, 0) private enum ScalesV1 {
  @Record struct Weighed { var weight: Double }
  @Record struct Cleaned { var by: String }
  @Record struct Named { var name: String }
}

@Schema(2, 0, 0) private enum ScalesV2 {
  typealias Cleaned = ScalesV1.Cleaned
  @Record struct Weighed { var weight: Double }
  @Record struct Named {
    var name: String
    var note: String?
  }
}

@Schema(3, 0, 0) private enum ScalesV3 {
  typealias Cleaned = ScalesV2.Cleaned
  typealias Weighed = ScalesV2.Weighed
  typealias Named = ScalesV2.Named
}

private enum ScalesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ScalesV1, ScalesV3> {
    MigrationStage.custom(fromVersion: ScalesV1.self, toVersion: ScalesV2.self) {
      Upcast(\.weighed, to: \.weighed) { old, origin in .init(weight: old.weight * 2.2) }
    }
    MigrationStage.lightweight(fromVersion: ScalesV2.self, toVersion: ScalesV3.self)
  }
}

@Suite struct CarryingTests {
  /// The name of the current record whose payloads are those of `type` in `version`, byte by byte.
  private func carried(_ version: SchemaVersion, _ type: String, isByShape: Bool = true) throws -> String? {
    let plan = try CompiledPlan(ScalesPlan.self)
    let index = try #require(plan.indices[version]?[ExactText(type)])
    let kind = RecordKind(
      type: ExactText(type), version: version, shape: isByShape ? plan.steps[index].shape : nil)
    return try plan.carried(kind, from: plan.entrance(of: kind)).map { plan.current.records[$0].name.text }
  }

  @Test func `a record that no stage touches stays unchanged`() throws {
    #expect(try carried(SchemaVersion(1, 0, 0), "Cleaned") == "Cleaned")
    #expect(try carried(SchemaVersion(2, 0, 0), "Named") == "Named")
    #expect(try carried(SchemaVersion(3, 0, 0), "Weighed") == "Weighed")
  }

  @Test func `a record of the same shape does not stay unchanged over a rule`() throws {
    #expect(try carried(SchemaVersion(1, 0, 0), "Weighed") == nil)
    #expect(try carried(SchemaVersion(2, 0, 0), "Weighed") == "Weighed")
  }

  @Test func `a record whose shape changes does not stay unchanged`() throws {
    #expect(try carried(SchemaVersion(1, 0, 0), "Named") == nil)
  }

  @Test func `a payload by name does not stay unchanged if its record has a shape`() throws {
    #expect(try carried(SchemaVersion(1, 0, 0), "Cleaned", isByShape: false) == nil)
  }
}
