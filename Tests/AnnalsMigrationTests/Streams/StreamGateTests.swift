import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Reads and appends before a pass has given streams their entries, and after a rollback.
@Suite struct StreamGateTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func seed() async throws {
    let store = try EventStore(at: place.url, plan: ClubFirst.self)
    for n in 0..<30 { try await store.append([.weighed(.init(n: n))], to: "user \(n % 3)") }
  }

  @Test func `a stage that works something out as well needs its pass, however that ends`() async throws {
    try await seed()
    let stopping = Stopping()
    var options = MigrationOptions()
    options.batch = 7
    options.durableBatch = 7
    options.atPoint = { point in if point == .batchCommitted { stopping.stop() } }
    var all = StoreOptions.merging(every: 16)
    all.activating = true
    do {
      var passes = try PlanMigration(at: place.url, plan: CountedMovePlan.self, to: nil, options: all)
      let run = try #require(try passes.next(options))
      stopping.put(run)
      let stopped = await #expect(throws: AnnalsError.self) { try await run.report() }
      #expect(stopped?.code == .cancelled)
    }
    // The computed context is kept, and nothing has moved.
    let early = #expect(throws: AnnalsError.self) {
      _ = try EventStore(at: place.url, plan: CountedMovePlan.self)
    }
    #expect(early?.code == .requiresPass)
    try await place.migrate(CountedMovePlan.self)
    let store = try EventStore(at: place.url, plan: CountedMovePlan.self)
    #expect(
      try store.lines().map { $0.contains(" athlete-") } == [Bool](repeating: true, count: 30))
    #expect(try EventLog.verify(place.url).isClean)
    try await store.append([.weighed(.init(n: 30))], to: "athlete-1", expecting: .revision(9))
    var again = try PlanMigration(at: place.url, plan: CountedMovePlan.self, to: nil, options: all)
    while let run = try again.next(MigrationOptions()) { #expect(try await !run.report().isDone) }
  }

  @Test func `a program changes no stream whose name a newer or undone pass has given away`() async throws {
    try await seed()
    let older = try EventStore(at: place.url, plan: ClubFirst.self)
    try await place.migrate(ClubSecond.self)
    let newer = try EventStore(at: place.url, plan: ClubSecond.self)
    let (lines, last) = (try newer.lines(), try newer.log.info().entries)
    try await expectRefusal(.superseded, older, "athlete-0")
    #expect(try newer.lines() == lines)
    #expect(try newer.log.info().entries == last)
    _ = try EventLog.rollback(place.url)
    try await expectRefusal(.requiresPass, newer, "user 0")
    #expect(try await older.close("user 0") != nil)
  }

  private func expectRefusal(
    _ code: AnnalsError.Code, _ store: EventStore<some SchemaMigrationPlan>, _ stream: StreamName
  ) async throws {
    let closed = await #expect(throws: AnnalsError.self) { try await store.close(stream) }
    let reopened = await #expect(throws: AnnalsError.self) { try await store.reopen(stream) }
    let truncated = await #expect(throws: AnnalsError.self) { try await store.truncate(stream, before: 3) }
    let erased = #expect(throws: AnnalsError.self) {
      try store.erase(stream: stream, by: "a", because: "b")
    }
    #expect([closed, reopened, truncated, erased].map { $0?.code } == [code, code, code, code])
  }

  @Test func `a program that was opened after a pass appends nothing once that is rolled back`() async throws
  {
    try await seed()
    try await place.migrate(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    _ = try EventLog.rollback(place.url)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.weighed(.init(n: 30))], to: "athlete-0", expecting: .noStream)
    }
    #expect(error?.code == .requiresPass, "\(error.map { "\($0)" } ?? "")")
    #expect(try store.log.info().entries == 30)
    // After the next pass it continues.
    try await place.migrate(ClubSecond.self)
    try await store.append([.noted(.init(n: 31))], to: "club")
    let info = try store.log.info()
    #expect(info.entries == 31)
  }

  @Test func `an open store leads its streams to their plan again after rollbacks`() async throws {
    let model = ClubModel(seed: 15, count: 60)
    try await place.seed(model)
    try await place.migrate(ClubSecond.self)
    let second = try EventStore(at: place.url, plan: ClubSecond.self)
    _ = try EventLog.rollback(place.url)
    #expect(try await second.migrate().report().isDone)
    #expect(try second.lines() == model.at(2).delivered)
    #expect(try await !second.migrate().report().isDone)
    let rest = try EventStore(at: place.url, plan: ClubPlan.self, options: .passing())
    // Of the second stage that moves streams, and of the stage after it.
    for _ in 0..<2 { _ = try EventLog.rollback(place.url) }
    #expect(throws: AnnalsError.self) { try rest.lines() }
    #expect(try await rest.migrate(to: ClubV4.version).report().isDone)
    #expect(try rest.lines() == model.at(5).delivered)
    #expect(try await rest.migrate().report().isDone)
    #expect(try await !rest.migrate().report().isDone)
    try await rest.append([.noted(.init(n: 61, by: nil))], to: "club")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a stream that is read in pages is no mixture of its old and new entries`() async throws {
    let first = try EventStore(at: place.url, plan: ClubFirst.self)
    for _ in 0..<4 {
      let call = (0..<100).map { ClubV1.Event.weighed(.init(n: $0)) }
      try await first.append(call, to: "user 0")
      try await first.append(call, to: "user 3")
    }
    // The rule leads streams whose numbers have one remainder to one stream.
    var merged = first.log.entries(in: "user 0").makeAsyncIterator()
    var kept = first.log.entries().makeAsyncIterator()
    var count = 0
    for _ in 0..<3 {
      #expect(try await merged.next() != nil)
      #expect(try await kept.next() != nil)
      count += 1
    }
    try await place.migrate(MergingPlan.self)
    let error = await #expect(throws: AnnalsError.self) {
      while try await merged.next() != nil { count += 1 }
    }
    #expect(error?.code == .streamMoved && error?.details.stream == "user 0")
    #expect(count < 400)
    // Positions are what they were.
    var rest = 3
    while let entry = try await kept.next() {
      rest += 1
      #expect(entry.position.rawValue == UInt64(rest))
    }
    #expect(rest == 800)
  }
}

private enum ClubGate {
  static func athlete(_ origin: Origin) -> StreamRoute {
    .moves(to: StreamName("athlete-\(origin.stream.text.suffix(1))"))
  }
}

/// Works out how many streams there are, and moves their entries, in one stage.
private enum CountedMovePlan: SchemaMigrationPlan {
  struct Count: StageContext { var streams: Int }

  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(
      fromVersion: ClubV1.self, toVersion: ClubV2.self,
      prepare: { history in
        Count(streams: try history.reduce(into: Set<StreamName>()) { $0.insert($1.stream) }.count)
      }
    ) {
      Split(\.lifted, into: [\.setLifted]) { old, _, count in
        (0..<count.streams).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { _, origin in ClubGate.athlete(origin) }
    }
  }
}

/// Leads everything to one stream.
private enum MergingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Split(\.lifted, into: [\.setLifted]) { old, _ in (0..<old.sets).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { _, _ in .moves(to: "all") }
    }
  }
}
