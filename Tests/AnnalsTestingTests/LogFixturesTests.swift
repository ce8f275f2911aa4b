import Annals
import AnnalsTesting
import Foundation
import Testing

@Schema(1, 0, 0) private enum TeamsV1 {
  @Record fileprivate struct Founded { var team: String }
  @Record fileprivate struct Joined {
    var player: String
    var team: String
    static var samples: [Self] { [.init(player: "Zoe", team: "Reds")] }
  }
  static var sampleLogs: [[SampledEvent<Event>]] {
    [
      [
        SampledEvent(.founded(.init(team: "Reds")), in: "teams"),
        SampledEvent(.joined(.init(player: "Ann", team: "Reds")), in: "player\n1"),
      ],
      [SampledEvent(.joined(.init(player: "Cid", team: "Reds")), in: "player-3")],
    ]
  }
}
@Schema(2, 0, 0) private enum TeamsV2 {
  typealias Founded = TeamsV1.Founded
  @Record fileprivate struct Joined {
    var player: String
    var members: Int
  }
  static var sampleLogs: [[SampledEvent<Event>]] {
    [[SampledEvent(.joined(.init(player: "Dan", members: 1)))]]
  }
}
private struct NoTeam: Error {}
private enum FirstTeams: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamsV1> {}
}

/// A stage that knows the number of players of each team. It refuses players of a team that is not in the
/// log.
private func counting(_ extra: Int = 0) -> MigrationStage<TeamsV1, TeamsV2> {
  MigrationStage.custom(
    fromVersion: TeamsV1.self, toVersion: TeamsV2.self,
    prepare: { history in
      try history.reduce(into: [String: Int]()) { teams, entry in
        switch entry.event {
        case .founded(let founded): teams[founded.team] = 0
        case .joined(let joined): if let count = teams[joined.team] { teams[joined.team] = count + 1 }
        }
      }
    }
  ) {
    Upcast(\.joined, to: \.joined) { old, _, teams in
      guard let members = teams[old.team] else { throw NoTeam() }
      return .init(player: old.player, members: members + extra)
    }
  }
}
private enum Teams: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamsV2> { counting() }
}
private enum ChangedTeams: SchemaMigrationPlan {
  static var stages: MigrationChain<TeamsV1, TeamsV2> { counting(1) }
}

@Suite struct LogFixturesTests {
  private let place: FixturePlace

  init() throws { place = try FixturePlace() }
  private static let samples = ["1.0.0.stored.txt", "1.0.0.as.1.0.0.txt", "1.0.0.as.2.0.0.txt"]

