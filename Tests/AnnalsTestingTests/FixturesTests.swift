import Annals
import AnnalsTestSupport
import AnnalsTesting
import Foundation
import Testing

@Suite struct FixturesTests {
  /// A directory of its own, which is not there yet.
  private let place: FixturePlace

  init() throws { place = try FixturePlace() }

  private func recorded() throws -> FixturePlace {
    try place.recording.check(FirstPlan.self)
    return place
  }

  @Test func `recording writes the stored form of each event and its value in that version`() throws {
    let written = try place.recording.check(FirstPlan.self)
    #expect(written == ["1.0.0.stored.txt", "1.0.0.as.1.0.0.txt"])
    #expect(
      try place.text("1.0.0.stored.txt") == """
        annals fixtures 1: payloads of schema version 1.0.0 as they were stored; never to be changed
        record Weighed
        shape (weight: double)
        81f95500
        81f9b800
        record Noted
        shape by name
        a16474657874626869

        """)
    #expect(
      try place.text("1.0.0.as.1.0.0.txt") == """
        annals fixtures 1: what payloads of schema version 1.0.0 are in version 1.0.0; never to be changed
        Weighed[0]
          Weighed(weight: 80.0)
        Weighed[1]
          Weighed(weight: -0.5)
        Noted[0]
          Noted{"text": "hi"}

        """)
  }

  @Test func `recorded fixtures are read again without recording`() throws {
    #expect(try recorded().fixtures.check(FirstPlan.self) == [])
  }

  @Test func `nothing is written unless something says so`() throws {
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(FirstPlan.self) }
    #expect(failure?.problems == [.missing(file: "1.0.0.stored.txt")])
    #expect(try place.files().isEmpty)
  }

  @Test func `a new version is missed until it is recorded, and old files stay as they are`() throws {
    let before = try recorded().files()
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(SecondPlan.self) }
    #expect(
      failure?.problems == [
        .missing(file: "2.0.0.stored.txt"), .missing(file: "1.0.0.as.2.0.0.txt"),
      ])
    #expect(
      try place.recording.check(SecondPlan.self)
        == ["2.0.0.stored.txt", "1.0.0.as.2.0.0.txt", "2.0.0.as.2.0.0.txt"])
    try place.fixtures.check(SecondPlan.self)
    for (name, text) in before { #expect(try place.text(name) == text) }
    #expect(
      try place.text("1.0.0.as.2.0.0.txt").hasSuffix(
        """
        Weighed[0]
          Weighed(kilograms: 80.0)
        Weighed[1]
          Weighed(kilograms: -0.5)
        Noted[0]
          [0] Word(text: "hi")

        """))
  }

  // Promise P168.
  @Test func `a rule whose result differs from the recorded one is reported with both`() throws {
    try recorded().recording.check(SecondPlan.self)
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(ChangedPlan.self) }
    #expect(
      failure?.problems == [
        .changed(
          file: "1.0.0.as.2.0.0.txt", line: 7, sample: "Noted[0]", expected: #"[0] Word(text: "hi")"#,
          found: #"[0] Word(text: "HI")"#)
      ])
    #expect(failure?.description.contains(#"today    [0] Word(text: "HI")"#) == true)
  }

  @Test func `recording never overwrites existing fixtures`() throws {
    try recorded().recording.check(SecondPlan.self)
    let before = try place.files()
    #expect(throws: FixtureFailure.self) { try place.recording.check(ChangedPlan.self) }
    #expect(try place.files() == before)
  }

  @Test func `where something is wrong nothing is recorded, and no half of a file is left`() throws {
    try recorded().recording.check(SecondPlan.self)
    try FileManager.default.removeItem(at: place.url.appendingPathComponent("2.0.0.as.2.0.0.txt"))
    let before = try place.files()
    #expect(throws: FixtureFailure.self) { try place.recording.check(ChangedPlan.self) }
    #expect(try place.files() == before)
    #expect(try place.recording.check(SecondPlan.self) == ["2.0.0.as.2.0.0.txt"])
    #expect(try place.files().keys.sorted() == (before.keys + ["2.0.0.as.2.0.0.txt"]).sorted())
  }

  @Test func `a fixture of a later release is an error of its own`() throws {
    try recorded().recording.check(SecondPlan.self)
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(FirstPlan.self) }
    let (two, one) = (SchemaVersion(2, 0, 0), SchemaVersion(1, 0, 0))
    #expect(
      failure?.problems == [
        .future(file: "1.0.0.as.2.0.0.txt", version: two, current: one),
        .future(file: "2.0.0.as.2.0.0.txt", version: two, current: one),
        .future(file: "2.0.0.stored.txt", version: two, current: one),
      ])
  }

  @Test func `a version that the plan has lost is an error of its own`() throws {
    try recorded().recording.check(SecondPlan.self)
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(ShortPlan.self) }
    #expect(
      failure?.problems.contains(.unknownVersion(file: "1.0.0.stored.txt", version: SchemaVersion(1, 0, 0)))
        == true)
  }

  @Test func `an edited released version is reported with the difference`() throws {
    _ = try recorded()
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(EditedPlan.self) }
    guard case .noPath(let file, let record, let reason) = failure?.problems.first else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(file == "1.0.0.stored.txt")
    #expect(record == "Weighed")
    #expect(reason.contains("the version was released with another shape"))
  }

  @Test func `the environment says to record`() async throws {
    let url = place.url
    #expect(throws: FixtureFailure.self) {
      try Fixtures(directory: url, isRecording: false).check(FirstPlan.self)
    }
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      unsafe setenv("ANNALS_RECORD", "1", 1)
      let fixtures = Fixtures(directory: URL(filePath: path))
      guard fixtures.isRecording else { exit(EXIT_FAILURE) }
      try fixtures.check(FirstPlan.self)
    }
    try place.fixtures.check(FirstPlan.self)
  }

  @Test func `samples of an old version that are recorded late leave the others where they are`() throws {
    try place.recording.check(SilentPlan.self)
    let before = try place.text("1.0.0.as.2.0.0.txt")
    #expect(before.contains("Placed(at: 1000000000001)"))
    let written = try place.recording.check(TalkingPlan.self)
    #expect(written.contains("0.1.0.stored.txt"))
    #expect(!written.contains("1.0.0.as.2.0.0.txt"))
    #expect(try place.text("1.0.0.as.2.0.0.txt") == before)
  }

  @Test func `a draft is not recorded`() throws {
    #expect(try place.recording.check(DraftPlan.self) == [])
    try place.fixtures.check(DraftPlan.self)
  }

  @Test(arguments: [
    ("not a fixture\n", 1), ("TITLE\n81f95500\n", 2), ("TITLE\nrecord A\n81\n", 3),
    ("TITLE\nrecord A\nshape by name\nxy\n", 4), ("TITLE\nrecord A\nshape (a: what)\n80\n", 4),
    ("TITLE\nrecord A\\x\n", 2), ("TITLE\nrecord A\nshape by name\na0", 4),
  ])
  func `a damaged file is reported with its line`(text: String, line: Int) throws {
    let title =
      "annals fixtures 1: payloads of schema version 1.0.0 as they were stored; never to be changed"
    try place.write(text.replacingOccurrences(of: "TITLE", with: title), to: "1.0.0.stored.txt")
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(FirstPlan.self) }
    guard case .malformed(let file, let found, _) = failure?.problems.first else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(file == "1.0.0.stored.txt")
    #expect(found == line)
  }

  @Test func `contexts are computed from the recorded events`() throws {
    try place.recording.check(RanksPlan.self)
    #expect(
      try place.text("1.0.0.as.2.0.0.txt").hasSuffix(
        """
        Scored[0]
          Ranked(points: 3, rank: 3)
        Scored[1]
          Ranked(points: 8, rank: 1)
        Scored[2]
          Ranked(points: 5, rank: 2)

        """))
    try place.fixtures.check(RanksPlan.self)
  }

  @Test func `files that are no fixtures are left alone`() throws {
    try recorded().write("hello", to: "README.md")
    try place.write("hello", to: "9.9.9.txt")
    try place.fixtures.check(FirstPlan.self)
  }
}

