import Annals
import AnnalsTestSupport
import AnnalsTesting
import Foundation
import Testing

@Schema(1, 0, 0) private enum LoansV1 {
  @Record fileprivate struct Lent: Equatable {
    var book: String
    var days: Int
    static var samples: [Self] {
      [Self(book: "Emma", days: 14), Self(book: "Emma", days: -1), Self(book: "Ulysses", days: 7)]
    }
  }
  @Record fileprivate struct Returned: Equatable { var book: String }
}
@Schema(2, 0, 0) private enum LoansV2 {
  typealias Returned = LoansV1.Returned
  @Record fileprivate struct Lent: Equatable {
    var book: String
    var days: UInt32
  }
}
@Schema(3, 0, 0) private enum LoansV3 {
  typealias Returned = LoansV2.Returned
  @Record fileprivate struct Lent: Equatable {
    var book: String
    var days: UInt32
    var loans: Int
  }
}
extension LoansV3.Event: Equatable {}

/// No loan has a negative length, and each knows the number of loans of its book in the log.
private enum LoanPlan: SchemaMigrationPlan {
  struct TooShort: Error {}
  static let refusing = MigrationStage.custom(fromVersion: LoansV1.self, toVersion: LoansV2.self) {
    Upcast(\.lent, to: \.lent) { old, _ in
      guard let days = UInt32(exactly: old.days) else { throw TooShort() }
      return .init(book: old.book, days: days)
    }
  }
  static var stages: MigrationChain<LoansV1, LoansV3> {
    refusing
    MigrationStage.custom(
      fromVersion: LoansV2.self, toVersion: LoansV3.self,
      prepare: { history in
        try history.reduce(into: [String: Int]()) { counts, entry in
          if case .lent(let loan) = entry.event { counts[loan.book, default: 0] += 1 }
        }
      }
    ) {
      Upcast(\.lent, to: \.lent) { old, _, counts in
        .init(book: old.book, days: old.days, loans: counts[old.book] ?? 0)
      }
    }
  }
}

@Schema(1, 0, 0) private enum TeamsV1 {
  @Record fileprivate struct Founded { var team: String }
  @Record fileprivate struct Joined {
    var player: String
    var team: String
  }
  static var sampleLogs: [[SampledEvent<Event>]] {
    [
      [
        SampledEvent(.founded(.init(team: "Reds")), in: "teams"),
        SampledEvent(.joined(.init(player: "Ann", team: "Reds")), in: "player-1"),
        SampledEvent(.joined(.init(player: "Bob", team: "Blues")), in: "player-2"),
      ],
      [SampledEvent(.joined(.init(player: "Cid", team: "Reds")), in: "player-3")],
    ]
  }
}
@Schema(2, 0, 0) private enum TeamsV2 {
  typealias Founded = TeamsV1.Founded
  @Record fileprivate struct Joined { var player: String }
}

/// Players of teams that the log does not have are refused.
private enum TeamPlan: SchemaMigrationPlan {
  struct NoTeam: Error {}
  static var stages: MigrationChain<TeamsV1, TeamsV2> {
    MigrationStage.custom(
      fromVersion: TeamsV1.self, toVersion: TeamsV2.self,
      prepare: { history in
        try history.reduce(into: Set<String>()) { teams, entry in
          if case .founded(let founded) = entry.event { teams.insert(founded.team) }
        }
      }
    ) {
      Upcast(\.joined, to: \.joined) { old, _, teams in
        guard teams.contains(old.team) else { throw NoTeam() }
        return .init(player: old.player)
      }
    }
  }
}

@Suite struct RefusedSampleTests {
  @Test func `all ways agree on the error of a sample that a rule refuses before a context is worked out`()
    async throws
  {
    let report = try await MigrationHarness(LoanPlan.self).report()
    #expect(report.disagreements.isEmpty, "\(report)")
    #expect(report.refusals.map(\.sample) == [1, 1])
    #expect(report.refusals.map(\.to) == [SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0)])
    #expect(report.refusals.allSatisfy { $0.reason.hasPrefix("ruleFailed, ") })
    try await MigrationHarness(LoanPlan.self).check()
  }

  @Test func `rules that refuse a sample are pure, and have a digest`() async throws {
    try await Purity.check(LoanPlan.self)
    try Purity.expect(try Purity.digest(of: LoanPlan.self), of: LoanPlan.self)
  }

  @Test func `a refused event is an outcome like any other`() throws {
    let short = LoansV1.Event.lent(.init(book: "Emma", days: -1))
    try Given([short, .lent(.init(book: "Emma", days: 1))]).when(LoanPlan.self).thenFails(.ruleFailed)
    try Given([.lent(.init(book: "Emma", days: 1)), .lent(.init(book: "Emma", days: 2))] as [LoansV1.Event])
      .when(LoanPlan.self)
      .then([.lent(.init(book: "Emma", days: 1, loans: 2)), .lent(.init(book: "Emma", days: 2, loans: 2))])
  }

  @Test func `the error of a refused sample is recorded`() throws {
    let temporary = try TemporaryDirectory()
    let directory = temporary.url.appending(path: "fixtures")
    try Fixtures(directory: directory, isRecording: true).check(LoanPlan.self)
    let text = try String(contentsOf: directory.appending(path: "1.0.0.as.3.0.0.txt"), encoding: .utf8)
    #expect(text.contains("Lent[1]\n  refused ruleFailed\n"))
    #expect(text.contains(#"Lent(book: "Ulysses", days: 7, loans: 1)"#))
    try Fixtures(directory: directory, isRecording: false).check(LoanPlan.self)
  }

  @Test func `a rule with a context is read over the logs that its schema gives`() async throws {
    let report = try await MigrationHarness(TeamPlan.self).report()
    #expect(report.disagreements.isEmpty, "\(report)")
    // Bob in the first log, and Cid in the second, which is a log of its own.
    #expect(
      report.refusals.map { "\($0.record)[\($0.sample)] as \($0.to)" } == [
        "Joined[2] as 2.0.0", "Joined[0] as 2.0.0",
      ])
    try await Purity.check(TeamPlan.self)
  }
}
