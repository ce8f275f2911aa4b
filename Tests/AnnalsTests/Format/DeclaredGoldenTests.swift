import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Declared kinds, a context, an activated version, a draft and adopted events without a version.
///
/// All are as the first release wrote them.
@Suite struct DeclaredGoldenTests {
  // Promise P138.
  @Test(arguments: DeclaredGoldenStore.all)
  func `the kept store is read through a plan to the events that are written down`(kept: KeptStore) throws {
    let place = try kept.copy()
    let store = try EventStore(
      at: place.url, plan: GoldenPlan3.self, options: StoreOptions(creation: .never, trust: .nobody))
    #expect(store.log.id == GoldenStore.log)
    let found = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var found: [DeclaredGoldenStore.Expected] = []
      while let entry = try entries.next() {
        found.append(
          DeclaredGoldenStore.Expected(
            position: entry.position.rawValue, path: entry.path, stream: entry.stream,
            revision: entry.revision.rawValue, time: entry.timestamp.description, id: entry.id,
            metadata: entry.metadata, event: entry.event))
      }
      return found
    }
    #expect(found == DeclaredGoldenStore.events)
  }

  @Test(arguments: DeclaredGoldenStore.all)
  func `the kept store is read without a plan to the names that are written down`(kept: KeptStore) throws {
    let place = try kept.copy()
    let log = try place.open(StoreOptions(creation: .never, trust: .nobody))
    let entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    let found = try entries.map { entry in
      guard case .payload(let payload) = entry.content else { throw Missing() }
      return DeclaredGoldenStore.Stored(type: entry.type, version: entry.version, payload: try payload.value)
    }
    #expect(found == DeclaredGoldenStore.stored)
  }

  @Test(arguments: DeclaredGoldenStore.all)
  func `the kept store is sound, and its counts are right`(kept: KeptStore) throws {
    let place = try kept.copy()
    let report = try EventLog.verify(place.url)
    #expect(report.isClean)
    #expect(report.entries == 10 && report.streams == 3)
    let info = try EventLog.inspect(place.url)
    #expect(
      info.schemas.map(\.version) == [
        nil, SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0),
      ])
    #expect(info.schemas.map(\.count) == [2, 4, 2, 2])
    #expect(info.census.map(\.isByShape) == [false, false, true, true, true, true, true, true, true])
  }

  @Test(arguments: DeclaredGoldenStore.all)
  func `activated versions of the kept store need no activation, and older programs do not read a draft`(
    kept: KeptStore
  ) async throws {
    let place = try kept.copy()
    for _ in 0..<2 {
      let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: GoldenPlan2.self) }
      #expect(error?.code == .newerSchema)
      #expect(error?.details.kinds.prefix(2).map(\.firstPosition) == [9, 10])
      let current = try EventStore(at: place.url, plan: GoldenPlan3.self)
      try await current.append([.visited(.init(n: 2))], to: "visits")
    }
    #expect(try EventLog.inspect(place.url).requires.sorted() == ["readers", "times"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: DeclaredGoldenStore.all)
  func `every row of the kept store has the bytes that are written down`(kept: KeptStore) throws {
    let place = try kept.copy()
    #expect(
      try GoldenStore.dump(place.url) == String(contentsOf: kept.rows, encoding: .utf8))
  }

  @Test func `today's programs give every row the bytes that are written down`() async throws {
    let place = try TemporaryStore()
    try await DeclaredGoldenStore.write(to: place.url)
    let rows = try String(contentsOf: DeclaredGoldenStore.noted.rows, encoding: .utf8)
    #expect(try GoldenStore.dump(place.url) == GoldenStore.withJournal(rows, requiring: [.readers]))
  }

  // A kept store is written once, when what it holds is new: ANNALS_WRITE_GOLDEN=1 does it.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ANNALS_WRITE_GOLDEN"] != nil, "writes the kept store"))
  func `writes the kept store again`() async throws {
    let place = try TemporaryStore()
    try await DeclaredGoldenStore.write(to: place.url)
    try DeclaredGoldenStore.noted.keep(place.url)
  }

  struct Missing: Error {}
}
