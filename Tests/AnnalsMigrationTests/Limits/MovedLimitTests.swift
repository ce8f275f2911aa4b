import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Limits of streams in a pass that moves entries to other streams, and so gives streams other ids.
@Suite struct MovedLimitTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  @Test func `limits follow the names of streams, and hidden and erased events stay away`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 0", "athlete-0", "else", "spare 0"] as [StreamName] {
        try await store.append((1...4).map { .weighed(.init(n: $0)) }, to: name)
      }
      try await store.truncate("user 0", before: 3)
      try await store.close("athlete-0", by: "jane", because: "done")
      try await store.truncate("else", before: 2)
      try await store.close("else")
      try await store.log.setRetention(RetentionRule(streamPrefix: "other", maximumCount: 1))
      try store.log.erase([13], by: "jane", because: "request")
    }
    try await place.migrate(ClubSecond.self)
    #expect(try EventLog.verify(place.url).isClean)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    let (athlete, other) = try store.read { snapshot in
      (try snapshot.state(of: "athlete-0"), try snapshot.state(of: "else"))
    }
    // It begins with the entries of "user 0" now, of which three are hidden.
    #expect(athlete == StreamState(revision: 11, oldest: 3, isClosed: true))
    #expect(other == StreamState(revision: 3, oldest: 2, isClosed: true))
    var counts: [StreamName: Int] = [:]
    try store.read { snapshot in
      var entries = try snapshot.entries()
      while let entry = try entries.next() { counts[entry.stream, default: 0] += 1 }
    }
    #expect(counts == ["athlete-0": 1 + 4 + 3, "else": 2])
    for name in ["athlete-0", "else"] as [StreamName] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([.weighed(.init(n: 9))], to: name)
      }
      #expect(error?.code == .streamClosed)
    }
    try await store.reopen("athlete-0")
    #expect(try await store.append([.weighed(.init(n: 9))], to: "athlete-0").revisions == [12])
    #expect(try store.log.retention().count == 1)
    #expect(try store.log.erasures().first?.positions == [13...13])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a closed stream that gets another name is closed under that, and a merged one is open`()
    async throws
  {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 3", "user 4", "spare 4", "user 6", "club"] as [StreamName] {
        try await store.append([.weighed(.init(n: 1)), .lifted(.init(n: 2, sets: 1))], to: name)
      }
      for name in ["user 3", "user 4", "club"] as [StreamName] { try await store.close(name) }
    }
    try await place.migrate(ClubSecond.self)
    do {
      let store = try EventStore(at: place.url, plan: ClubSecond.self)
      let names: [StreamName] = ["athlete-3", "athlete-4", "athlete-6", "weights", "lifts"]
      let closed = try store.read { snapshot in try names.map { try snapshot.state(of: $0)?.isClosed } }
      #expect(closed == [true, false, false, true, true])
      try await store.reopen("athlete-3")
      try await store.append([.weighed(.init(n: 9))], to: "athlete-3")
    }
    #expect(try EventLog.verify(place.url).isClean)
    // The next pass does not close it again.
    try await place.migrate(ClubFourth.self)
    let store = try EventStore(at: place.url, plan: ClubFourth.self)
    #expect(try store.read { try $0.state(of: "athlete-3")?.isClosed } == false)
  }

  @Test func `a new stream of hidden events reads as empty, and takes events as one`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 3", "user 4"] as [StreamName] {
        try await store.append((1...4).map { .weighed(.init(n: $0)) }, to: name)
      }
      try await store.truncate("user 3")
      try await store.truncate("user 4", before: 3)
    }
    try await place.migrate(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    for (name, expected) in [("athlete-3", Annals.Expectation.exists), ("athlete-4", .noStream)] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([.weighed(.init(n: 9))], to: StreamName(name), expecting: expected)
      }
      #expect(error?.code == .conflict)
    }
    let appended = try await store.append([.weighed(.init(n: 9))], to: "athlete-3", expecting: .noStream)
    #expect(appended.revisions == [4])
    try await store.append([.weighed(.init(n: 9))], to: "athlete-4", expecting: .exists)
    let states = try store.read { snapshot in
      (try snapshot.state(of: "athlete-3"), try snapshot.state(of: "athlete-4"))
    }
    #expect(states.0 == StreamState(revision: 4, oldest: 4, isClosed: false))
    #expect(states.1 == StreamState(revision: 4, oldest: 3, isClosed: false))
  }

  /// Fills the store, and changes it while a pass to the second version runs, each time that it reaches a
  /// point.
  ///
  /// - Parameter change: The change at that time, which counts from 1.
  /// - Returns: The error of the pass.
  private func pass(
    at point: PassPoint = .batchCommitted, _ change: @escaping @Sendable (Int) -> LogChange?
  ) async throws -> AnnalsError? {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for _ in 0..<10 {
        for name in ["user 0", "user 1", "else"] as [StreamName] {
          try await store.append([.weighed(.init(n: 1))], to: name)
        }
      }
      // A pass during which the first limit of all is set begins again.
      try await store.truncate("else", before: 5)
    }
    let (url, counter) = (place.url, Counter())
    var options = MigrationOptions()
    (options.batch, options.durableBatch) = (5, 5)
    options.atPoint = { reached in
      guard reached == point, let change = change(counter.next()) else { return }
      do { _ = try EventLog(at: url).append(blocking: AppendRequest(change)) } catch { Issue.record(error) }
    }
    do throws(AnnalsError) {
      var passes = try PlanMigration(at: url, plan: ClubSecond.self, to: nil, options: .merging(every: 16))
      _ = try await passes.next(options)?.report()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a truncation while a pass runs hides the same after it, as it begins again`() async throws {
    let truncation = LogChange(
      .limit(.truncate([("user 0", nil), ("user 1", 8)])), author: "jane", reason: "done")
    #expect(try await pass { $0 == 3 ? truncation : nil } == nil)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    let states = try store.read { snapshot in
      try ["athlete-0", "athlete-1", "else"].map { try snapshot.state(of: $0)?.oldest }
    }
    #expect(states == [10, 8, 5])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass that each time meets a truncation ends, and the store is as it was`() async throws {
    let error = try await pass(at: .copied) { count in
      let oldest = Revision(UInt64(5 + count))
      return LogChange(.limit(.truncate([("else" as StreamName, oldest)])), author: "jane", reason: "done")
    }
    #expect(error?.code == .busy)
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      #expect(try store.read { try $0.state(of: "else")?.oldest } == 9)
      #expect(try store.log.info().generation == 1)
    }
    try await place.migrate(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.read { try $0.state(of: "else")?.oldest } == 9)
  }

  @Test func `a retention rule that is set while a pass runs is kept`() async throws {
    let rule = RetentionRule(streamPrefix: "else", maximumCount: 1)
    let change = LogChange(.retain(rule, isRemoved: false), author: "jane", reason: "done")
    #expect(try await pass { $0 == 3 ? change : nil } == nil)
    #expect(try EventStore(at: place.url, plan: ClubSecond.self).log.retention() == [rule])
  }
}
