import Annals
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@Schema(1, 0, 0) enum JournalV1 {
  @Record struct Noted: Equatable { var text: String }
}
@Schema(2, 0, 0) enum JournalV2 {
  @Record struct Noted: Equatable { var text: String; var number: Int }
}
extension JournalV2.Event: Equatable {}

enum JournalPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<JournalV1, JournalV2> {
    MigrationStage.custom(
      fromVersion: JournalV1.self, toVersion: JournalV2.self,
      prepare: { history in try history.reduce(into: 0) { count, _ in count += 1 } },
      rules: {
        Keep(\.noted, to: \.noted, changing: \.number) { old, origin, count in
          count - Int(origin.position.rawValue)
        }
      })
  }
}

/// The stage without a context, for passes.
private enum PlainJournalPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<JournalV1, JournalV2> {
    MigrationStage.custom(fromVersion: JournalV1.self, toVersion: JournalV2.self) {
      Keep(\.noted, to: \.noted, changing: \.number) { old, origin in Int(origin.position.rawValue) }
    }
  }
}

private enum Texts: InlineProjection {
  typealias Event = JournalV1.Event
  @Record struct Row: ProjectionRow {
    var position: UInt64
    var text: String
    var key: UInt64 { position }
  }
  static let name = "texts", version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .noted(let noted) = entry.event else { return }
    // A fold is committed every 50 milliseconds, and this one is to need several commits on any machine.
    if entry.position.rawValue.isMultiple(of: 1_000) { Thread.sleep(forTimeInterval: 0.005) }
    try rows.put(Row(position: entry.position.rawValue, text: noted.text))
  }
}

/// The reports of an open, and the task that they may cancel.
private final class Reports: Sendable {
  private let seen = Mutex<[OpenProgress]>([])
  private let task = Mutex<(@Sendable () -> Void)?>(nil)
  private let cancelsAt: UInt64

  /// Reports that cancel the open once it has read `cancelsAt` positions.
  init(cancellingAt cancelsAt: UInt64 = .max) {
    self.cancelsAt = cancelsAt
  }

  var all: [OpenProgress] { seen.withLock { $0 } }