@Schema(1, 0, 0) private enum First {
  @Record fileprivate struct Weighed {
    static let samples = [Self(weight: 80), Self(weight: -0.5)]
    var weight: Double
  }
  fileprivate struct Noted: Record, Codable {
    static let samples = [Self(text: "hi")]
    var text: String
  }
}
@Schema(2, 0, 0) private enum Second {
  @Record fileprivate struct Weighed {
    static let samples = [Self(kilograms: 1)]
    @Field(originalName: "weight") var kilograms: Double
  }
  @Record fileprivate struct Word { var text: String }
}
/// The first version with another shape under the same number.
@Schema(1, 0, 0) private enum EditedFirst {
  @Record fileprivate struct Weighed {
    var weight: Double
    var note: String?
  }
  fileprivate struct Noted: Record, Codable { var text: String }
}
@Schema(1, 0, 0, .draft) private enum Draft {
  @Record fileprivate struct Weighed {
    static let samples = [Self(weight: 80)]
    var weight: Double
  }
}

private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<First, First> {}
}
private enum SecondPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Second> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Second.self) {
      Split(\.noted, into: [\.word]) { old, origin in [.word(.init(text: old.text))] }
    }
  }
}
private enum ChangedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<First, Second> {
    MigrationStage.custom(fromVersion: First.self, toVersion: Second.self) {
      Split(\.noted, into: [\.word]) { old, origin in [.word(.init(text: old.text.uppercased()))] }
    }
  }
}
private enum ShortPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Second, Second> {}
}
private enum EditedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<EditedFirst, EditedFirst> {}
}
private enum DraftPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Draft, Draft> {}
}

@Schema(0, 1, 0) private enum Silent {
  @Record fileprivate struct Begun {}
}
@Schema(0, 1, 0) private enum Talking {
  @Record fileprivate struct Begun { static let samples = [Self()] }
}
@Schema(1, 0, 0) private enum Puts {
  @Record fileprivate struct Put { static let samples = [Self()] }
}
@Schema(2, 0, 0) private enum Places {
  @Record fileprivate struct Placed { var at: UInt64 }
}
private let toPlaces = MigrationStage.custom(fromVersion: Puts.self, toVersion: Places.self) {
  Upcast(\.put, to: \.placed) { old, origin in .init(at: origin.position.rawValue) }
}
private enum SilentPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Silent, Places> {
    MigrationStage.custom(fromVersion: Silent.self, toVersion: Puts.self) { Drop(\.begun, reason: "over") }
    toPlaces
  }
}
private enum TalkingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Talking, Places> {
    MigrationStage.custom(fromVersion: Talking.self, toVersion: Puts.self) { Drop(\.begun, reason: "over") }
    toPlaces
  }
}
