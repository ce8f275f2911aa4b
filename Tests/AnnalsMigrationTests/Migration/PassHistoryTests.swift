import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Random histories of appends, passes, rollbacks and reopenings, compared with a store without passes.
///
/// The other store has the same log and is the model: both read the same at every step.
@Suite struct PassHistoryTests {
  /// Both stores, and the steps so far.
  private struct History {
    var generator: MarketGenerator
    let changed: TemporaryStore
    let model: TemporaryStore
    var store: EventStore<MarketPlan>
    var steps: [String] = []

    init(seed: UInt64) throws {
      generator = MarketGenerator(seed: seed)
      changed = try TemporaryStore()
      model = try TemporaryStore()
      // One log id, because rules may derive ids from it.
      do { _ = try EventLog(at: changed.url) }
      try FileManager.default.copyItem(at: changed.url, to: model.url)
      store = try EventStore(at: changed.url, plan: MarketPlan.self, options: .merging(every: 32))
    }

    mutating func step() async throws {
      switch generator.number(in: 0..<10) {
      case 0:
        try await pass("to the current version") { (store, options) throws in try store.migrate(options) }
      case 1:
        try await pass("to the second version") { (store, options) throws in
          try store.migrate(to: SchemaVersion(2, 0, 0), options)
        }
      case 2: try await pass("without a plan") { (store, options) throws in try store.log.compact(options) }
      case 3: try await interrupt()
      case 4: try rollBack()
      case 5: try reopen()
      default: try await append()
      }
    }

    private mutating func append() async throws {
      steps.append("append")
      let events = try (0..<generator.number(in: 1..<40)).map { _ in try generator.next() }
      var (first, second) = (generator, generator)
      try await store.log.append(events, using: &first)
      // Opened again each time, so that it shares nothing with the other store.
      try await EventLog(at: model.url).append(events, using: &second)
      generator = first
    }

    private mutating func pass(
      _ name: String,
      _ begin: (EventStore<MarketPlan>, MigrationOptions) throws -> MigrationRun
    ) async throws {
      steps.append("a pass \(name)")
      var options = MigrationOptions()
      options.threads = generator.number(in: 1..<4)
      options.batch = generator.number(in: 1..<50)
      options.isHolding = generator.number(in: 0..<4) == 0
      // A pass that was left unfinished may have another plan.
      options.unfinished = .discard
      let report: MigrationReport
      do { report = try await begin(store, options).report() } catch let error as AnnalsError {
        // A pass to an earlier version refuses a store that has later events.
        #expect(error.code == .newerSchema)
        return
      }
      if options.isHolding, report.isDone {
        if generator.number(in: 0..<2) == 0 {
          #expect(try EventLog.accept(changed.url).wasHeld)
        } else {
          #expect(try EventLog.rollback(changed.url).to == report.predecessor)
        }
      }
    }

    private mutating func interrupt() async throws {
      steps.append("a pass that is stopped")
      var options = MigrationOptions()
      options.unfinished = .discard
      let stop = PassPoint.allCases[generator.number(in: 0..<PassPoint.allCases.count)]
      let run = Mailbox()
      options.atPoint = { point in if point == stop { run.stop() } }
      let begun = try store.migrate(options)
      run.put(begun)
      do { _ = try await begun.report() } catch { #expect((error as AnnalsError).code == .cancelled) }
    }

    private mutating func rollBack() throws {
      steps.append("rollback")
      do { _ = try EventLog.rollback(changed.url) } catch {
        #expect([.wrongUse, .busy].contains(error.code), "\(error) after \(steps)")
      }
    }

    private mutating func reopen() throws {
      steps.append("reopen")
      store = try EventStore(at: changed.url, plan: MarketPlan.self, options: .merging(every: 32))
    }

    func check() throws {
      let wanted = try EventStore(at: model.url, plan: MarketPlan.self).delivered()
      #expect(try store.delivered() == wanted, "after \(steps)")
      let streams = Set(
        try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.all().map(\.stream) })
      for stream in streams.sorted() {
        let all = try EventStore(at: model.url, plan: MarketPlan.self).delivered(in: stream, backwards: true)
        #expect(try store.delivered(in: stream, backwards: true) == all, "stream \(stream) after \(steps)")
      }
      #expect(try EventLog.verify(changed.url).findings == [], "after \(steps)")
    }
  }

  /// Passes a run to the closure that is called on its thread.
  private final class Mailbox: Sendable {
    private let run = Mutex<MigrationRun?>(nil)
    func put(_ new: MigrationRun) { run.withLock { $0 = new } }
    func stop() { run.withLock { $0 }?.stop() }
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `the store reads as one that never had a pass, regardless of its passes`(seed: UInt64) async throws {
    var history = try History(seed: seed)
    for _ in 0..<14 { try await history.step() }
    try history.check()
    _ = try await history.store.migrate(.restarting).report()
    try history.check()
    let census = try history.store.log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.allSatisfy { $0.count == 0 || $0.version == SchemaVersion(3, 0, 0) })
  }
}

extension MigrationOptions {
  /// Options that throw away what another pass has left.
  fileprivate static var restarting: MigrationOptions {
    var options = MigrationOptions()
    options.unfinished = .discard
    return options
  }
}
