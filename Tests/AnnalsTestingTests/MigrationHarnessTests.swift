import Annals
import AnnalsTesting
import Testing

@Suite struct MigrationHarnessTests {
  // Promise P164.
  @Test func `all ways to read a plan's samples agree`() async throws {
    try await MigrationHarness(WorkoutPlan.self).check()
  }

  // Promise P163.
  @Test func `every record of every version is read as every later one`() async throws {
    let report = try await MigrationHarness(WorkoutPlan.self).report()
    // Four records of the first version as three, three of the second as two, four of the third as one.
    let pairs = 4 * 3 + 3 * 2 + 4
    #expect(report.coverage.count == pairs)
    let sets = report.coverage.filter { $0.record == "SetsLogged" }
    #expect(sets.map(\.to) == [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0)])
    #expect(sets.allSatisfy { $0.samples == 3 && $0.from == SchemaVersion(1, 0, 0) })
    #expect(report.uncovered.isEmpty)
  }

  @Test func `an error on every route is no disagreement, and is reported`() async throws {
    let report = try await MigrationHarness(WorkoutPlan.self).report()
    #expect(report.disagreements.isEmpty)
    #expect(report.refusals.map(\.to) == [SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0)])
    #expect(report.refusals.allSatisfy { $0.record == "SetsLogged" && $0.sample == 2 })
    #expect(report.refusals.first?.reason.contains("threw NoSets") == true)
  }

  @Test func `a value that its own encoding loses is found on the way by each version between`() async throws
  {
    let report = try await MigrationHarness(ForgetfulPlan.self).report()
    #expect(report.disagreements.contains { $0.route == .steps && $0.to == SchemaVersion(3, 0, 0) })
    #expect(report.disagreements.contains { $0.route == .through(SchemaVersion(2, 0, 0)) })
    let found = try #require(report.disagreements.first { $0.route == .steps })
    #expect(found.record == "Noted")
    #expect(found.sample == 0)
    #expect(found.from == SchemaVersion(1, 0, 0))
    #expect(found.expected == #"Noted{"text": "kept"}"#)
    #expect(found.found == #"Noted{"text": "lost"}"#)
  }

  @Test func `a check throws its report, which reads as text`() async throws {
    let report = await #expect(throws: HarnessReport.self) {
      try await MigrationHarness(ForgetfulPlan.self).check()
    }
    #expect(report?.description.contains("Noted[0] of 1.0.0 as 3.0.0, stored again at 2.0.0:") == true)
    #expect(report?.description.contains(#"found    Noted{"text": "lost"}"#) == true)
  }

  @Test func `a store that gives something else than the rules alone is found`() async throws {
    let report = try await MigrationHarness(RandomPlan.self).report()
    #expect(report.disagreements.contains { $0.route == .store })
  }

  // Promise P165.
  @Test func `a record without samples is no pair that was tested`() async throws {
    let report = try await MigrationHarness(SamplelessPlan.self).report()
    #expect(report.uncovered.map(\.record) == ["Noted"])
    try await MigrationHarness(SamplelessPlan.self).check()
    let thrown = await #expect(throws: HarnessReport.self) {
      try await MigrationHarness(SamplelessPlan.self).check(requiringSamples: true)
    }
    #expect(thrown?.description == "'Noted' of 1.0.0 has no samples: give it 'static var samples'")
  }

  @Test func `a plan that takes over events without a version reads all versions as one that does not`()
    async throws
  {
    let report = try await MigrationHarness(AdoptingWorkoutPlan.self).report()
    #expect(report.disagreements.isEmpty)
    #expect(report.refusals.map(\.to) == [SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0)])
  }

  @Test func `contexts are worked out in each store`() async throws {
    let report = try await MigrationHarness(RanksPlan.self).report()
    #expect(report.disagreements.isEmpty)
    #expect(report.refusals.isEmpty)
    #expect(report.coverage.count == 3)
  }
}

@Schema(1, 0, 0) private enum NotesV1 {
  fileprivate struct Noted: Record, Codable {
    static var samples: [Self] { [.init(text: "kept")] }
    var text: String
  }
}
@Schema(2, 0, 0) private enum NotesV2 {
  /// Its encoding differs from the value.
  fileprivate struct Noted: Record, Codable {
    var text: String
    init(text: String) { self.text = text }
    enum CodingKeys: CodingKey { case text }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode("lost", forKey: .text)
    }
  }
}
@Schema(3, 0, 0) private enum NotesV3 {
  fileprivate struct Noted: Record, Codable { var text: String }
}
private enum ForgetfulPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, NotesV3> {
    MigrationStage.custom(fromVersion: NotesV1.self, toVersion: NotesV2.self) {
      Upcast(\.noted, to: \.noted) { old, origin in .init(text: old.text) }
    }
    MigrationStage.custom(fromVersion: NotesV2.self, toVersion: NotesV3.self) {
      Upcast(\.noted, to: \.noted) { old, origin in .init(text: old.text) }
    }
  }
}

private enum SamplelessPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Sampleless, Sampleless> {}
}
@Schema(1, 0, 0) private enum Sampleless {
  fileprivate struct Noted: Record, Codable { var text: String }
}

/// A rule with a different result at each run: two readers cannot agree.
private enum RandomPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, NotesV3> {
    MigrationStage.custom(fromVersion: NotesV1.self, toVersion: NotesV2.self) {
      Upcast(\.noted, to: \.noted) { old, origin in .init(text: old.text) }
    }
    MigrationStage.custom(fromVersion: NotesV2.self, toVersion: NotesV3.self) {
      Upcast(\.noted, to: \.noted) { old, origin in
        .init(text: "\(UInt64.random(in: 0 ... .max))")
      }
    }
  }
}
