import Foundation
import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// What happens where a group cannot be folded.
@Suite struct FoldFailureTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  /// Stores readings of one meter, each hour's with a name among them: positions 1, 2, 3 and so on.
  private func seed(_ values: [(hour: Int, value: Int)]) async throws {
    let store = try EventStore(at: place.url, plan: FirstReadings.self)
    for (hour, value) in values {
      try await store.append([.read(.init(hour: hour, value: value))], to: "meter")
    }
  }

  private func means<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, from position: Position? = nil
  ) throws -> [Int] where Plan.Current.Event == Readings2.Event {
    let store = try EventStore(at: place.url, plan: plan, options: activating)
    return try Self.means(store, from: position)
  }

  private static func means<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, from position: Position? = nil
  ) throws -> [Int] where Plan.Current.Event == Readings2.Event {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(from: position)
      var means: [Int] = []
      while let entry = try entries.next() {
        if case .averaged(let hour) = entry.event { means.append(hour.mean) }
      }
      return means
    }
  }

  private let good = [(1, 10), (1, 20), (2, 5), (3, 1), (3, 2), (3, 3)]
  private let bad = [(1, 10), (1, 20), (2, -5), (2, 4), (2, 6), (3, 1), (3, 3)]

  @Test
  func
    `before its activation a store with older events does not open, and afterwards older programs append nothing`()
    async throws
  {
    try await seed(good)
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: StrictReadings.self) }
    #expect(error?.code == .requiresActivation)
    let older = try EventStore(at: place.url, plan: FirstReadings.self)
    #expect(try means(StrictReadings.self) == [15, 5, 2])
    let refusal = await #expect(throws: AnnalsError.self) {
      try await older.append([.read(.init(hour: 3, value: 1))], to: "meter")
    }
    #expect(refusal?.code == .superseded)
    let line = #"{"stream":"meter","type":"Read","version":"1.0.0","data":{"hour":3,"value":1}}"# + "\n"
    let imported = await #expect(throws: AnnalsError.self) {
      var rest: [UInt8]? = Array(line.utf8)
      try await EventLog(at: place.url).importLines {
        defer { rest = nil }
        return rest
      }
    }
    #expect(imported?.code == .superseded)
    // Without activating from now on.
    #expect(try Self.means(EventStore(at: place.url, plan: StrictReadings.self)) == [15, 5, 2])
  }

  @Test func `a step that throws stops the reader at the last entry of the group`() async throws {
    try await seed(bad)
    let store = try EventStore(at: place.url, plan: StrictReadings.self, options: activating)
    let error = #expect(throws: AnnalsError.self) { try Self.means(store) }
    #expect(error?.code == .ruleFailed && error?.underlying is Impossible)
    #expect(error?.details.position == 5 && error?.details.stream == "meter" && error?.details.revision == 4)
    #expect(error?.details.type == "Read" && error?.details.version == SchemaVersion(1, 0, 0))
    #expect(error?.message.contains("the rule for 'Read' in stage 1.0.0 to 2.0.0 threw Impossible") == true)
    #expect(try Self.means(store, from: 6) == [2])
  }

  @Test func `a result that throws stops the reader at the last entry of the group`() async throws {
    try await seed(good)
    let error = #expect(throws: AnnalsError.self) { try means(ResultlessReadings.self) }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
  }

  @Test func `a result that its list does not name stops the reader`() async throws {
    try await seed(good)
    let error = #expect(throws: AnnalsError.self) { try means(StrayReadings.self) }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
    #expect(error?.message.contains("which its 'into:' does not name") == true)
  }

  @Test func `a key that has no encoding ends the activation at its entry, and nothing has changed`()
    async throws
  {
    try await seed(good + [(4, 7)])
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try means(KeylessReadings.self) }
    #expect(error?.code == .ruleFailed && error?.details.position == 7 && error?.details.type == "Read")
    #expect(try place.files() == files)
  }

  @Test func `damage of an earlier entry is reported with its place`() async throws {
    try await seed(good)
    let store = try EventStore(at: place.url, plan: StrictReadings.self, options: activating)
    let generation = store.log.core.generation
    try generation.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      var bytes = try StoreReader(transaction.view, generation.tables).bytes(at: 5).copied
      bytes[bytes.count - 5] ^= 1
      let damaged = bytes
      try storage { () throws(EnvironmentError) in
        try transaction.put(damaged.span, forKey: 5, in: generation.tables.entries)
      }
    }
    // A read of the damaged entry itself finds the damage; a read of a later one finds it through the fold.
    let error = #expect(throws: AnnalsError.self) { try Self.means(store, from: 6) }
    #expect(error?.code == .damaged && error?.details.position == 5)
  }

  @Test func `a reader with quarantine skips only the group`() async throws {
    try await seed(bad)
    var options = activating
    let passed = Mutex<[Position]>([])
    options.unreadable = .quarantine { entry in passed.withLock { $0.append(entry.position) } }
    let store = try EventStore(at: place.url, plan: StrictReadings.self, options: options)
    #expect(try Self.means(store) == [15, 2])
    #expect(passed.withLock { $0 } == [5])
  }

  @Test func `a pass that sets entries aside keeps the whole group, and a repaired rule folds it`()
    async throws
  {
    try await seed(bad)
    let store = try EventStore(at: place.url, plan: StrictReadings.self, options: activating)
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(error?.code == .ruleFailed && error?.details.position == 5)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    let report = try await store.migrate(options).report()
    #expect(report.isDone && report.quarantined == 3 && report.folded == 2)
    let again = #expect(throws: AnnalsError.self) { try Self.means(store) }
    #expect(again?.code == .ruleFailed && again?.details.position == 5)
    #expect(try Self.means(store, from: 6) == [2])
    #expect(try EventLog.verify(place.url).findings.isEmpty)
    let mended = try EventStore(at: place.url, plan: MendedReadings.self)
    #expect(try Self.means(mended) == [15, 1, 2])
    let second = try await mended.migrate().report()
    #expect(second.isDone && second.quarantined == 0)
    #expect(try Self.means(mended) == [15, 1, 2])
  }

  @Test func `another type of state reads the same store, since no state is ever stored`() async throws {
    try await seed(good)
    #expect(try means(StrictReadings.self) == [15, 5, 2])
    #expect(try Self.means(EventStore(at: place.url, plan: SummedReadings.self)) == [15, 5, 2])
  }

  @Test func `an entry is explained with its fold`() async throws {
    try await seed(good)
    let store = try EventStore(at: place.url, plan: StrictReadings.self, options: activating)
    let middle = try store.explain(4)
    #expect(middle.steps.map(\.events.count) == [0] && middle.failure == nil)
    let last = try store.explain(6)
    #expect(last.steps.map { $0.events.map(\.type) } == [["Averaged"]])
    #expect(last.steps.first?.crossings.first?.fate.outcome == .folded(into: ["Averaged"]))
  }
}
