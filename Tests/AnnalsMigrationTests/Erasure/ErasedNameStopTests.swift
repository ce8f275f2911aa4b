import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

/// Passes that are stopped after they have removed the name of an erased stream, which then gets an event.
@Suite struct ErasedNameStopTests {
  private static let name: StreamName = "user wilhelmina"
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: ClubFirst.self, options: .merging(every: 2))
    for name in [Self.name, "user ann", "club"] {
      try store.append([.weighed(.init(n: 1)), .noted(.init(n: 2))], to: name)
    }
    try store.erase(stream: Self.name, by: "jane", because: "request")
  }

  private func append(to stream: StreamName) async throws {
    let store = try EventStore(at: place.url, plan: ClubFirst.self)
    try await store.append([.noted(.init(n: 3))], to: stream, expecting: .revision(1))
  }

  /// Runs a pass up to a point.
  private func stop(
    at point: PassPoint, _ begin: (MigrationOptions) throws -> MigrationRun
  ) async throws {
    let stopping = Stopping()
    var options = MigrationOptions()
    options.durableBatch = 2
    options.atPoint = { if $0 == point { stopping.stop() } }
    let run = try begin(options)
    stopping.put(run)
    let error = await #expect(throws: AnnalsError.self) { _ = try await run.report() }
    #expect(error?.code == .cancelled)
  }

  @Test(arguments: [.batchCommitted, .headsCopied, .compared, .verified] as [PassPoint])
  func `an event after the removal of its stream's name keeps the name`(point: PassPoint) async throws {
    let log = try EventLog(at: place.url)
    try await stop(at: point) { try log.compact($0) }
    try await append(to: Self.name)
    var options = MigrationOptions()
    options.unfinished = .mustBeThere
    let error = await #expect(throws: AnnalsError.self) { _ = try await log.compact(options).report() }
    #expect(error?.code == .verifyFailed)
    #expect(error?.message.contains("whose name was erased") == true)
    let report = try await log.compact().report()
    #expect(report.resumedAt == 0)
    #expect(try log.read { try $0.revision(of: Self.name) } == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `it keeps the name in a pass that moves streams, too`() async throws {
    do {
      var passes = try PlanMigration(at: place.url, plan: ClubSecond.self, to: nil, options: StoreOptions())
      try await stop(at: .compared) { (options) in
        let run = try passes.next(options)
        return try #require(run)
      }
    }
    try await append(to: Self.name)
    try await place.migrate(ClubSecond.self)
    let log = try EventLog(at: place.url)
    #expect(try log.read { try $0.revision(of: "athlete-wilhelmina") } == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass goes on if the stream has got no event`() async throws {
    let log = try EventLog(at: place.url)
    try await stop(at: .compared) { try log.compact($0) }
    try await append(to: "club")
    #expect(try await log.compact().report().resumedAt > 0)
    #expect(try log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass goes on if the stream has had the event since before the pass`() async throws {
    let log = try EventLog(at: place.url)
    try await append(to: Self.name)
    try await stop(at: .compared) { try log.compact($0) }
    #expect(try await log.compact().report().resumedAt > 0)
    #expect(try log.read { try $0.revision(of: Self.name) } == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `former names still lead to the stream if its entries were not copied`() async throws {
    let first = try EventStore(at: place.url, plan: ClubFirst.self)
    try await first.append([.lifted(.init(n: 3, sets: 1))], to: "club")
    _ = consume first
    try await place.migrate(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.log.moved(from: "club") == ["weights", "lifts"])
    try store.erase(stream: "weights", by: "jane", because: "request")
    try await stop(at: .contexts) { try store.log.compact($0) }
    try await store.append([.noted(.init(n: 4))], to: "weights")
    _ = try await store.log.compact().report()
    #expect(try store.log.moved(from: "club") == ["weights", "lifts"])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
