import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// 43 versions of declared names, as a chain of 42 stages over records without their Swift types.
@Suite(.enabled(if: SharedData.isThere, "the material lies beside the package and is no part of it"))
struct TelemetryTests {
  private static let kinds: [(type: String, sections: [String])] = [
    ("ResourceSeen", ["all", "resources"]), ("SpanEnded", ["all", "spans"]), ("LogWritten", ["all"]),
  ]

  private func fold() throws -> TelemetryFold {
    try TelemetryFold(SharedData.folder.appending(path: TelemetryRenames.file))
  }

  /// An event of `type` with one attribute, whose value is its name at the time of the append.
  private func entry(_ type: String, _ version: SchemaVersion?, _ name: String) throws -> NewEntry {
    let tree: CBOR = ["attributes": .map([.init(.text(name), .text(name))]), "at": 1.5]
    return NewEntry(type: type, version: version, payload: try Payload(tree))
  }

  @Test func `the plan has the versions of the file, oldest first`() throws {
    let versions = TelemetryPlan.stages.outline.schemas.map(\.version.description)
    #expect(versions.count == 43)
    #expect(try versions == fold().numbers)
  }

  @Test
  func `an attribute has the name that the declared renames give, regardless of its stored version`()
    async throws
  {
    let fold = try fold()
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    var expected: [(type: String, stored: String, name: String)] = []
    var renamed = 0
    let store = try EventStore(at: place.url, plan: TelemetryPlan.self)
    for (number, version) in fold.numbers.enumerated() {
      if number == 21 {
        // What is there by then is rewritten to a version in the middle.
        let middle = try #require(SchemaVersion(fold.numbers[20]))
        #expect(try await store.migrate(to: middle).report().isDone)
      }
      var entries: [NewEntry] = []
      for (type, sections) in Self.kinds {
        for name in fold.changed(sections) {
          entries.append(try entry(type, SchemaVersion(version), name))
          expected.append((type, name, fold.today(name, from: number, sections)))
          renamed += expected[expected.count - 1].name == name ? 0 : 1
        }
      }
      try await log.append(entries, to: "telemetry")
    }
    #expect(renamed > 5_000)
    try expect(expected, of: store)
    #expect(try await store.migrate().report().isDone)
    try expect(expected, of: store)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try await !store.migrate().report().isDone)
  }

  private func expect(
    _ expected: [(type: String, stored: String, name: String)], of store: EventStore<TelemetryPlan>
  ) throws {
    var number = 0
    var wrong: [String] = []
    try store.read { (snapshot) throws in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let (type, tree) =
          switch entry.event {
          case .resourceSeen(let record): ("ResourceSeen", record.tree)
          case .spanEnded(let record): ("SpanEnded", record.tree)
          case .logWritten(let record): ("LogWritten", record.tree)
          case .heartbeat(let record): ("Heartbeat", record.tree)
          }
        let (wanted, stored, name) = expected[number]
        if type != wanted || tree != ["attributes": .map([.init(.text(name), .text(stored))]), "at": 1.5] {
          wrong.append("\(entry.position): \(wanted), \(name)")
        }
        number += 1
      }
    }
    #expect(number == expected.count)
    #expect(wrong == [])
  }

  @Test func `records that no rule takes pass all stages unchanged`() async throws {
    let place = try TemporaryStore()
    try await EventLog(at: place.url).append(
      [try entry("Heartbeat", SchemaVersion(1, 4, 0), "http.method")], to: "telemetry")
    let events = try EventStore(at: place.url, plan: TelemetryPlan.self).events()
    guard case .heartbeat(let record)? = events.first else { throw Missing() }
    #expect(record.tree["attributes"] == ["http.method": "http.method"])
  }

  struct Missing: Error {}
}
