import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

func rewrite(_ store: EventStore<OrderPlan>) async throws -> MigrationReport {
  let run = try store.migrate()
  for await progress in run.progress {
    print(progress.phase, progress.done, progress.total, progress.rate, progress.remaining ?? 0)
  }
  return try await run.report()
}

/// Sends new entries whenever no pass is running.
func replicate(_ log: EventLog, sendWhatIsNew: () async throws -> Void) async throws {
  for try await state in log.migrationStates() where state == .idle { try await sendWhatIsNew() }
}

/// The orders of a shop whose oldest release is retired.
enum LaterOrderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV4, OrdersV4> {}
  static var lastReleases: [SchemaVersion: String] { [SchemaVersion(1, 0, 0): "Shop 4.2"] }
}

/// One version later, when the oldest schema is gone.
enum EvenLaterOrderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV4, OrdersV5> {
    MigrationStage.lightweight(fromVersion: OrdersV4.self, toVersion: OrdersV5.self)
  }
}

@Schema(3, 0, 0) enum OrdersV5 {
  typealias Shipped = OrdersV4.Shipped
  @Record struct Placed: Equatable {
    var cents: Int64
    var currency: String
    var note: String?
    var channel: String?
  }
}

/// The promises on rewriting a whole log.
@Suite struct MigrationPassTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func seed(_ count: Int = 100) async throws {
    try await place.write((0..<count).map { .placed(.init(total: Int32($0))) }, as: OrdersV1.self)
  }

  private func oldEvents(_ store: EventStore<OrderPlan>) throws -> UInt64 {
    try store.log.info().schemas.filter { $0.version == OrdersV1.version }.map(\.count).sum()
  }

  @Test func `a replicator sends while no pass is at work`() async throws {
    let log = try EventLog(at: place.url)
    struct Done: Error {}
    var count = 0
    await #expect(throws: Done.self) {
      try await replicate(log) {
        count += 1
        throw Done()
      }
    }
    #expect(count == 1)
  }

  // Promise P140.
  @Test func `a pass leaves only events of the current version, which read as before`() async throws {
    try await seed()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let before = try place.read(OrderPlan.self)
    let report = try await rewrite(store)
    #expect(report.isDone && report.rewritten == 100)
    #expect(try oldEvents(store) == 0)
    #expect(try place.read(OrderPlan.self) == before)
  }

  // Promise P30.
  @Test func `by default a store with older events opens and nothing is rewritten`() async throws {
    try await seed()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    #expect(store.migration == nil)
    #expect(try oldEvents(store) == 100)
  }

  // Promise P31.
  @Test func `an open that migrates in the background returns first`() async throws {
    try await seed()
    var options = StoreOptions()
    options.migration = .inBackground()
    let store = try EventStore(at: place.url, plan: OrderPlan.self, options: options)
    let run = try #require(store.migration)
    try await store.append([.placed(.init(cents: 1, currency: "EUR", note: nil))], to: "all")
    #expect(try await run.report().isDone)
    #expect(try oldEvents(store) == 0)
  }

  @Test func `a pass in the background ends with its store, and the next open goes on`() async throws {
    try await seed(2_000)
    var slow = MigrationOptions()
    slow.rate = 100
    var options = StoreOptions()
    options.migration = .inBackground(slow)
    var run: MigrationRun?
    do {
      let store = try EventStore(at: place.url, plan: OrderPlan.self, options: options)
      run = store.migration
    }
    let error = await #expect(throws: AnnalsError.self) { try await run?.report() }
    #expect(error?.code == .cancelled)
    options.migration = .beforeOpen()
    let store = try EventStore(at: place.url, plan: OrderPlan.self, options: options)
    #expect(try oldEvents(store) == 0)
  }

  // Promise P32.
  @Test func `an open that migrates before returns with a store that is rewritten`() async throws {
    try await seed()
    var options = StoreOptions()
    options.migration = .beforeOpen()
    let store = try EventStore(at: place.url, plan: OrderPlan.self, options: options)
    #expect(try oldEvents(store) == 0)
  }

  // Promise P33.
  @Test func `an open that refuses older events says that a pass is due`() async throws {
    try await seed()
    var options = StoreOptions()
    options.migration = .refuse
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: OrderPlan.self, options: options)
    }
    #expect(error?.code == .requiresPass)
    _ = try await EventStore(at: place.url, plan: OrderPlan.self).migrate().report()
    _ = try EventStore(at: place.url, plan: OrderPlan.self, options: options)
  }

  // Promise P35.
  @Test func `old schemas may go when no entry needs them, and an older store says which release reads it`()
    async throws
  {
    try await seed()
    let error = #expect(throws: AnnalsError.self) { try place.read(LaterOrderPlan.self) }
    #expect(error?.code == .storeTooOld)
    #expect(error?.message.contains("Shop 4.2") == true, "\(String(describing: error))")
    _ = try await EventStore(at: place.url, plan: OrderPlan.self).migrate().report()
    #expect(try place.read(LaterOrderPlan.self).count == 100)
  }

  // Promise P36.
  @Test func `an earlier plan does not open a store that a later plan has rewritten`() async throws {
    try await seed()
    _ = try await EventStore(at: place.url, plan: OrderPlan.self).migrate().report()
    // A later release, which no longer has the oldest schema, rewrites the log once more.
    _ = try await EventStore(at: place.url, plan: EvenLaterOrderPlan.self).migrate().report()
    let error = #expect(throws: AnnalsError.self) { try place.read(OrderPlan.self) }
    #expect(error?.code == .superseded)
    #expect(try place.read(EvenLaterOrderPlan.self).count == 100)
  }

  // Promise P59.
  @Test func `values of a removed field are in the file until a pass, and in the old generation after it`()
    async throws
  {
    try await place.write(
      [.playerJoined(.init(name: "Ada", nickname: "The Countess"))], as: ClubV1.self)
    let store = try EventStore(at: place.url, plan: ClubPlan.self)
    func holds(_ generation: Int) throws -> Bool {
      try Data(contentsOf: place.url.appending(path: "log-00000\(generation).mdb"))
        .range(of: Data("The Countess".utf8)) != nil
    }
    #expect(try holds(1))
    _ = try await store.migrate().report()
    #expect(try !holds(2) && holds(1))
    #expect(try EventLog.rollback(place.url).to == 1)
    #expect(try holds(1))
  }

  // Promise P96.
  @Test func `entries that a rule drops are counted with their reason`() async throws {
    try await place.write(
      [.faxReceived(.init(pages: 2)), .playerJoined(.init(name: "Ada", nickname: nil))], as: ClubV1.self)
    let report = try await EventStore(at: place.url, plan: ClubPlan.self).migrate().report()
    #expect(report.dropped.map(\.type) == ["FaxReceived"])
    #expect(report.dropped.map(\.reason) == ["there is no fax any more"])
    #expect(report.dropped.map(\.count) == [1])
  }

  // Promise P155.
  @Test func `the end of a pass is reported as a value that can be kept`() async throws {
    try await seed()
    let notes = Notes()
    var options = MigrationOptions()
    options.observer = { result in notes.add(result) }
    let report = try await EventStore(at: place.url, plan: OrderPlan.self).migrate(options).report()
    #expect(try notes.all.map { try $0.get() } == [report])
    let kept = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(MigrationReport.self, from: kept) == report)
  }

  // Promise P156.
  @Test func `an observer also gets the error of a pass that does not finish`() async throws {
    try await seed(3_000)
    let notes = Notes()
    var options = MigrationOptions()
    options.rate = 300
    options.observer = { result in notes.add(result) }
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let run = try store.migrate(options)
    run.stop()
    await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(notes.all.count == 1)
    let error = #expect(throws: AnnalsError.self) { try notes.all.first?.get() }
    #expect(error?.code == .cancelled)
  }

  private final class Notes: Sendable {
    private let results = Mutex<[Result<MigrationReport, AnnalsError>]>([])
    func add(_ result: Result<MigrationReport, AnnalsError>) { results.withLock { $0.append(result) } }
    var all: [Result<MigrationReport, AnnalsError>] { results.withLock { $0 } }
  }

  // Promise P144.
  @Test func `a pass that is stopped goes on where it was, and nothing is done twice`() async throws {
    try await seed(3_000)
    var slow = MigrationOptions()
    slow.rate = 300
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let before = try place.read(OrderPlan.self)
    let run = try store.migrate(slow)
    for await progress in run.progress where progress.phase == .copying && progress.done > 0 { break }
    run.stop()
    await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(try place.read(OrderPlan.self) == before)
    let report = try await store.migrate().report()
    #expect(report.resumedAt > 0 && report.rewritten == 3_000)
    #expect(try place.read(OrderPlan.self) == before)
  }

  // Promise P153.
  @Test func `a pass that rests says why, and continues on request`() async throws {
    try await seed(500)
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    var options = MigrationOptions()
    options.rate = 800
    let run = try store.migrate(options)
    run.pause()
    for await progress in run.progress where progress.pause == .asked { break }
    #expect(run.current.phase != .finished)
    run.resume()
    #expect(try await run.report().isDone)
  }

  // Promise P160.
  @Test func `the copy of a store shows in advance that it can be rewritten`() async throws {
    try await seed()
    let report = try await Laws.rewriting(of: OrderPlan.self, store: place.url)
    #expect(report.isDone && report.entries == 100)
    #expect(try EventLog.inspect(place.url).generation == 1)
  }

  // Promise P131.
  @Test func `a store is never deleted or replaced by an open that fails`() async throws {
    try await seed()
    let before = try place.files()
    var options = StoreOptions()
    options.migration = .beforeOpen()
    #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: LaterOrderPlan.self, options: options)
    }
    #expect(try place.files() == before)
  }
}

@Suite struct LongestLogTests {
  private let place: TemporaryStore
  private var longestLog: URL { place.url }

  init() async throws {
    place = try TemporaryStore()
    try await place.write((0..<50).map { .placed(.init(total: Int32($0))) }, as: OrdersV1.self)
  }

  private typealias ShopPlan = OrderPlan

  @Test func `our longest log can be rewritten`() async throws {
    try await Laws.rewriting(of: ShopPlan.self, store: longestLog)
  }
}