  func add(_ progress: OpenProgress) {
    seen.withLock { $0.append(progress) }
    guard cancelsAt != .max else { return }
    guard progress.done >= cancelsAt else {
      // Longer than the pause between two reports, so that a fast open makes the next one before it is done.
      return Thread.sleep(forTimeInterval: 0.12)
    }
    // The report may come before the task is known.
    while true {
      if let cancel = task.withLock({ $0 }) { return cancel() }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  /// Opens in a task of its own, which the reports may cancel.
  func open<Plan: SchemaMigrationPlan>(
    at url: URL, _ plan: Plan.Type, _ options: StoreOptions,
    inline: [any InlineProjection<Plan.Current.Event>.Type] = []
  ) async throws -> EventStore<Plan> {
    let opening = Task {
      try await EventStore.open(at: url, plan: plan, options: options, inline: inline) { [self] in add($0) }
    }
    task.withLock { $0 = { opening.cancel() } }
    return try await opening.value
  }
}

/// Opening without blocking, with progress and cancellation, and stores for previews and tests.
@Suite(.serialized) struct OpeningTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func seed(_ count: Int) async throws {
    let store = try EventStore(at: place.url, plan: OneSchema<JournalV1>.self)
    for start in stride(from: 0, to: count, by: 5000) {
      try await store.append(
        (start..<min(start + 5000, count)).map { .noted(.init(text: "note \($0)")) }, to: "journal")
    }
  }

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  @Test func `an open without work reports nothing, and gives the same store as the initialiser`()
    async throws
  {
    try await seed(10)
    let reports = Reports()
    let store = try await reports.open(at: place.url, OneSchema<JournalV1>.self, StoreOptions())
    #expect(try store.read { try $0.head() } == 10)
    #expect(reports.all.isEmpty)
  }

  @Test func `an open that activates reports what it reads`() async throws {
    try await seed(30_000)
    let reports = Reports()
    do {
      let store = try await reports.open(at: place.url, JournalPlan.self, activating)
      #expect(try store.read { try $0.head() } == 30_000)
    }
    let steps = reports.all
    #expect(!steps.isEmpty && steps.allSatisfy { $0.step == .preparing && $0.total == 30_000 })
    #expect(steps.map(\.done) == steps.map(\.done).sorted())
    #expect(try place.read(JournalPlan.self).first == .noted(.init(text: "note 0", number: 29_999)))
  }

  @Test func `a cancelled activation keeps nothing, and the next one is complete`() async throws {
    try await seed(30_000)
    let reports = Reports(cancellingAt: 1)
    let error = await #expect(throws: AnnalsError.self) {
      _ = try await reports.open(at: place.url, JournalPlan.self, activating)
    }
    #expect(error?.code == .cancelled)
    #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: JournalPlan.self) }
    #expect(
      try place.read(JournalPlan.self, activating: true).last == .noted(.init(text: "note 29999", number: 0)))
  }

  @Test func `a cancelled fold of an inline projection is continued by the next open`() async throws {
    try await seed(60_000)
    let first = Reports(cancellingAt: 1)
    let error = await #expect(throws: AnnalsError.self) {
      _ = try await first.open(
        at: place.url, OneSchema<JournalV1>.self, activating, inline: [Texts.self])
    }
    #expect(error?.code == .cancelled)
    let reached = try #require(first.all.last?.done)
    #expect(reached > 0 && reached < 60_000)
    let second = Reports()
    let store = try await second.open(
      at: place.url, OneSchema<JournalV1>.self, activating, inline: [Texts.self])
    let steps = second.all
    #expect(steps.first.map { $0.done >= reached && $0.step == .folding } == true, "\(reached) \(steps)")
    let count = try store.read { snapshot in try snapshot.inline(Texts.self).count(RowQuery(Texts.Row.self)) }
    #expect(count == 60_000)
  }

  @Test func `a cancelled pass keeps its work, and the next open continues with it`() async throws {
    try await seed(60_000)
    let results = Mutex<[Result<MigrationReport, AnnalsError>]>([])
    var passing = MigrationOptions()
    // Slow enough that the open is cancelled before the pass is done.
    passing.rate = 50_000
    passing.observer = { result in results.withLock { $0.append(result) } }
    var options = StoreOptions()
    options.migration = .beforeOpen(passing)
    let first = Reports(cancellingAt: 1)
    let error = await #expect(throws: AnnalsError.self) {
      _ = try await first.open(at: place.url, PlainJournalPlan.self, options)
    }
    #expect(error?.code == .cancelled)
    #expect(first.all.allSatisfy { $0.step == .migrating })
    let store = try await Reports().open(at: place.url, PlainJournalPlan.self, options)
    let last = try #require(results.withLock { $0.last })
    #expect(try last.get().isDone)
    #expect(try last.get().resumedAt > 0)
    #expect(try store.log.info().schemas.map(\.version) == [JournalV2.version])
    let events = try await store.entries().reduce(into: 0) { count, _ in count += 1 }
    #expect(events == 60_000)
  }

  @Test func `an open in a cancelled task creates no store`() async throws {
    let (url, plan) = (place.url, OneSchema<JournalV1>.self)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await EventStore.open(at: url, plan: plan)
    }
    task.cancel()
    let error = await #expect(throws: AnnalsError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `the errors of an open are those of the initialiser`() async throws {
    try await seed(3)
    let error = await #expect(throws: AnnalsError.self) {
      _ = try await EventStore.open(at: place.url, plan: JournalPlan.self)
    }
    #expect(error?.code == .requiresActivation)
  }

  // MARK: Temporary stores

  /// The directories of temporary stores that exist now.
  private static func directories() throws -> Set<String> {
    let folder = FileManager.default.temporaryDirectory
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        FileManager.default.fileExists(
          atPath: folder.appending(path: $0).appending(path: "temporary.annals").path)
      })
  }

  @Test func `a temporary store is a real one, and its directory ends with the last reference`() async throws
  {
    let before = try Self.directories()
    var store: EventStore<OneSchema<JournalV1>>? = try .temporary(plan: OneSchema<JournalV1>.self)
    let other = try EventStore.temporary(plan: OneSchema<JournalV1>.self, inline: [Texts.self])
    let created = try Self.directories().subtracting(before)
    #expect(created.count == 2)
    try await store?.append([.noted(.init(text: "a"))], to: "journal")
    #expect(try store?.read { try $0.head() } == 1)
    #expect(try other.read { try $0.head() } == nil)
    var log = store?.log
    store = nil
    #expect(try Self.directories().isSuperset(of: created))
    #expect(try log?.read { try $0.head() } == 1)
    log = nil
    try await waitUntil { try Self.directories().intersection(created).count == 1 }
    withExtendedLifetime(other) {}
  }

  @Test func `a view keeps a temporary store`() async throws {
    let before = try Self.directories()
    var view: View<Journal>?
    do {
      let store = try EventStore.temporary(plan: OneSchema<JournalV1>.self)
      view = try store.view(Journal.self)
      try await store.append([.noted(.init(text: "a"))], to: "journal", waitingFor: try #require(view))
    }
    let created = try Self.directories().subtracting(before)
    #expect(try view?.get(Journal.Row.self, 1)?.text == "a")
    #expect(!created.isEmpty)
    view = nil
    try await waitUntil { try Self.directories().intersection(created).isEmpty }
  }
}

private enum Journal: Projection {
  typealias Event = JournalV1.Event
  @Record struct Row: ProjectionRow {
    var position: UInt64
    var text: String
    var key: UInt64 { position }
  }
  static let name = "journal", version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .noted(let noted) = entry.event else { return }
    // A fold is committed every 50 milliseconds, and this one is to need several commits on any machine.
    if entry.position.rawValue.isMultiple(of: 1_000) { Thread.sleep(forTimeInterval: 0.005) }
    try rows.put(Row(position: entry.position.rawValue, text: noted.text))
  }
}
