import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// The entries of a long log are upcast again on other threads, while the new file is indexed and checked.
@Suite(.serialized) struct PassRepetitionTests {
  private static let count = 6_000
  private let place: TemporaryStore
  private var options = MigrationOptions()

  init() async throws {
    place = try TemporaryStore()
    options.threads = 2
    let store = try EventStore(at: place.url, plan: FirstLedger.self)
    try await store.append((1...Self.count).map { .moved(.init(amount: $0)) }, to: "all")
    TwiceLedger.begin(differingAt: 0, throwingAt: 0)
  }

  private func refusal(_ options: MigrationOptions) async throws -> AnnalsError? {
    let store = try EventStore(at: place.url, plan: TwiceLedger.self)
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
    #expect(try EventLog.inspect(place.url).generation == 1)
    #expect(try EventLog.verify(place.url).isClean)
    return error
  }

  @Test func `a pure rule passes, and is run twice for each entry`() async throws {
    let store = try EventStore(at: place.url, plan: TwiceLedger.self)
    let report = try await store.migrate(options).report()
    #expect(report.isDone && report.entries == UInt64(Self.count))
    // A few entries were upcast before, to estimate the space.
    #expect((2 * Self.count...3 * Self.count).contains(TwiceLedger.calls))
    #expect(try store.delivered().count == Self.count)
  }

  @Test(arguments: [1, 1_024, 1_025, 3_333, 6_000])
  func `a rule that differs at one entry alone is found`(amount: Int) async throws {
    TwiceLedger.begin(differingAt: amount, throwingAt: 0)
    let error = try await refusal(options)
    #expect(error?.code == .verifyFailed)
    let piece = (UInt64(amount) - 1) / Digesting.runEntries * Digesting.runEntries + 1
    #expect(error?.details.position == Position(piece))
  }

  @Test func `a rule that fails when it is repeated ends the pass at the first such entry`() async throws {
    TwiceLedger.begin(differingAt: 0, throwingAt: 4_000)
    let error = try await refusal(options)
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 4_000)
  }

  @Test func `a new file that gives back another event is found although all rules are pure`() async throws {
    var options = options
    let url = place.url
    options.atPoint = { point in
      guard point == .closed else { return }
      do { try PassComparisonTests.exchange(4_321, with: 200, in: url) } catch { Issue.record(error) }
    }
    let error = try await refusal(options)
    #expect(error?.code == .verifyFailed)
    #expect(try #require(error?.details.position) <= 4_321)
  }

  @Test(arguments: [PassPoint.headsCopied, .merged, .synced, .reopened, .compared])
  func `a pass that is stopped meanwhile is continued later`(point: PassPoint) async throws {
    let stopping = Stopping()
    var stopped = options
    stopped.atPoint = { if $0 == point { stopping.stop() } }
    let run = try EventStore(at: place.url, plan: TwiceLedger.self).migrate(stopped)
    stopping.put(run)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
    // Nothing is noted of the entries that were copied before, so the comparison upcasts them.
    TwiceLedger.begin(differingAt: 0, throwingAt: 0)
    let report = try await EventStore(at: place.url, plan: TwiceLedger.self).migrate(options).report()
    #expect(report.isDone && report.resumedAt == UInt64(Self.count))
    #expect(TwiceLedger.calls >= Self.count)
  }

  @Test func `a paused pass goes on, and a cancelled one leaves the store as it was`() async throws {
    for isCancelled in [true, false] {
      let pausing = Stopping()
      var paused = options
      paused.atPoint = { if $0 == .headsCopied { pausing.with { $0.pause() } } }
      let run = try EventStore(at: place.url, plan: TwiceLedger.self).migrate(paused)
      pausing.put(run)
      while run.current.pause != .asked { try await Task.sleep(for: .milliseconds(5)) }
      if isCancelled {
        run.cancel()
        let error = await #expect(throws: AnnalsError.self) { try await run.report() }
        #expect(error?.code == .cancelled)
        #expect(try EventLog.inspect(place.url).generation == 1)
      } else {
        run.resume()
        #expect(try await run.report().isDone)
      }
    }
  }

  @Test(arguments: 1...4)
  func `any number of threads gives what the entries deliver`(threads: Int) async throws {
    let store = try EventStore(at: place.url, plan: MendedLedger.self)
    let source = RewriteSource(store.log.core.generation.environment, log: store.log.id)
    let older = Digesting(source: source, reach: store.reach, isQuarantining: false)
    let all = 1...UInt64(Self.count)
    let wanted = try older.digest(of: all, threads: 1)
    let repetition = try Repetition(of: all, older, expecting: wanted, threads: threads, PassControl())
    #expect(try repetition.finish { (_) in } == wanted)
    // One that nobody finishes ends with its last reference.
    _ = try Repetition(of: all, older, expecting: wanted, threads: threads, PassControl())
  }
}

/// The plan whose rule gives another result, or fails, when it is called again for one amount.
private enum TwiceLedger: SchemaMigrationPlan {
  private struct State {
    var differing = 0
    var throwing = 0
    var calls = 0
    var met: [Int: Int] = [:]
  }
  private static let state = Mutex(State())

  static func begin(differingAt differing: Int, throwingAt throwing: Int) {
    state.withLock { $0 = State(differing: differing, throwing: throwing) }
  }

  static var calls: Int { state.withLock { $0.calls } }

  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Upcast(\.moved, to: \.moved) { old, origin in
        let times = try state.withLock { state in
          state.calls += 1
          guard old.amount == state.differing || old.amount == state.throwing else { return 0 }
          state.met[old.amount, default: 0] += 1
          // The estimate of the space may come first.
          if old.amount == state.throwing, state.met[old.amount] ?? 0 > 1 { throw Overdrawn() }
          return state.met[old.amount] ?? 0
        }
        return .init(amount: old.amount, currency: times > 0 ? "call \(times)" : "EUR")
      }
    }
  }
}
