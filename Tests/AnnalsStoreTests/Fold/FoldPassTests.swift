import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Folds in a migration pass: the laws, on random logs.
@Suite struct FoldPassTests {
  private var durable: MigrationOptions {
    var options = MigrationOptions()
    options.batch = 7
    return options
  }

  @Test(arguments: [3, 5, 7], 1...3 as ClosedRange<UInt64>)
  func `a log reads the same after a pass, and a second one has nothing to do`(version: Int, seed: UInt64)
    async throws
  {
    var log = try await LapLog(seed: seed, versions: version, entries: 120)
    let reader = try LapPlans.open(version, log.place)
    try await log.append(version: version, count: 10)
    let wanted = log.model.read(by: version)
    #expect(try reader.all() == wanted)
    let report = try await reader.migrate(durable)
    #expect(report.isDone && report.folded > 0)
    #expect(try reader.all() == wanted)
    #expect(try EventLog.verify(log.place.url).findings.isEmpty)
    #expect(try await reader.migrate().isDone == false)
    _ = try await EventLog(at: log.place.url).compact().report()
    #expect(try LapPlans.open(version, log.place).all() == wanted)
  }

  @Test(arguments: 2...6, 4...5 as ClosedRange<UInt64>)
  func `a pass to an earlier version changes no read`(version: Int, seed: UInt64) async throws {
    let log = try await LapLog(seed: seed, versions: version, entries: 100)
    // Before the newer stages are activated: nobody makes events of older versions afterwards.
    _ = try await LapPlans.open(version, log.place).migrate(durable)
    #expect(try LapPlans.open(version, log.place).all() == log.model.read(by: version))
    #expect(try LapPlans.open(7, log.place).all() == log.model.read(by: 7))
    _ = try await LapPlans.open(7, log.place).migrate(durable)
    #expect(try LapPlans.open(7, log.place).all() == log.model.read(by: 7))
    #expect(try EventLog.verify(log.place.url).findings.isEmpty)
  }

  @Test(arguments: 6...9 as ClosedRange<UInt64>)
  func `step by step is as good as at once`(seed: UInt64) async throws {
    for steps in [[7], [3, 7], [2, 5, 6, 7]] {
      let log = try await LapLog(seed: seed, versions: 2, entries: 100)
      for step in steps { _ = try await LapPlans.open(step, log.place).migrate(durable) }
      #expect(try LapPlans.open(7, log.place).all() == log.model.read(by: 7))
      #expect(try EventLog.verify(log.place.url).findings.isEmpty)
    }
  }

  @Test(arguments: 10...12 as ClosedRange<UInt64>)
  func `how many threads there are, and how long runs are, changes no byte`(seed: UInt64) async throws {
    let log = try await LapLog(seed: seed, versions: 7, entries: 120)
    _ = try LapPlans.open(7, log.place)
    let wanted = try RewrittenStore(log.place.url, LapPlan7.self).rows()
    for (threads, entries, bytes) in [(1, 7, 1 << 20), (2, 16, 1 << 20), (3, 5, 200), (4, 1, 1)] {
      var way = RewrittenStore.Way()
      way.threads = threads
      way.runEntries = entries
      way.runBytes = bytes
      #expect(try RewrittenStore(log.place.url, LapPlan7.self, way).rows() == wanted)
    }
  }

  @Test func `a record that went into a later one leaves a stub that says so`() async throws {
    let log = try await LapLog(seed: 3, versions: 1, entries: 80)
    _ = try LapPlans.open(3, log.place)
    let rewritten = try RewrittenStore(log.place.url, LapPlan3.self)
    let ends = Set(log.model.read(by: 3).map(\.position))
    for (item, bytes) in zip(log.model.log, try rewritten.entries()) {
      let header = try EntryHeader(bytes.span, at: Position(item.position))
      guard case .tick = item.fact, !ends.contains(item.position) else { continue }
      guard case .stub(let stub) = try EntryBody(bytes.span, header: header) else {
        Issue.record("position \(item.position) has no stub")
        continue
      }
      #expect(stub.cause == .fold && stub.reason == "folded into 'Lapped'")
      #expect(stub.from == SchemaVersion(2, 0, 0) && stub.to == SchemaVersion(3, 0, 0))
    }
  }
}
