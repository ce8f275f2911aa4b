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

/// What the comparison of both generations finds before the switch.
@Suite struct PassComparisonTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func append(_ events: [LedgerV1.Event]) async throws {
    try await EventStore(at: place.url, plan: FirstLedger.self).append(events, to: "all")
  }

  private func refusal<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ options: MigrationOptions = MigrationOptions()
  ) async throws -> AnnalsError? {
    let store = try EventStore(at: place.url, plan: plan)
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
    #expect(try EventLog.inspect(place.url).generation == 1)
    #expect(try EventLog.verify(place.url).isClean)
    return error
  }

  @Test(arguments: [1, 700, 2_500, 3_000])
  func `an impure rule is found, even if it concerns one entry of many`(rare: Int) async throws {
    var events = (1...3_000).map { LedgerV1.Event.closed(.init(year: $0)) }
    events[rare - 1] = .moved(.init(amount: 7))
    try await append(events)
    var options = MigrationOptions()
    options.comparison = .sampled
    let error = try await refusal(CountingLedger.self, options)
    #expect(error?.code == .verifyFailed)
    #expect(error?.message.contains("assertPure") == true)
    let positions = Comparing.sample(of: Self.piece(of: UInt64(rare), to: 3_000))
    let first = positions.contains(UInt64(rare)) ? positions.lowerBound : UInt64(rare)
    #expect(error?.details.position == Position(first))
  }

  @Test func `a rule that differs at one entry alone is found by the full comparison`() async throws {
    try await append((1...3_000).map { .moved(.init(amount: $0)) })
    let sample = Comparing.sample(of: Self.piece(of: 1_500, to: 3_000))
    let rare = try #require(
      (1_025...2_048 as ClosedRange<UInt64>).first { !sample.contains($0) && $0 > 1_100 })
    RareLedger.amount.store(Int(rare), ordering: .relaxed)
    let error = try await refusal(RareLedger.self)
    #expect(error?.code == .verifyFailed)
    let piece = Self.piece(of: rare, to: 3_000)
    #expect(error?.details.position == Position(piece.lowerBound))
    // The sample misses it, as the option says.
    var options = MigrationOptions()
    options.comparison = .sampled
    let store = try EventStore(at: place.url, plan: RareLedger.self)
    _ = try await store.migrate(options).report()
    #expect(try EventLog.inspect(place.url).generation > 1)
  }

  /// The piece of a comparison that has a position.
  private static func piece(of position: UInt64, to last: UInt64) -> ClosedRange<UInt64> {
    let start = (position - 1) / Digesting.runEntries * Digesting.runEntries + 1
    return start...min(last, start + Digesting.runEntries - 1)
  }

  @Test(
    arguments: [MigrationOptions.Comparison.full, .sampled],
    [(false, false), (false, true), (true, false), (true, true)])
  func `a new generation that gives back another event is found`(
    comparison: MigrationOptions.Comparison, event: (isSampled: Bool, isResumed: Bool)
  ) async throws {
    let (isSampled, isResumed) = event
    try await append((1...200).map { .moved(.init(amount: $0)) })
    let sample = Comparing.sample(of: 1...200)
    let changed = try #require((2...90).first { sample.contains($0) == isSampled })
    var options = MigrationOptions()
    options.comparison = comparison
    options.batch = 100
    options.durableBatch = 100
    if isResumed {
      let stopping = Stopping()
      var stopped = options
      stopped.atPoint = { if $0 == .batchCommitted { stopping.stop() } }
      let run = try EventStore(at: place.url, plan: MendedLedger.self).migrate(stopped)
      stopping.put(run)
      await #expect(throws: AnnalsError.self) { try await run.report() }
    }
    let url = place.url
    options.atPoint = { point in
      guard point == .closed else { return }
      do { try Self.exchange(changed, with: 200, in: url) } catch { Issue.record(error) }
    }
    let error = try await refusal(MendedLedger.self, options)
    #expect(error?.code == .verifyFailed)
    let position = try #require(error?.details.position).rawValue
    #expect(position <= changed)
  }

  /// Gives an entry of the generation that is being built the payload of another one, with a checksum that is
  /// right.
  static func exchange(_ position: UInt64, with other: UInt64, in url: URL) throws {
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let environment = try Environment.open(
      "log-000002.mdb", in: directory, tables: StoreTables.definitions, locks: locks)
    let tables = StoreTables(environment)
    var bytes: [UInt8] = []
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, tables)
      let entry = try reader.lend(try reader.bytes(at: Position(position)), at: Position(position))
      let another = try reader.lend(try reader.bytes(at: Position(other)), at: Position(other))
      let copy = EntryCopy(
        entry.bytes, entry.header, kind: entry.kind, form: .payload, body: another.body)
      bytes = [UInt8](repeating: 0, count: copy.count)
      var span = bytes.mutableSpan
      copy.write(to: &span, at: Position(position))
    }
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: position, in: tables.entries)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a sample is in its range, and all of a short one`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let start = UInt64.random(in: 1...1_000_000, using: &generator)
    let range = start...start + UInt64.random(in: 0...1_023, using: &generator)
    let sample = Comparing.sample(of: range)
    #expect(range.contains(sample.lowerBound) && range.contains(sample.upperBound))
    #expect(sample.count == min(range.count, 64))
    #expect(sample == Comparing.sample(of: range))
  }
}

/// The plan whose rule counts how often it is called.
private enum CountingLedger: SchemaMigrationPlan {
  static let calls = Atomic(0)

  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Upcast(\.moved, to: \.moved) { old, origin in
        let call = calls.add(1, ordering: .relaxed).newValue
        return .init(amount: old.amount, currency: "call \(call)")
      }
    }
  }
}

/// The plan whose rule counts how often it meets one amount, and is pure for all others.
private enum RareLedger: SchemaMigrationPlan {
  static let amount = Atomic(0)
  static let calls = Atomic(0)

  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Upcast(\.moved, to: \.moved) { old, origin in
        guard old.amount == amount.load(ordering: .relaxed) else {
          return .init(amount: old.amount, currency: "EUR")
        }
        let call = calls.add(1, ordering: .relaxed).newValue
        return .init(amount: old.amount, currency: "call \(call)")
      }
    }
  }
}
