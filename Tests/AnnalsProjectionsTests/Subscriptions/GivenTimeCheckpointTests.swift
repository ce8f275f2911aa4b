import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Checkpoints of a log whose events have no ids, and times that callers gave.
@Suite struct GivenTimeCheckpointTests {
  @Schema(1, 0, 0) enum V1 { @Record struct Draw: Equatable { var n: Int } }
  enum Plan: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
  @Record struct Row: ProjectionRow {
    var stream: String
    var sum: Int
    var key: String { stream }
  }
  enum Sums: Projection {
    typealias Event = V1.Event
    static let name = "sums"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Row.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .draw(let draw) = entry.event else { return }
      let stream = entry.stream.text
      try rows.update(Row.self, stream, initial: Row(stream: stream, sum: 0)) { $0.sum += draw.n }
    }
  }

  private static let day = Date(timeIntervalSince1970: 1_700_000_000)
  private static let moment = Timestamp(microseconds: 1_700_000_000_000_000)
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func url(_ name: String) -> URL { place.url.appendingPathExtension(name) }

  private func add(_ numbers: ClosedRange<Int>, to store: EventStore<Plan>) async throws {
    for n in numbers { try await store.append([NewEvent(.draw(.init(n: n)), time: Self.day)], to: "a") }
  }

  /// The checkpoint after the entry at `position`, as a subscription gives it.
  private func checkpoint(_ position: Position, of store: EventStore<Plan>) async throws -> Checkpoint {
    for try await element in store.subscribe(from: .after(Position(position.rawValue - 1))) {
      return element.checkpoint
    }
    throw CancellationError()
  }

  private func next(_ checkpoint: Checkpoint, in store: EventStore<Plan>) async throws -> Position? {
    for try await element in store.subscribe(from: .checkpoint(checkpoint)) { return element.entry.position }
    return nil
  }

  @Test func `a checkpoint of one restored copy is refused by another that went on alone`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: Plan.self)
      try await add(1...5, to: store)
      try store.backup(to: url("backup"))
    }
    defer { for name in ["backup", "one", "two"] { try? FileManager.default.removeItem(at: url(name)) } }
    _ = try EventLog.restore(url("backup"), to: url("one"))
    _ = try EventLog.restore(url("backup"), to: url("two"))
    // The noted commits of the copies must not be the one that the backup ends with.
    try await Task.sleep(for: .milliseconds(30))
    let one = try EventStore(at: url("one"), plan: Plan.self)
    try await add(6...9, to: one)
    try await Task.sleep(for: .milliseconds(30))
    let two = try EventStore(at: url("two"), plan: Plan.self)
    try await add(106...109, to: two)
    let (shared, own) = (try await checkpoint(5, of: one), try await checkpoint(7, of: one))
    #expect(try await next(shared, in: two) == 6)
    #expect(try await next(own, in: one) == 8)
    let error = await #expect(throws: AnnalsError.self) { try await next(own, in: two) }
    #expect(error?.code == .checkpointMismatch)
    #expect(error?.underlying as? CheckpointMismatch == .differs)
  }

  @Test func `a view notices that an older file of the log was put back and went on`() async throws {
    let file = place.url.appendingPathComponent("log-000001.mdb")
    let copy = url("older")
    defer { try? FileManager.default.removeItem(at: copy) }
    do { try await add(1...5, to: EventStore(at: place.url, plan: Plan.self)) }
    try FileManager.default.copyItem(at: file, to: copy)
    try await Task.sleep(for: .milliseconds(30))
    do {
      let store = try EventStore(at: place.url, plan: Plan.self)
      try await add(6...9, to: store)
      try await store.view(Sums.self).waitUntilCaughtUp()
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: copy, to: file)
    try await Task.sleep(for: .milliseconds(30))
    let store = try EventStore(at: place.url, plan: Plan.self)
    try await add(106...115, to: store)
    let view = try store.view(Sums.self)
    try await view.waitUntilCaughtUp()
    #expect(try view.rows(RowQuery(Row.self)).map(\.sum) == [15 + (106...115).sum()])
  }

  @Test func `passes and erasures keep such a checkpoint, and one without the commit is taken too`()
    async throws
  {
    let store = try EventStore(at: place.url, plan: Plan.self)
    try await add(1...6, to: store)
    let kept = try await checkpoint(3, of: store)
    let plain = LentEntry.mark(3, Self.moment, nil)
    #expect(kept.mark != plain)
    let again = try store.read { (snapshot) throws(AnnalsError) in try snapshot.checkpoint(at: 3) }
    #expect(again == kept)
    let erased = try await checkpoint(5, of: store)
    let older = Checkpoint(log: kept.log, incarnation: kept.incarnation, position: 3, mark: plain)
    for _ in 0..<2 {
      #expect(try await next(kept, in: store) == 4)
      #expect(try await next(older, in: store) == 4)
      try await store.truncate("a", before: 3)
      _ = try await store.log.compact().report()
    }
    _ = try store.log.erase([5], by: "jane", because: "a request")
    #expect(try await next(erased, in: store) == 6)
    let agrees = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.agrees(snapshot.checkpoint(at: 5))
    }
    #expect(agrees)
  }

  @Test func `a time of the clock, or an id, needs no commit`() async throws {
    let store = try EventStore(at: place.url, plan: Plan.self)
    let id = UUID()
    try await store.append([.draw(.init(n: 1))], to: "a")
    try await store.append([NewEvent(.draw(.init(n: 2)), id: id, time: Self.day)], to: "a")
    let first = try await checkpoint(1, of: store)
    var time: Timestamp?
    for try await entry in store.entries() where entry.position == 1 { time = entry.timestamp }
    #expect(first.mark == LentEntry.mark(1, try #require(time), nil))
    #expect(try await checkpoint(2, of: store).mark == LentEntry.mark(2, Self.moment, id))
  }
}
