import AnnalsTestSupport
import Foundation
import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// The times of commits: from the first commit on, and what is found by them.
@Suite struct CommitTimeTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// A clock that a test sets.
  private final class Clock: Sendable {
    let now = Mutex<Int64>(1_700_000_000_000_000)
    var options: StoreOptions {
      var options = StoreOptions()
      options.clock = { Timestamp(microseconds: self.now.withLock { $0 }) }
      return options
    }

    /// Moves the time, mostly forwards, by nothing up to some seconds.
    func move(_ generator: inout SeededGenerator) {
      let steps: [ClosedRange<Int64>] = [0...9_000, 0...20_000, 10_000...50_000, 0...5_000_000, -30_000...0]
      let step = steps.randomElement(using: &generator) ?? 0...0
      let distance = Int64.random(in: step, using: &generator)
      now.withLock { $0 += distance }
    }
  }

  /// A commit as a model knows it.
  private struct Commit {
    var first: UInt64
    var last: UInt64
    /// The clock's time, but never less than that of the commit before.
    var time: Int64
  }

  private func append(_ count: Int, to log: EventLog) async throws -> [Position] {
    let event = NewEntry(type: "Noted", version: nil, payload: try Payload(["t": ""]))
    return try await log.append(Array(repeating: event, count: count), to: "a").positions
  }

  /// The position since a time, from all noted times.
  private static func expected(_ time: Int64, _ noted: [(first: UInt64, time: Int64)]) -> Position? {
    guard let index = noted.lastIndex(where: { $0.time < time }) else { return 1 }
    if noted[index].time >= max(time, 0) - CommitTimes.longest { return Position(noted[index].first) }
    return index + 1 < noted.count ? Position(noted[index + 1].first) : nil
  }

  /// Compares what is found for times around all commits with the commits.
  private func check(_ log: EventLog, _ commits: [Commit], _ generator: inout SeededGenerator) throws {
    var noted: [Commit] = []
    for commit in commits where commit.time >= (noted.last?.time ?? 0) + CommitTimes.resolution {
      noted.append(commit)
    }
    var times = commits.flatMap { [$0.time - 1, $0.time, $0.time + 1, $0.time + 10_000] }
    times += [0, .min, .max, 1]
    for time in times.shuffled(using: &generator).prefix(300) {
      let found = try log.read { try $0.position(committedAtOrAfter: Timestamp(microseconds: time)) }
      #expect(found == Self.expected(time, noted.map { ($0.first, $0.time) }), "time \(time)")
      // Nothing of that time or later is left out.
      let wanted = commits.first { $0.time >= time }?.first
      if let wanted { #expect(try #require(found).rawValue <= wanted, "time \(time)") }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `the first position since a time is found, through passes, backups and other openings`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let clock = Clock()
    var commits: [Commit] = []
    func fill(_ log: EventLog, _ count: Int) async throws {
      for _ in 0..<count {
        clock.move(&generator)
        let positions = try await append(Int.random(in: 1...4, using: &generator), to: log)
        let time = max(clock.now.withLock { $0 }, commits.last?.time ?? 0)
        commits.append(
          Commit(first: positions[0].rawValue, last: positions[positions.count - 1].rawValue, time: time))
      }
    }
    let copy = place.directory.appendingPathComponent("copy.annals")
    do {
      let log = try EventLog(at: place.url, options: clock.options)
      #expect(try log.read { try $0.position(committedAtOrAfter: .now) } == nil)
      try await fill(log, 300)
      try check(log, commits, &generator)
      _ = try await log.compact().report()
      try check(log, commits, &generator)
      try await fill(log, 20)
    }
    do {
      let log = try EventLog(at: place.url, options: clock.options)
      try check(log, commits, &generator)
      try await fill(log, 150)
      try log.backup(to: copy)
      try check(log, commits, &generator)
    }
    #expect(try EventLog.verify(place.url).isClean)
    var restored = clock.options
    restored.creation = .never
    let log = try EventLog(at: copy, options: restored)
    try await fill(log, 50)
    try check(log, commits, &generator)
    #expect(try EventLog.verify(copy).isClean)
  }

  @Test func `a store notes times from its creation, and a typed snapshot finds positions by them`()
    async throws
  {
    let clock = Clock()
    let store = try EventStore(at: place.url, plan: InlineAccountsPlan.self, options: clock.options)
    try await store.append([.moved(.init(amount: 1))], to: "a")
    clock.now.withLock { $0 += 50_000 }
    try await store.append([.moved(.init(amount: 2)), .moved(.init(amount: 3))], to: "a")
    let time = clock.now.withLock { $0 }
    func position(_ time: Int64) throws -> Position? {
      try store.read { (snapshot) throws(AnnalsError) in
        try snapshot.position(committedAtOrAfter: Timestamp(microseconds: time))
      }
    }
    #expect(try position(time - 50_000) == 1)
    #expect(try position(time) == 1)
    #expect(try position(time + 1) == 2)
    #expect(try position(time + 1_999_999) == 2)
    #expect(try position(time + 2_000_001) == nil)
  }

  /// The clock of a log whose commits take long, and what a reader sees meanwhile.
  private struct SlowCommits {
    var generator: SeededGenerator
    var now: Int64 = 1_700_000_000_000_000
    /// The newest position that can be read.
    var last: UInt64 = 0
    /// Times, each with the newest position that could be read then.
    var seen: [(time: Int64, last: UInt64)] = []

    mutating func pass(_ range: ClosedRange<Int64>) {
      now += Int64.random(in: range, using: &generator)
      seen.append((now, last))
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `no entry that becomes readable after a time is before its position, however long commits take`(
    seed: UInt64
  ) async throws {
    let state = Mutex(SlowCommits(generator: SeededGenerator(seed: seed)))
    var options = StoreOptions()
    options.clock = {
      state.withLock { state in
        let begin = Timestamp(microseconds: state.now)
        // The rest of the commit.
        let isSlow = Bool.random(using: &state.generator)
        for _ in 0..<3 { state.pass(isSlow ? 0...20_000 : 0...900) }
        return begin
      }
    }
    let log = try EventLog(at: place.url, options: options)
    for count in 0..<300 {
      state.withLock { $0.pass(count % 10 == 0 ? 0...3_000_000 : 0...6_000) }
      let positions = try await append(1 + count % 3, to: log)
      state.withLock { $0.last = positions[positions.count - 1].rawValue }
    }
    let samples = try CommitTimes.samples(of: log)
    let newest = state.withLock { $0.last }
    for (time, last) in state.withLock({ $0.seen }) {
      let found = try log.read { try $0.position(committedAtOrAfter: Timestamp(microseconds: time)) }
      #expect(found.map { $0.rawValue <= last + 1 } ?? (last + 1 > newest), "seed \(seed), time \(time)")
      // It is not needlessly early.
      let expected = Self.expected(time, samples.map { ($0.first, $0.time) })
      #expect(found == expected, "seed \(seed), time \(time)")
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `each commit stores a monotone commit time, which is its own or one of the ten milliseconds before`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let clock = Clock()
    let log = try EventLog(at: place.url, options: clock.options)
    var commits: [Commit] = []
    for _ in 0..<200 {
      clock.move(&generator)
      let positions = try await append(Int.random(in: 1...3, using: &generator), to: log)
      let time = max(clock.now.withLock { $0 }, commits.last?.time ?? 0)
      commits.append(
        Commit(first: positions[0].rawValue, last: positions[positions.count - 1].rawValue, time: time))
    }
    let samples = try CommitTimes.samples(of: log)
    var newest: Int64 = 0
    for commit in commits {
      let stored = try #require(samples.last { $0.first <= commit.first }).time
      #expect(stored >= newest, "seed \(seed), position \(commit.first)")
      #expect(
        stored <= commit.time && stored > commit.time - CommitTimes.resolution,
        "seed \(seed), position \(commit.first): \(stored), committed at \(commit.time)")
      newest = stored
      // So a commit is never missed by the positions since its time, and by none of an earlier time.
      for time in [commit.time, commit.time - 1, commit.time - CommitTimes.resolution] {
        let found = try log.read { try $0.position(committedAtOrAfter: Timestamp(microseconds: time)) }
        #expect(try #require(found).rawValue <= commit.first, "seed \(seed), time \(time)")
      }
    }
  }

  @Test func `commits within ten milliseconds share a time, and a chunk has 64 times`() async throws {
    let clock = Clock()
    let log = try EventLog(at: place.url, options: clock.options)
    for _ in 0..<5 { _ = try await append(1, to: log) }
    #expect(try CommitTimes.samples(of: log).map(\.first) == [1])
    for _ in 0..<130 {
      clock.now.withLock { $0 += 10_000 }
      _ = try await append(1, to: log)
    }
    #expect(try CommitTimes.samples(of: log).map(\.first) == [1] + Array(6...135))
    var chunks: [Int] = []
    try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.reader.eachTimes(from: 1) { (_, chunk) throws(AnnalsError) in
        chunks.append(try chunk.get().samples.count)
        return true
      }
    }
    #expect(chunks == [64, 64, 3])
  }

  @Test func `a store of an older release counts its entries as committed at the first commit`() async throws
  {
    let place = try GoldenStore.kept.copy()
    let clock = Clock()
    let log = try EventLog(at: place.url, options: clock.options)
    #expect(try log.read { try $0.position(committedAtOrAfter: .now) } == 1)
    let old = try #require(try log.read { try $0.head() })
    _ = try await append(1, to: log)
    #expect(try log.read { try $0.reader.requires(.times) })
    #expect(try CommitTimes.samples(of: log).map(\.first) == [1])
    clock.now.withLock { $0 += 10_000 }
    _ = try await append(1, to: log)
    let time = Timestamp(microseconds: clock.now.withLock { $0 } + 1)
    #expect(try log.read { try $0.position(committedAtOrAfter: time) } == Position(old.rawValue + 2))
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a damaged row of times is found, and a pass that repairs gives its entries the next time`()
    async throws
  {
    let clock = Clock()
    do {
      let log = try EventLog(at: place.url, options: clock.options)
      for _ in 0..<200 {
        clock.now.withLock { $0 += 10_000 }
        _ = try await append(1, to: log)
      }
      let generation = log.core.generation
      let key = Array(CommitTimes.name(from: 65).utf8)
      try generation.environment.write(durability: .none, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        do throws(EnvironmentError) {
          try transaction.put([1, 2, 3, 4, 5].span, forKey: key.span, in: generation.tables.meta)
        } catch {
          throw AnnalsError(error)
        }
      }
    }
    let report = try EventLog.verify(place.url)
    #expect(report.findings.contains { $0.place.contains("times") }, "\(report.findings)")
    _ = try EventLog.repair(place.url)
    #expect(try EventLog.verify(place.url).isClean)
    let samples = try CommitTimes.samples(of: EventLog(at: place.url))
    #expect(samples.map(\.first) == Array(1...64) + [65] + Array(129...200))
    #expect(samples[64].time == samples[65].time)
  }
}