  @Test func `logs of a schema are recorded as they were stored and as they read`() throws {
    let written = try place.recording.check(Teams.self)
    #expect(
      written == [
        "1.0.0.stored.txt", "1.0.0.logs.txt", "2.0.0.logs.txt", "1.0.0.as.1.0.0.txt",
        "1.0.0.logs.as.1.0.0.txt", "1.0.0.as.2.0.0.txt", "1.0.0.logs.as.2.0.0.txt",
        "2.0.0.logs.as.2.0.0.txt",
      ])
    #expect(
      try place.text("1.0.0.logs.txt") == """
        annals fixtures 1: logs of schema version 1.0.0 as they were stored; never to be changed
        log
        stream teams
        record Founded
        shape (team: text)
        816452656473
        stream player\\n1
        record Joined
        shape (player: text, team: text)
        8263416e6e6452656473
        log
        stream player-3
        record Joined
        shape (player: text, team: text)
        82634369646452656473

        """)
    // Each log is read on its own: Cid's has no team.
    #expect(
      try place.text("1.0.0.logs.as.2.0.0.txt") == """
        annals fixtures 1: what logs of schema version 1.0.0 are in version 2.0.0; never to be changed
        log 0 Founded[0]
          Founded(team: "Reds")
        log 0 Joined[1]
          Joined(player: "Ann", members: 1)
        log 1 Joined[0]
          refused ruleFailed

        """)
    #expect(try place.fixtures.check(Teams.self) == [])
  }

  @Test func `a log that reads otherwise than when it was recorded is reported with both`() throws {
    try place.recording.check(Teams.self)
    let before = try place.files()
    let failure = #expect(throws: FixtureFailure.self) { try place.recording.check(ChangedTeams.self) }
    #expect(
      failure?.problems == [
        .changed(
          file: "1.0.0.logs.as.2.0.0.txt", line: 5, sample: "log 0 Joined[1]",
          expected: #"Joined(player: "Ann", members: 1)"#, found: #"Joined(player: "Ann", members: 2)"#)
      ])
    #expect(try place.files() == before)
  }

  @Test func `the logs come from the files and not from today's schema`() throws {
    try place.recording.check(Teams.self)
    let recorded = try place.text("1.0.0.logs.txt")
    // "Ann" becomes "Bob", and the second log has nothing.
    let lines = recorded.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let other = lines.prefix(10).joined(separator: "\n").replacing("63416e6e", with: "63426f62") + "\nlog\n"
    try place.write(other, to: "1.0.0.logs.txt")
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(Teams.self) }
    #expect(failure?.description.contains(#"today    Joined(player: "Bob", members: 1)"#) == true)
    try place.write(recorded, to: "1.0.0.logs.txt")
    try place.fixtures.check(Teams.self)
  }

  @Test func `files from before logs were recorded stay valid, and the logs are missed`() throws {
    try place.recording.check(Teams.self)
    for name in try place.files().keys where name.contains("logs") {
      try FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
    }
    let before = try place.files()
    #expect(before.keys.sorted() == Self.samples.sorted())
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(Teams.self) }
    #expect(
      failure?.problems == [.missing(file: "1.0.0.logs.txt"), .missing(file: "2.0.0.logs.txt")])
    try place.recording.check(Teams.self)
    for (name, text) in before { #expect(try place.text(name) == text) }
    try place.fixtures.check(Teams.self)
  }

  @Test func `where something is wrong with a log nothing is recorded`() throws {
    try place.recording.check(Teams.self)
    let name = "2.0.0.logs.as.2.0.0.txt"
    try FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
    let before = try place.files()
    #expect(throws: FixtureFailure.self) { try place.recording.check(ChangedTeams.self) }
    #expect(try place.files() == before)
    #expect(try place.recording.check(Teams.self) == [name])
  }

  @Test func `logs of a later release are an error of their own`() throws {
    try place.recording.check(Teams.self)
    let failure = #expect(throws: FixtureFailure.self) { try place.fixtures.check(FirstTeams.self) }
    let (two, one) = (SchemaVersion(2, 0, 0), SchemaVersion(1, 0, 0))
    #expect(
      failure?.problems
        == [
          "1.0.0.as.2.0.0.txt", "1.0.0.logs.as.2.0.0.txt", "2.0.0.logs.as.2.0.0.txt", "2.0.0.logs.txt",
        ].map { .future(file: $0, version: two, current: one) })
  }

  @Test(arguments: [
    ("stream a\nrecord A\nshape by name\na0\n", 5), ("log\nrecord A\nshape by name\na0\n", 5),
    ("log\nstream a\\x\n", 3), ("log\nstream a\na0\n", 4),
    ("log\nstream a\nrecord A\nshape by name\nxy\n", 6),
  ])
  func `a damaged file of logs is reported with its line`(text: String, line: Int) throws {
    let title = "annals fixtures 1: logs of schema version 1.0.0 as they were stored; never to be changed\n"
    try place.write(title + text, to: "1.0.0.logs.txt")
    let failure = #expect(throws: FixtureFailure.self) { try place.recording.check(FirstTeams.self) }
    guard case .malformed(let file, let found, _) = failure?.problems.first else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(file == "1.0.0.logs.txt")
    #expect(found == line)
  }
}
