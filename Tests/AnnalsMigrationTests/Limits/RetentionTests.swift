import AnnalsTestSupport
import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Rules that say how long events are kept.
@Suite struct RetentionTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func revisions(_ log: EventLog, _ stream: StreamName) throws -> [UInt64] {
    try log.read { snapshot in
      var entries = try snapshot.entries(in: stream)
      var found: [UInt64] = []
      while let entry = try entries.next() { found.append(entry.revision.rawValue) }
      return found
    }
  }

  private func fill(_ log: EventLog, _ stream: StreamName, _ count: Int) async throws {
    for _ in 0..<count { try await log.append([StreamLimitTests.event()], to: stream) }
  }

  private static let later = Timestamp(microseconds: Timestamp.now.microseconds + 91 * 86_400 * 1_000_000)

  @Test func `a maximum count keeps the newest events, and a dry run only counts`() async throws {
    let log = try EventLog(at: place.url)
    try await fill(log, "session-1", 5)
    try await fill(log, "session-2", 2)
    try await fill(log, "order-1", 5)
    try await log.setRetention(RetentionRule(streamPrefix: "session-", maximumCount: 2))
    #expect(try log.retain(isRehearsal: true) == RetentionReport(streams: 1, events: 3))
    #expect(try revisions(log, "session-1") == [0, 1, 2, 3, 4])
    #expect(try log.retain() == RetentionReport(streams: 1, events: 3))
    #expect(try revisions(log, "session-1") == [3, 4])
    #expect(try revisions(log, "session-2") == [0, 1])
    #expect(try revisions(log, "order-1").count == 5)
    #expect(try log.retain() == RetentionReport())
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a maximum age counts from the commit, not from the time that a caller gave`() async throws {
    let log = try EventLog(at: place.url)
    var old = StreamLimitTests.event()
    // The caller's time plays no part.
    old.time = Timestamp(microseconds: 0)
    try await log.append([old, old], to: "a")
    try await log.setRetention(RetentionRule(streamPrefix: "", maximumAge: .seconds(90 * 86_400)))
    try await log.append([old], to: "a")
    #expect(try log.retain() == RetentionReport())
    #expect(try log.retain(now: Self.later) == RetentionReport(streams: 1, events: 3))
    #expect(try revisions(log, "a") == [])
    let appended = try await log.append([old], to: "a")
    #expect(appended.revisions == [3])
    #expect(try revisions(log, "a") == [3])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the longest prefix applies, and a rule without limits exempts`() async throws {
    let log = try EventLog(at: place.url)
    for stream in ["log-a", "log-audit-1", "log-audit-x-1"] as [StreamName] { try await fill(log, stream, 4) }
    try await log.setRetention(RetentionRule(streamPrefix: "log-", maximumCount: 1))
    try await log.setRetention(RetentionRule(streamPrefix: "log-audit-"))
    try await log.setRetention(RetentionRule(streamPrefix: "log-audit-x", maximumCount: 3))
    #expect(try log.retention().map(\.prefix) == ["log-", "log-audit-", "log-audit-x"])
    try log.retain()
    #expect(try revisions(log, "log-a") == [3])
    #expect(try revisions(log, "log-audit-1") == [0, 1, 2, 3])
    #expect(try revisions(log, "log-audit-x-1") == [1, 2, 3])
    #expect(try await log.removeRetention(streamPrefix: "log-audit-x"))
    #expect(try await !log.removeRetention(streamPrefix: "log-audit-x"))
    #expect(try log.retention().count == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `passes apply the rules, and take them and the times over`() async throws {
    do {
      let log = try EventLog(at: place.url)
      try await fill(log, "a", 5)
      try await log.setRetention(
        RetentionRule(streamPrefix: "a", maximumCount: 2, maximumAge: .seconds(90 * 86_400)))
      let times = try CommitTimes.samples(of: log)
      #expect(!times.isEmpty)
      _ = try await log.compact().report()
      #expect(try CommitTimes.samples(of: log).starts(with: times))
    }
    let log = try EventLog(at: place.url)
    #expect(try log.read { try $0.entry(at: 3)?.content } == .stub(reason: Stub.truncated.reason))
    #expect(try revisions(log, "a") == [3, 4])
    #expect(try log.retention().first?.maximumCount == 2)
    try await fill(log, "a", 1)
    #expect(try log.retain() == RetentionReport(streams: 1, events: 1))
    #expect(try log.retain(now: Self.later).events == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `streams with a rule each are truncated in few transactions`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    // One prefix of another, an exemption, and prefixes of no stream.
    let names = (0..<200).map { "s\($0)" }
    try await log.append { call in
      for name in names {
        for _ in 0..<3 { call.append([StreamLimitTests.event()], to: StreamName(name)) }
      }
    }
    for number in 0..<220 {
      let count: UInt64? = number == 7 ? nil : UInt64(number % 2 + 1)
      try await log.setRetention(RetentionRule(streamPrefix: "s\(number)", maximumCount: count))
    }
    let hidden = names.indices.map { $0 == 7 ? 0 : UInt64(2 - $0 % 2) }
    let expected = RetentionReport(streams: 199, events: hidden.reduce(0, +))
    #expect(try log.retain(isRehearsal: true) == expected)
    let head = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
    #expect(try log.retain() == expected)
    // Each transaction stores one entry.
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }?.rawValue
        == head.map { $0.rawValue + 1 })
    for (name, hidden) in zip(names, hidden) {
      #expect(
        try log.read { (snapshot) throws(AnnalsError) in try snapshot.state(of: StreamName(name)) }?.oldest
          == Revision(hidden))
    }
    #expect(try log.retain() == RetentionReport())
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a transaction ends within the streams of a prefix`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for prefix in ["a", "b", "c"] {
      try await log.append { call in
        for number in 0..<3_000 {
          let stream = StreamName("\(prefix)\(number)")
          call.append([StreamLimitTests.event(), StreamLimitTests.event()], to: stream)
        }
      }
      try await log.setRetention(RetentionRule(streamPrefix: prefix, maximumCount: 1))
    }
    let head = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
    #expect(try log.retain() == RetentionReport(streams: 9_000, events: 9_000))
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }?.rawValue
        == head.map { $0.rawValue + 2 })
    #expect(try log.retain() == RetentionReport())
  }

  @Test func `thousands of streams are truncated in few transactions`() async throws {
    let log = try EventLog(at: place.url)
    for first in stride(from: 0, to: 12_000, by: 3_000) {
      try await log.append { call in
        for number in first..<first + 3_000 {
          call.append([StreamLimitTests.event(), StreamLimitTests.event()], to: StreamName("s-\(number)"))
        }
      }
    }
    try await log.setRetention(RetentionRule(streamPrefix: "s-", maximumCount: 1))
    #expect(try log.retain() == RetentionReport(streams: 12_000, events: 12_000))
    #expect(try revisions(log, "s-11999") == [1])
    #expect(try log.read { try $0.head() } == Position(24_001 + 3))
    _ = try await log.compact().report()
    #expect(try revisions(log, "s-7") == [1])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the times of commits expire exactly what is a second past an age`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try EventLog(at: place.url)
    // Commits as a writer notes them: which entries each has, and when it was.
    var commits: [(first: UInt64, last: UInt64, time: Int64)] = []
    var (position, now): (UInt64, Int64) = (0, 1_000_000_000_000)
    let generation = log.core.generation
    var group = AppendGroup(generation, last: 0, .window(64))
    try generation.environment.write(durability: .none, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      for _ in 0..<900 {
        let count = UInt64.random(in: 1...4, using: &generator)
        try group.noteTime(now, from: position + 1, in: &transaction)
        commits.append((position + 1, position + count, now))
        position += count
        now += Int64.random(in: 0...2_500_000, using: &generator)
      }
      let reader = StoreReader(transaction.view, generation.tables)
      for _ in 0..<200 {
        // The newest commits never expire here, because no entry is in the log.
        let age = Int64.random(in: 10_000_000...(now - 1_000_000_000_000), using: &generator)
        let limit = now - age
        let end = try reader.end(begunBefore: limit)
        for commit in commits {
          // The commit of each expired entry began before the limit; a second later it has expired.
          if commit.last < end { #expect(commit.time < limit) }
          if commit.time + CommitTimes.coarsest + CommitTimes.resolution < limit {
            #expect(commit.last < end)
          }
        }
      }
    }
  }

  @Test(arguments: [.min, -1, 0, .max] as [Int64])
  func `ages may refer to any time`(now: Int64) async throws {
    let log = try EventLog(at: place.url)
    try await fill(log, "a", 3)
    let ages = [1, RetentionRule.longestAge]
    for age in ages {
      try await log.setRetention(RetentionRule(streamPrefix: "a", maximumAge: .seconds(age)))
      let report = try log.retain(isRehearsal: true, now: Timestamp(microseconds: now))
      #expect(report == (now == .max ? RetentionReport(streams: 1, events: 3) : RetentionReport()))
    }
  }

  @Test func `a rule that cannot be stored is refused`() async throws {
    let log = try EventLog(at: place.url)
    for rule in [
      RetentionRule(streamPrefix: "a", maximumCount: 0),
      RetentionRule(streamPrefix: "a", maximumCount: .max),
      RetentionRule(streamPrefix: "a", maximumAge: .milliseconds(1_500)),
      RetentionRule(streamPrefix: "a", maximumAge: .zero),
      RetentionRule(streamPrefix: "a", maximumAge: .seconds(RetentionRule.longestAge + 1)),
      RetentionRule(streamPrefix: "a", maximumAge: .seconds(Int64.max)),
    ] {
      let error = await #expect(throws: AnnalsError.self) { try await log.setRetention(rule) }
      #expect(error?.code == .wrongUse)
      let bound = rule.maximumCount == nil ? "1 to 315576000000" : "1 to 1152921504606846975"
      #expect(error?.message.contains(bound) == true)
    }
    #expect(try log.read { try $0.head() } == nil)
  }

  @Test(arguments: [RetentionRule.longestAge + 1, Int64.max])
  func `a stored rule with an age out of range is damage`(age: Int64) throws {
    let log = try EventLog(at: place.url)
    let generation = log.core.generation
    var row: [UInt8] = [0]
    row.append(varint: UInt64(age))
    try generation.environment.write(durability: .none, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try transaction.put(row, "retain a", in: generation.tables.meta)
    }
    let error = #expect(throws: AnnalsError.self) { try log.retention() }
    #expect(error?.code == .damaged)
  }

  @Test func `an age of a second hides what is older`() async throws {
    let log = try EventLog(at: place.url)
    try await log.setRetention(RetentionRule(streamPrefix: "a", maximumAge: .seconds(1)))
    try await fill(log, "a", 3)
    try await Task.sleep(for: .milliseconds(2_200))
    try await fill(log, "a", 1)
    try log.retain()
    #expect(try revisions(log, "a") == [3])
  }
}
