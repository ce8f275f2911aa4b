import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// Retention rules that somebody changes while they are applied.
@Suite struct ChangedRetentionTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  /// A log with so many streams of two events, and a rule that keeps one of each.
  private func log(_ streams: Int) async throws -> EventLog {
    let log = try EventLog(at: place.url)
    for first in stride(from: 0, to: streams, by: 3_000) {
      try await log.append { call in
        for number in first..<min(first + 3_000, streams) {
          call.append([StreamLimitTests.event(), StreamLimitTests.event()], to: StreamName("s-\(number)"))
        }
      }
    }
    try await log.setRetention(RetentionRule(streamPrefix: "s-", maximumCount: 1))
    return log
  }

  private func oldest(_ stream: StreamName, _ log: EventLog) throws -> Revision? {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.state(of: stream)?.oldest }
  }

  /// Applies the rules.
  ///
  /// - Parameter change: Is called before each commit with its number.
  private func retain(
    _ log: EventLog, _ change: @escaping (Int) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> RetentionReport {
    var commits = 0
    var retention = Retention(log: log, now: 0)
    retention.beforeCommit = { () throws(AnnalsError) in
      commits += 1
      try change(commits)
    }
    return try retention.run(isRehearsal: false)
  }

  private func set(_ rule: RetentionRule, _ log: EventLog, isRemoved: Bool = false) throws(AnnalsError) {
    let change = LogChange(.retain(rule, isRemoved: isRemoved), author: "jane", reason: "hold")
    _ = try log.append(blocking: AppendRequest(change))
  }

  @Test func `a stream that is exempted after it was looked at is not truncated`() async throws {
    let log = try await log(3)
    let other = try EventLog(at: place.url)
    let report = try retain(log) { (commit) throws(AnnalsError) in
      if commit == 1 { try set(RetentionRule(streamPrefix: "s-1"), other) }
    }
    #expect(report == RetentionReport(streams: 2, events: 2))
    #expect(try (0..<3).map { try oldest(StreamName("s-\($0)"), log) } == [1, 0, 1])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an exemption between two commits holds for the streams of later ones`() async throws {
    let log = try await log(6_000)
    // Of the names from "s-0" to "s-5999", the last ones are looked at last.
    let report = try retain(log) { (commit) throws(AnnalsError) in
      if commit == 2 { try set(RetentionRule(streamPrefix: "s-599"), log) }
    }
    // "s-599" and the ten names that begin with it.
    #expect(report == RetentionReport(streams: 5_989, events: 5_989))
    #expect(try oldest("s-5999", log) == 0 && oldest("s-0", log) == 1)
  }

  @Test func `changes before every one of some commits only delay the rest`() async throws {
    let log = try await log(3)
    var commits = 0
    let report = try retain(log) { (commit) throws(AnnalsError) in
      commits = commit
      if commit < 6 { try set(RetentionRule(streamPrefix: "t", maximumCount: UInt64(commit)), log) }
    }
    #expect(commits == 6 && report.streams == 3)
  }

  @Test func `a rule that is removed meanwhile hides nothing more`() async throws {
    let log = try await log(3)
    let report = try retain(log) { (_) throws(AnnalsError) in
      try set(RetentionRule(streamPrefix: "s-"), log, isRemoved: true)
    }
    #expect(report == RetentionReport())
    #expect(try oldest("s-0", log) == 0)
  }

  @Test func `a truncation is refused for other rules, or another stream of the same name`() async throws {
    let log = try await log(2)
    func error(_ wanted: RetainedStreams) -> AnnalsError? {
      let change = LogChange(.limit(.retain(wanted)), author: "retain", reason: "rules")
      return #expect(throws: AnnalsError.self) { try log.append(blocking: AppendRequest(change)) }
    }
    let rules = RetentionRule.encoded(try log.retention())
    let others = error(RetainedStreams(rules: [], streams: [("s-0", 1, 1)]))
    #expect(others?.code == .conflict && others?.message.contains("rules are others") == true)
    let renamed = error(RetainedStreams(rules: rules, streams: [("s-0", 1, 1), ("s-1", 1, 1)]))
    #expect(renamed?.code == .conflict && renamed?.details.stream == "s-1")
    #expect(error(RetainedStreams(rules: rules, streams: [("s-9", 1, 1)]))?.code == .noSuchStream)
    #expect(try oldest("s-0", log) == 0)
  }
}
