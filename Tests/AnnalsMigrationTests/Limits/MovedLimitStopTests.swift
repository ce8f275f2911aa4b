import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

/// Truncations between two runs of a pass that moves entries to other streams, and so hides entries as it
/// copies them.
@Suite struct MovedLimitStopTests {
  private let place: TemporaryStore

  init() async throws {
    place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: ClubFirst.self)
    for _ in 0..<10 {
      for name in ["user 0", "user 1", "else"] as [StreamName] {
        try await store.append([.weighed(.init(n: 1))], to: name)
      }
    }
    // After the first limit of all, a pass begins again anyway.
    try await store.truncate("else", before: 5)
  }

  private func begin(_ options: MigrationOptions) throws -> MigrationRun {
    let all = StoreOptions.merging(every: 16)
    var passes = try PlanMigration(at: place.url, plan: ClubSecond.self, to: nil, options: all)
    return try #require(try passes.next(options))
  }

  /// Runs the pass until it has copied some entries.
  private func stop() async throws {
    let stopping = Stopping()
    var options = MigrationOptions()
    (options.batch, options.durableBatch) = (15, 15)
    options.atPoint = { point in if point == .batchCommitted { stopping.stop() } }
    let run = try begin(options)
    stopping.put(run)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
  }

  private func truncate() async throws {
    try await EventStore(at: place.url, plan: ClubFirst.self).truncate("user 0", before: 4)
  }

  private func oldest() throws -> [Revision?] {
    #expect(try EventLog.verify(place.url).isClean)
    return try EventStore(at: place.url, plan: ClubSecond.self).read { snapshot in
      try ["athlete-0", "athlete-1", "else"].map { try snapshot.state(of: $0)?.oldest }
    }
  }

  @Test func `a pass that is stopped begins again if a stream was truncated since`() async throws {
    try await stop()
    try await truncate()
    let report = try await begin(MigrationOptions()).report()
    #expect(report.isDone && report.resumedAt == 0)
    #expect(try oldest() == [4, 0, 5])
  }

  @Test func `a pass that is stopped begins again if a retention rule hides more since`() async throws {
    let store = try EventStore(at: place.url, plan: ClubFirst.self)
    try await store.log.setRetention(RetentionRule(streamPrefix: "user 0", maximumCount: 10))
    try await stop()
    try await store.append([.weighed(.init(n: 1)), .weighed(.init(n: 2))], to: "user 0")
    _ = consume store
    let report = try await begin(MigrationOptions()).report()
    #expect(report.isDone && report.resumedAt == 0)
    #expect(try oldest() == [2, 0, 5])
  }

  @Test func `a pass that is stopped goes on if no stream was truncated since`() async throws {
    try await truncate()
    try await stop()
    let report = try await begin(MigrationOptions()).report()
    #expect(report.isDone && report.resumedAt > 0)
    #expect(try oldest() == [4, 0, 5])
  }

  @Test func `the copy stays if it must be used and a stream was truncated since`() async throws {
    try await stop()
    try await truncate()
    var options = MigrationOptions()
    options.unfinished = .mustBeThere
    let run = try begin(options)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .verifyFailed && error?.message.contains("a stream was truncated") == true)
    #expect(FileManager.default.fileExists(atPath: Generations(place).file(2).path))
  }

  @Test func `a pass that an older library began begins again`() async throws {
    try await stop()
    try Generations(place).set(2, [(PassHiddenRow.name, nil)])
    let report = try await begin(MigrationOptions()).report()
    #expect(report.isDone && report.resumedAt == 0)
    #expect(try oldest() == [0, 0, 5])
  }
}
