import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsProjections

/// Views of stores whose pass is rolled back.
@Suite struct RollbackViewTests {
  @Schema(1, 0, 0) enum V1 { @Record struct Draw: Equatable { var n: Int } }
  @Schema(2, 0, 0) enum V2 { typealias Draw = V1.Draw }

  enum Before: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
  enum After: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Streams { _, origin in origin.stream == "a" ? .moves(to: "b") : .stays }
      }
    }
  }

  @Record struct Row: ProjectionRow {
    var stream: String
    var sum: Int
    var key: String { stream }
  }
  enum Sums<Schema: VersionedSchema>: Projection {
    typealias Event = Schema.Event
    static var name: String { "sums" }
    static var version: Int { 1 }
    static var tables: [ProjectionTable] { [.rows(Row.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      let n =
        switch entry.event {
        case let event as V1.Event: if case .draw(let draw) = event { draw.n } else { 0 }
        case let event as V2.Event: if case .draw(let draw) = event { draw.n } else { 0 }
        default: 0
        }
      let stream = entry.stream.text
      try rows.update(Row.self, stream, initial: Row(stream: stream, sum: 0)) { $0.sum += n }
    }
  }

  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// A store of ten events, in turn in two streams.
  private func filled() async throws -> EventStore<Before> {
    let store = try EventStore(at: place.url, plan: Before.self)
    for n in 1...10 { try await store.append([.draw(.init(n: n))], to: n % 2 == 0 ? "a" : "b") }
    return store
  }

  private func sums<Schema>(_ view: View<Sums<Schema>>) throws -> [String: Int] {
    Dictionary(uniqueKeysWithValues: try view.rows(RowQuery(Row.self)).map { ($0.stream, $0.sum) })
  }

  /// The rows once the view can be read: until it is built again, reads fail with `busy`.
  private func settled<Schema>(_ view: View<Sums<Schema>>) async throws -> [String: Int] {
    while true {
      do { return try sums(view) } catch let error as AnnalsError where error.code == .busy {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  private func viewFiles() throws -> Set<String> {
    let directory = place.url.appendingPathComponent("views")
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".mdb") })
  }

  @Test func `a view that was built without hidden events has them after a rollback`() async throws {
    let store = try await filled()
    try await store.truncate("a", before: 3)
    _ = try await store.log.compact().report()
    let view = try store.view(Sums<V1>.self)
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 18, "b": 25])
    _ = try EventLog.rollback(place.url)
    #expect(try await settled(view) == ["a": 30, "b": 25])
    #expect(try view.status().reason?.contains("rollback") == true)
    try await store.append([.draw(.init(n: 100))], to: "a")
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 130, "b": 25])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a view that is closed during the rollback is built again when it is opened`() async throws {
    do {
      let store = try await filled()
      try await store.truncate("a", before: 3)
      _ = try await store.log.compact().report()
      try await store.view(Sums<V1>.self).waitUntilCaughtUp()
    }
    _ = try EventLog.rollback(place.url)
    let store = try EventStore(at: place.url, plan: Before.self)
    let view = try store.view(Sums<V1>.self)
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 30, "b": 25])
  }

  @Test func `a rollback of a pass that changed nothing, or one that is refused, keeps views`() async throws {
    let store = try await filled()
    let view = try store.view(Sums<V1>.self)
    try await view.waitUntilCaughtUp()
    let files = try viewFiles()
    _ = try await store.log.compact().report()
    _ = try EventLog.rollback(place.url)
    #expect(try sums(view) == ["a": 30, "b": 25])
    try await store.truncate("a", before: 3)
    _ = try await store.log.compact().report()
    try await store.append([.draw(.init(n: 100))], to: "a")
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 130, "b": 25])
    #expect(try viewFiles() == files)
  }

  @Test func `after a rollback of a pass that moved streams, the older plan builds its view again`()
    async throws
  {
    do {
      let view = try await filled().view(Sums<V1>.self)
      try await view.waitUntilCaughtUp()
    }
    var options = StoreOptions()
    options.migration = .beforeOpen()
    let newer = try EventStore(at: place.url, plan: After.self, options: options)
    let moved = try newer.view(Sums<V2>.self)
    try await moved.waitUntilBuilt()
    #expect(try await settled(moved) == ["b": 55])
    _ = try EventLog.rollback(place.url)
    // Not before the newer program has tried to build it.
    let refusal = await #expect(throws: AnnalsError.self) { try await moved.waitUntilCaughtUp() }
    #expect(refusal?.code == .requiresPass)
    let error = #expect(throws: AnnalsError.self) { try sums(moved) }
    #expect(error?.code == .requiresPass)
    let store = try EventStore(at: place.url, plan: Before.self)
    let view = try store.view(Sums<V1>.self)
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 30, "b": 25])
    try await store.append([.draw(.init(n: 100))], to: "a")
    try await view.waitUntilCaughtUp()
    #expect(try sums(view) == ["a": 130, "b": 25])
  }
}
