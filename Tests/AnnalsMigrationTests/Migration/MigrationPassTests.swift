import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// A whole pass over a real store.
@Suite struct MigrationPassTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// Every event with its coordinates.
  private func entries<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>
  ) throws -> [String] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var all: [String] = []
      while let entry = try entries.next() {
        all.append(
          "\(entry.position) \(entry.path) \(entry.stream) \(entry.revision) \(entry.timestamp) \(entry.event)"
        )
      }
      return all
    }
  }

  /// Stores some events of the first version in many streams.
  private func seed(_ count: Int) async throws {
    let store = try EventStore(at: place.url, plan: WorkoutsFirst.self, options: .merging(every: 64))
    for number in 0..<count {
      let events: [WorkoutsV1.Event] = [
        .setsLogged(.init(exercise: "Squat \(number)", weight: 82.5, reps: 5, sets: number % 4)),
        .bodyWeighed(.init(weight: Float(number))), .heartbeat(.init(n: number)),
      ]
      try await store.append(events, to: "workout-\(number % 37)")
    }
  }

  @Test func `after a pass the store reads the same and has only current versions`() async throws {
    try await seed(200)
    let before = try entries(EventStore(at: place.url, plan: WorkoutPlan.self))
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    let report = try await store.migrate().report()
    #expect(report.isDone && report.generation == 2 && report.entries == 600)
    #expect(report.rewritten == 400 && report.split == 200 - 50)
    #expect(report.dropped.map(\.count) == [50])
    #expect(try entries(store) == before)
    let census = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.filter { $0.count > 0 }.allSatisfy { $0.version == WorkoutsV2.version })
    #expect(try EventLog.verify(place.url).findings.isEmpty)
    let appended = try await store.append([.heartbeat(.init(n: -1))], to: "workout-3")
    #expect(appended.positions == [601])
    #expect(try entries(store).dropLast() == before[...])
  }

  // Promise P148.
  @Test func `a second pass has nothing to do`() async throws {
    try await seed(10)
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    _ = try await store.migrate().report()
    let report = try await store.migrate().report()
    #expect(!report.isDone && report.generation == 2)
    #expect(try EventLog.inspect(place.url).generation == 2)
  }

  @Test func `a compaction copies every entry as it is`() async throws {
    try await seed(50)
    let log = try place.open()
    let before = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    let report = try await log.compact().report()
    #expect(report.isDone && report.rewritten == 0)
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }.map { "\($0)" }
        == before.map { "\($0)" })
    #expect(try EventLog.verify(place.url).findings.isEmpty)
  }

  @Test func `a held switch refuses appends until it is accepted`() async throws {
    try await seed(10)
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    var options = MigrationOptions()
    options.isHolding = true
    #expect(try await store.migrate(options).report().isHeld)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.heartbeat(.init(n: 1))], to: "a")
    }
    #expect(error?.code == .appendsSuspended)
    #expect(try EventLog.accept(place.url).wasHeld)
    try await store.append([.heartbeat(.init(n: 1))], to: "a")
  }

  @Test func `a rollback gives the store back as it was`() async throws {
    try await seed(10)
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    let before = try entries(store)
    _ = try await store.migrate().report()
    let report = try EventLog.rollback(place.url)
    #expect(report.from == 2 && report.to == 1)
    #expect(try entries(store) == before)
    try await store.append([.heartbeat(.init(n: 1))], to: "a")
    // Numbers are never used again.
    #expect(try await store.migrate().report().generation == 3)
  }

  // Promise P145.
  @Test(arguments: [true, false])
  func `a pass that is ended leaves the store as it was`(isCancelled: Bool) async throws {
    try await seed(100)
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    let before = try entries(store)
    var options = MigrationOptions()
    options.rate = 10
    let run = try store.migrate(options)
    for await progress in run.progress where progress.done > 0 && progress.phase == .copying { break }
    if isCancelled { run.cancel() } else { run.stop() }
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
    #expect(try entries(store) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    #expect(names.contains("log-000002.mdb") == !isCancelled)
    let report = try await store.migrate().report()
    #expect(report.isDone && report.generation == (isCancelled ? 3 : 2))
    #expect((report.resumedAt > 0) == !isCancelled)
    #expect(try entries(store) == before)
    #expect(try EventLog.verify(place.url).findings.isEmpty)
  }

  // Promise P141.
  @Test func `entries appended during a pass exist once`() async throws {
    try await seed(500)
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    let run = try store.migrate()
    var appended: [Position] = []
    while run.current.phase != .finished, appended.count < 20_000 {
      appended += try await store.append([.heartbeat(.init(n: appended.count))], to: "live").positions
    }
    _ = try await run.report()
    appended += try await store.append([.heartbeat(.init(n: appended.count))], to: "live").positions
    let live = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "live")
      var live: [(Position, WorkoutsV2.Event)] = []
      while let entry = try entries.next() { live.append((entry.position, entry.event)) }
      return live
    }
    #expect(live.map(\.0) == appended)
    #expect(live.enumerated().allSatisfy { $0.element.1 == .heartbeat(.init(n: $0.offset)) })
    #expect(try EventLog.verify(place.url).findings.isEmpty)
  }

  // Promise P159.
  @Test func `a rehearsal reports the actions of a pass and changes nothing`() async throws {
    try await seed(20)
    let before = try place.files()
    var options = MigrationOptions()
    options.isRehearsal = true
    let report = try await EventStore(at: place.url, plan: WorkoutPlan.self).migrate(options).report()
    #expect(report.isRehearsal && !report.isDone && report.rewritten == 40)
    #expect(try place.files() == before)
  }

  /// What a pass that was killed has left of the second generation, with this file in its place.
  private func leave(_ mark: BuildMark?, _ file: (Generations) throws -> Void) async throws {
    try await seed(3)
    let generations = Generations(place)
    try generations.begin(1, to: 2)
    if let mark {
      try Data(mark.encoded()).write(to: place.url.appending(path: BuildMark.name(generation: 2)))
    }
    try file(generations)
  }

  private var restarting: MigrationOptions {
    var options = MigrationOptions()
    options.unfinished = .discard
    return options
  }

  @Test func `the unreadable file of a killed pass is removed by the next one`() async throws {
    try await leave(BuildMark(boot: "", isSynced: true)) { generations in
      try Data(repeating: 7, count: 10_000).write(to: generations.file(2))
    }
    #expect(try await EventLog(at: place.url).compact(restarting).report().generation == 3)
    #expect(!FileManager.default.fileExists(atPath: Generations(place).file(2).path))
  }

  @Test func `a file that was not on disk at a power failure is not even read`() async throws {
    try await leave(BuildMark(boot: "another run", isSynced: false)) { generations in
      try Data(repeating: 7, count: 10_000).write(to: generations.file(2))
    }
    #expect(try await EventLog(at: place.url).compact(restarting).report().generation == 3)
  }

  @Test func `a file that no pass of this store has made is left alone`() async throws {
    try await leave(nil) { generations in try Data("mine".utf8).write(to: generations.file(2)) }
    let error = await #expect(throws: AnnalsError.self) {
      try await EventLog(at: place.url).compact(restarting).report()
    }
    #expect(error?.code == .foreign && error?.details.file == "log-000002.mdb")
    #expect(try Data(contentsOf: Generations(place).file(2)) == Data("mine".utf8))
  }

  @Test func `an unfinished pass of another plan is refused until it is thrown away`() async throws {
    try await leave(BuildMark(boot: "", isSynced: true)) { _ in }
    let log = try EventLog(at: place.url)
    let error = await #expect(throws: AnnalsError.self) {
      try await EventStore(at: place.url, plan: WorkoutPlan.self).migrate().report()
    }
    #expect(error?.code == .wrongUse)
    #expect(
      error?.message.hasPrefix(
        "generation 2 is left of an unfinished pass: a compaction, which has no plan. This one is a migration to version 2.0.0, and cannot continue it:"
      ) == true, "\(String(describing: error))")
    #expect(try await log.compact(restarting).report().isDone)
  }

  @Test(
    arguments: [
      (nil, "a repair. This one is a compaction, which has no plan,"),
      (WorkoutsV2.version, "a migration to version 2.0.0. This one is a compaction, which has no plan,"),
    ] as [(SchemaVersion?, String)])
  func `a refused compaction names the kind of the unfinished pass`(
    version: SchemaVersion?, text: String
  ) async throws {
    try await seed(1)
    let plan = version == nil ? PlanMark.repair : PlanMark.archiving(PlanMark.none, [])
    let row = PassRow(id: UUID(), other: 2, plan: plan, version: version)
    try Generations(place).set(1, [(PassRow.name, row.encoded())])
    let error = await #expect(throws: AnnalsError.self) {
      try await EventLog(at: place.url).compact().report()
    }
    #expect(error?.message.contains("unfinished pass: \(text)") == true, "\(String(describing: error))")
  }

  @Test func `a refused migration names the version of another plan's pass`() async throws {
    try await seed(1)
    let row = PassRow(
      id: UUID(), other: 2, plan: PlanMark.archiving(PlanMark.none, []), version: WorkoutsV1.version)
    try Generations(place).set(1, [(PassRow.name, row.encoded())])
    let error = await #expect(throws: AnnalsError.self) {
      try await EventStore(at: place.url, plan: WorkoutPlan.self).migrate().report()
    }
    let text = "a migration to version 1.0.0 by another plan. This one is a migration to version 2.0.0,"
    #expect(error?.message.contains(text) == true, "\(String(describing: error))")
  }
}
