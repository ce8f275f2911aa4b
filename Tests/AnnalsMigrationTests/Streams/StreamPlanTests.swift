import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsSchema
@testable import AnnalsStore

/// Plans whose stages move streams: those that are refused, errors at an open, and reads before the pass.
@Suite(.serialized) struct StreamPlanTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func seed() async throws {
    let store = try EventStore(at: place.url, plan: ClubFirst.self)
    try await store.append([.weighed(.init(n: 1)), .lifted(.init(n: 2, sets: 2))], to: "user 0")
    try await store.append([.noted(.init(n: 3))], to: "club")
  }

  private static func mode(_ name: String) -> MigrationMode {
    switch name {
    case "onRead": .onRead
    case "inBackground": .inBackground()
    default: .refuse
    }
  }

  @Test(arguments: ["onRead", "inBackground", "refuse"])
  func `a store with older entries does not open in any mode but beforeOpen`(mode: String) async throws {
    try await seed()
    let before = try place.files()
    for activating in [false, true] {
      var options = StoreOptions()
      options.migration = Self.mode(mode)
      options.activating = activating
      let error = #expect(throws: AnnalsError.self) {
        try EventStore(at: place.url, plan: ClubThird.self, options: options)
      }
      #expect(error?.code == .requiresPass)
      #expect(error?.message.contains("from 1.0.0 to 2.0.0 moves entries to other streams") == true)
      #expect(error?.message.contains("run 'migrate'") == true)
    }
    #expect(try place.files() == before)
  }

  @Test func `an open for reading only says so even with beforeOpen`() async throws {
    try await seed()
    var options = StoreOptions(access: .readOnly)
    options.migration = .beforeOpen()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: ClubThird.self, options: options)
    }
    #expect(error?.code == .requiresPass)
  }

  @Test func `a pass that is only rehearsed leaves the open where it was`() async throws {
    try await seed()
    let before = try place.files()
    var options = MigrationOptions()
    options.isRehearsal = true
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: ClubThird.self, options: .passing(options))
    }
    #expect(error?.code == .requiresPass)
    #expect(try place.files() == before)
  }

  @Test func `a store without older entries opens, and takes none from its first append on`() async throws {
    let old = try EventStore(at: place.url, plan: ClubFirst.self)
    let store = try EventStore(at: place.url, plan: ClubPlan.self)
    try await store.append([.noted(.init(n: 1, by: nil))], to: "user 0")
    let error = await #expect(throws: AnnalsError.self) {
      try await old.append([.noted(.init(n: 2))], to: "user 0")
    }
    #expect(error?.code == .superseded)
    #expect(try store.lines() == ["1 user 0 0 - [] noted 1"])
    #expect(try EventStore(at: place.url, plan: ClubPlan.self).lines().count == 1)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an older entry that comes before the first append keeps that from being made`() async throws {
    let old = try EventStore(at: place.url, plan: ClubFirst.self)
    let store = try EventStore(at: place.url, plan: ClubPlan.self)
    try await old.append([.noted(.init(n: 2))], to: "user 0")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(n: 1, by: nil))], to: "user 0")
    }
    #expect(error?.code == .requiresPass)
    // Nor is it read from the stream that it is not in any more.
    let read = #expect(throws: AnnalsError.self) { try store.lines() }
    #expect(read?.code == .requiresPass)
    try await place.migrate(ClubPlan.self)
    #expect(try store.lines() == ["1 even 0 - [] noted 2"])
    try await store.append([.noted(.init(n: 1, by: nil))], to: "even", expecting: .revision(0))
  }

  @Test func `versions before the stage are read as ever, and later ones name the command to run`()
    async throws
  {
    try await seed()
    let log = try EventLog(at: place.url)
    var lines = try EventLines(log, plan: ClubPlan.self, as: ClubV1.version)
    let page = try #require(try lines.nextPage())
    #expect(String(decoding: page, as: UTF8.self).split(separator: "\n").count == 3)
    let error = #expect(throws: AnnalsError.self) {
      try EventLines(log, plan: ClubPlan.self, as: ClubV3.version)
    }
    #expect(error?.code == .requiresPass)
    let explained = try log.explain(1, plan: ClubPlan.self)
    #expect(explained.events.count == 1 && explained.steps.count == 1)
    #expect(explained.failure?.code == .requiresPass)
  }

  @Test func `a check says which stage needs a pass`() async throws {
    try await seed()
    let check = try ClubPlan.check(store: place.url)
    #expect(!check.opens && check.needsPass && check.unreadable.isEmpty)
    #expect(check.stages.map(\.needsPass) == [true, false, true, false])
    #expect(
      check.description.contains("stage 1.0.0 -> 2.0.0: 3 events pass it, scope store; it moves streams"))
    try await place.migrate(ClubSecond.self)
    #expect(try ClubSecond.check(store: place.url).opens)
    #expect(try ClubPlan.check(store: place.url).stages.map(\.needsPass) == [false, true, false])
    let plan = PlanCheck(of: ClubPlan.self)
    #expect(plan.stages.map(\.scope) == [.store, .record, .store, .record])
    #expect(plan.description.contains("scope store, moves streams"))
  }

  @Test func `a pass to a version before the stage is possible`() async throws {
    try await seed()
    var passes = try PlanMigration(
      at: place.url, plan: ClubPlan.self, to: ClubV1.version, options: StoreOptions(creation: .never))
    let report = try await #require(try passes.next(MigrationOptions())).report()
    #expect(!report.isDone)
    #expect(try passes.next(MigrationOptions()) == nil)
    var second = try PlanMigration(
      at: place.url, plan: ClubPlan.self, to: ClubV3.version, options: StoreOptions(creation: .never))
    #expect(try await #require(try second.next(MigrationOptions())).report().generation == 2)
    #expect(try await #require(try second.next(MigrationOptions())).report().generation == 3)
    #expect(try second.next(MigrationOptions()) == nil)
    #expect(try EventStore(at: place.url, plan: ClubThird.self).lines().count == 4)
  }

  @Test func `a name that cannot be stored ends the pass at its entry`() async throws {
    try await seed()
    for (name, fault) in [
      ("", "it is empty"), (String(repeating: "x", count: 501), "it has 501 bytes"), ("a\0b", "NUL"),
    ] {
      OddRoutes.route.withLock { $0 = { $0.position == 3 ? .moves(to: StreamName(name)) : .stays } }
      let error = await #expect(throws: AnnalsError.self) { try await place.migrate(OddRoutes.self) }
      #expect(error?.code == .invalidName && error?.details.position == 3)
      #expect(error?.message.contains(fault) == true)
    }
    try await expectUnchanged()
    let long = StreamName(String(repeating: "x", count: 500))
    OddRoutes.route.withLock { $0 = { _ in .moves(to: long) } }
    try await place.migrate(OddRoutes.self)
    #expect(try EventLog(at: place.url).places().scanned.last == "3 \(long) 2 false")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a rule that throws ends the pass at its entry, also where others are set aside`() async throws {
    struct Unclear: Error {}
    try await seed()
    OddRoutes.route.withLock {
      $0 = { origin in
        guard origin.position != 2 else { throw Unclear() }
        return .stays
      }
    }
    for unreadable in [MigrationOptions.Unreadable.fail, .quarantine] {
      var options = MigrationOptions()
      options.unreadable = unreadable
      let error = await #expect(throws: AnnalsError.self) { try await place.migrate(OddRoutes.self, options) }
      #expect(error?.code == .ruleFailed && error?.details.position == 2)
      #expect(error?.message.contains("Streams of stage 1.0.0 to 2.0.0 threw Unclear") == true)
    }
    try await expectUnchanged()
  }

  @Test func `a rule that is not pure is found by the comparison`() async throws {
    try await seed()
    let calls = Calls()
    OddRoutes.route.withLock {
      $0 = { _ in
        let call = calls.next()
        return .moves(to: StreamName("s\(call)"))
      }
    }
    let error = await #expect(throws: AnnalsError.self) { try await place.migrate(OddRoutes.self) }
    #expect(error?.code == .verifyFailed)
    try await expectUnchanged()
  }

  private func expectUnchanged() async throws {
    #expect(try place.open().info().generation == 1)
    #expect(try EventStore(at: place.url, plan: ClubFirst.self).log.places().scanned.count == 3)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a stage has one rule for streams`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(TwiceRouted.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("has more than one Streams") == true)
  }

  @Test func `a stage has no rule for streams next to a fold`() {
    var stage = StageOutline(rules: [], adjustments: [], isLightweight: false, hasContext: false)
    stage.streamRules = 1
    stage.folds = 1
    let schemas = [SchemaOutline(ClubV3.self), SchemaOutline(ClubV4.self)]
    let outline = ChainOutline(
      schemas: schemas, stages: [stage],
      crossings: [stage.crossings(from: schemas[0], to: schemas[1])])
    #expect(outline.problems().contains { "\($0)".contains("has Streams and a Fold") })
  }

  @Test func `a plan with a rule for streams is another plan`() throws {
    let plain = PlanMark.of(try CompiledPlan(MigrationChain(Plain.stage), StageContexts()))
    let moving = PlanMark.of(try CompiledPlan(MigrationChain(ClubStages.fourth), StageContexts()))
    #expect(plain != moving)
  }
}

/// A plan whose routes a test chooses; tests that use it run one after the other.
private enum OddRoutes: SchemaMigrationPlan {
  static let route = Mutex<@Sendable (Origin) throws -> StreamRoute>({ _ in .stays })

  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Split(\.lifted, into: [\.setLifted]) { old, _ in (0..<old.sets).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { _, origin in try route.withLock { $0 }(origin) }
    }
  }
}

private enum TwiceRouted: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV3, ClubV4> {
    MigrationStage.custom(fromVersion: ClubV3.self, toVersion: ClubV4.self) {
      Streams { _, _ in .stays }
      Streams { _, _ in .moves(to: "all") }
    }
  }
}

/// The same versions without a rule for streams.
private enum Plain {
  static var stage: MigrationStage<ClubV3, ClubV4> {
    .custom(fromVersion: ClubV3.self, toVersion: ClubV4.self) {}
  }
}

/// Counts.
private final class Calls: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
