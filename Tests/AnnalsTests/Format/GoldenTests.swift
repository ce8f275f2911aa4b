import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// The bytes of format 1, as the first release wrote them, are read and written by today's library.
@Suite struct GoldenTests {
  @Test func `the kept store is read to the values that were written`() throws {
    let place = try GoldenStore.kept.copy()
    let log = try place.open(StoreOptions(creation: .never, trust: .nobody))
    #expect(log.id == GoldenStore.log)
    let entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    #expect(entries.map(\.position.rawValue) == Array(1...UInt64(GoldenStore.entries.count)))
    for (entry, expected) in zip(entries, GoldenStore.entries) {
      guard case .payload(let payload) = entry.content else {
        Issue.record("position \(entry.position) has no payload")
        continue
      }
      let found = GoldenStore.Expected(
        stream: entry.stream, revision: entry.revision.rawValue, type: entry.type, version: entry.version,
        time: entry.time.description, id: entry.id, metadata: entry.metadata, endsCall: entry.isEndOfCall,
        payload: try payload.value)
      #expect(found == expected)
    }
  }

  @Test func `the kept store is sound, and its counts are right`() throws {
    let place = try GoldenStore.kept.copy()
    let report = try EventLog.verify(place.url)
    #expect(report.isClean)
    #expect(report.entries == 20 && report.streams == 2)
    let info = try EventLog.inspect(place.url)
    #expect(info.id == GoldenStore.log)
    #expect(info.format == 1 && info.generation == 1 && info.entries == 20 && info.window == 64)
    #expect(info.schemas.map(\.ordinal) == [0, 1, 2])
    #expect(info.schemas.map(\.version) == [nil, SchemaVersion(1, 0, 0), SchemaVersion(2, 10, 300)])
    #expect(info.schemas.map(\.count) == [9, 10, 1])
    #expect(info.census.map(\.first.rawValue) == [1, 2, 20])
  }

  @Test func `today's library appends to the kept store`() async throws {
    let place = try GoldenStore.kept.copy()
    let log = try place.open()
    let done = try await log.append([.placed(1)], to: "order-1", expecting: .revision(17))
    #expect(done.positions == [21])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `every row of the kept store has the bytes that are written down`() throws {
    let place = try GoldenStore.kept.copy()
    #expect(try GoldenStore.dump(place.url) == String(contentsOf: GoldenStore.kept.rows, encoding: .utf8))
  }

  @Test func `today's writer gives every row the bytes that are written down`() async throws {
    let place = try TemporaryStore()
    try await GoldenStore.write(to: place.url)
    let rows = try String(contentsOf: GoldenStore.kept.rows, encoding: .utf8)
    #expect(try GoldenStore.dump(place.url) == GoldenStore.withJournal(rows))
  }

  @Test func `the kept store is small`() throws {
    #expect(try Data(contentsOf: GoldenStore.kept.log).count < 100 << 10)
  }

  // A format is written down once, when it is new: ANNALS_WRITE_GOLDEN=1 does it.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ANNALS_WRITE_GOLDEN"] != nil, "writes the kept store"))
  func `writes the kept store again`() async throws {
    let place = try TemporaryStore()
    try await GoldenStore.write(to: place.url)
    try GoldenStore.kept.keep(place.url)
  }
}
