import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsProjections
@testable import AnnalsStore

/// A row for each count that was ever taken, so that no two changes are one.
private struct Notes {
  @Record struct Note: ProjectionRow {
    var position: Int
    var count: Int
    var key: Int { position }
  }

  enum First: Projection {
    typealias Event = StockV1.Event
    static let name = "notes"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Note.self)] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .counted(let counted) = entry.event else { return }
      try rows.put(Note(position: Int(entry.position.rawValue), count: counted.count))
    }
  }

  enum Second: Projection {
    /// Whether it folds no further until it may.
    static let waits = Atomic(false)

    typealias Event = StockV1.Event
    static let name = "notes"
    static let version = 2
    static var tables: [ProjectionTable] { First.tables }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      while waits.load(ordering: .acquiring) { usleep(500) }
      try First.apply(entry, to: &rows)
    }
  }
}

/// An observer of a view over a switch of files.
private final class SwitchObserver: Sendable {
  /// The reported changes.
  struct Told: Sendable {
    /// By row, the position of the view at the report: before the switch, and after it.
    var before: [Int: Position] = [:]
    var after: [Int: Position] = [:]
    /// The rows that were reported twice.
    var twice: [Int] = []
    var resets = 0
    /// The rows of an observer that keeps them by the reported changes.
    var rows: Set<Int> = []
    /// The row with which it ends.
    var end: Int?
  }

  private let state = Mutex(Told())
  private let view: View<Notes.Second>
  private let changes: RowChanges<Notes.Note>

  init(_ view: View<Notes.Second>) throws {
    self.view = view
    changes = view.changes(of: Notes.Note.self)
    let rows = try Self.rows(view)
    state.withLock { $0.rows = rows }
  }

  var told: Told { state.withLock { $0 } }

  private static func rows(_ view: View<Notes.Second>) throws -> Set<Int> {
    Set(try view.rows(RowQuery(Notes.Note.self)).map(\.position))
  }

  /// Ends with a row.
  func end(at last: Position) { state.withLock { $0.end = Int(last.rawValue) } }

  /// Keeps the rows by the reported changes.
  func run() async throws {
    for try await change in changes {
      let rows = try change.isReset ? Self.rows(view) : []
      let isOver = state.withLock { told in
        switch change {
        case .put(let note, let position):
          let row = note.position
          if told.before[row] != nil || told.after[row] != nil { told.twice.append(row) }
          if told.resets == 0 { told.before[row] = position } else { told.after[row] = position }
          told.rows.insert(row)
        case .removed(_, let position): told.twice.append(Int(position.rawValue))
        case .reset:
          told.resets += 1
          told.rows = rows
        }
        return told.end.map { told.rows.contains($0) } ?? false
      }
      if isOver { return }
    }
  }
}

extension ViewChange {
  fileprivate var isReset: Bool {
    if case .reset = self { true } else { false }
  }
}

/// The changes that observers receive while a raised version replaces the previous one.
@Suite(.serialized) struct ViewSwitchTests {
  private typealias Store = EventStore<StockPlan>

  private func append(_ count: Int, to store: Store) async throws -> Position {
    let events = (0..<count).map { StockV1.Event.counted(.init(item: "i", count: $0)) }
    return try await store.append(events, to: "stock").position ?? 0
  }

  @Test(
    "over a switch to a raised version an observer begins again once, sees no change twice, and has all rows",
    .timeLimit(.minutes(5)))
  func raised() async throws {
    let seed = UInt64.random(in: 1...1_000_000)
    print("observed switches, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    defer { Notes.Second.waits.store(false, ordering: .releasing) }
    for round in 0..<3 {
      let place = try TemporaryStore()
      do {
        let store = try EventStore(at: place.url, plan: StockPlan.self, options: .relaxedCommits)
        try await store.view(Notes.First.self).waitUntil(append(300, to: store))
      }
      Notes.Second.waits.store(true, ordering: .releasing)
      let store = try EventStore(at: place.url, plan: StockPlan.self, options: .relaxedCommits)
      let view = try store.view(Notes.Second.self)
      let old = try #require(view.registered.served?.file)
      #expect(try view.status().servedVersion == 1)
      let observer = try SwitchObserver(view)
      async let observed: Void = observer.run()
      // While the new version is built, the old rows stay as they are.
      _ = try await append(50, to: store)
      #expect(try view.status().position == 300)
      // The switch falls somewhere between these.
      let opening = Int.random(in: 0..<20, using: &random)
      for number in 0..<400 {
        if number == opening { Notes.Second.waits.store(false, ordering: .releasing) }
        _ = try await append(Int.random(in: 1...5, using: &random), to: store)
        if number > opening + 20, observer.told.resets > 0 { break }
      }
      try await waitUntil { observer.told.resets > 0 }
      try await view.waitUntil(append(1, to: store))
      let last = try await append(1, to: store)
      observer.end(at: last)
      // The last row may have been reported before it was set as the end.
      _ = try await append(1, to: store)
      try await observed
      let told = observer.told
      #expect(told.before.isEmpty, "seed \(seed), \(round)")
      #expect(told.resets == 1, "seed \(seed), \(round)")
      #expect(told.twice == [], "seed \(seed), \(round)")
      #expect(told.rows.isSuperset(of: 1...Int(last.rawValue)), "seed \(seed), \(round)")
      #expect(!told.after.isEmpty, "seed \(seed), \(round)")
      // The older file ends where the reports of the new one begin.
      let new = try #require(view.registered.served?.file)
      let gate = try new.read { (view) throws(AnnalsError) in try new.gate(view) }
      let left = try old.read { (view) throws(AnnalsError) in try old.checkpoint(view) }?.position.rawValue
      #expect(left == gate, "seed \(seed), \(round)")
      #expect(
        told.after.allSatisfy { $0.key > Int(gate) && $0.value.rawValue > gate }, "seed \(seed), \(round)")
    }
  }

  /// As ``StockPlan``, so that a store of this process has a registry of its own, as another program has.
  private enum OtherPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<StockV1, StockV1> {}
  }

  @Test(
    "while a new version is built, the old rows can be read and stay as they are, and an older program follows its own",
    .timeLimit(.minutes(5)))
  func building() async throws {
    defer { Notes.Second.waits.store(false, ordering: .releasing) }
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: StockPlan.self)
      try await store.view(Notes.First.self).waitUntil(append(30, to: store))
    }
    Notes.Second.waits.store(true, ordering: .releasing)
    let store = try EventStore(at: place.url, plan: StockPlan.self)
    let view = try store.view(Notes.Second.self)
    let last = try await append(20, to: store)
    let error = await #expect(throws: AnnalsError.self) {
      try await view.waitUntil(last, timeout: .milliseconds(300))
    }
    #expect(error?.code == .busy)
    let status = try view.status()
    #expect(status.state == .building && status.servedVersion == 1)
    #expect(status.position == 30 && status.lag == 20)
    #expect(try view.rows(RowQuery(Notes.Note.self)).map(\.position) == Array(1...30))
    // A program that has the older version only follows that.
    let other = try EventStore(at: place.url, plan: OtherPlan.self)
    let older = try other.view(Notes.First.self)
    try await older.waitUntil(last)
    #expect(try older.rows(RowQuery(Notes.Note.self)).count == 50)
    Notes.Second.waits.store(false, ordering: .releasing)
    try await view.waitUntilBuilt()
    try await view.waitUntil(last)
    #expect(try view.rows(RowQuery(Notes.Note.self)).count == 50)
    let end = try await append(5, to: store)
    try await older.waitUntil(end)
    try await view.waitUntil(end)
  }
}
