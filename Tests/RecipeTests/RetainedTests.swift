import Annals
import AnnalsTesting
import Testing

/// Faxes stay in the log as they were stored, and no program of the new version reads them.
enum ArchivingClubPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Retain(\.faxReceived)
    }
  }
}

/// The pages of every fax in the log, even if the current plan no longer reads faxes.
func faxedPages(in log: EventLog) async throws -> [CBOR?] {
  var pages: [CBOR?] = []
  for try await entry in log.entries() where entry.type == "FaxReceived" {
    guard case .payload(let payload) = entry.content else { continue }
    pages.append(try payload.value["pages"])
  }
  return pages
}

@Suite struct RetainedTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [.faxReceived(.init(pages: 2)), .playerJoined(.init(name: "Ada", nickname: nil))], as: ClubV1.self)
    return place
  }

  // Promise P68.
  @Test func `a record that is retained is read raw, before a migration pass and after it`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: ArchivingClubPlan.self)
    #expect(try place.read(ArchivingClubPlan.self) == [.playerJoined(.init(name: "Ada"))])
    #expect(try await faxedPages(in: store.log) == [2])
    let report = try await store.migrate().report()
    #expect(report.retained.map(\.type) == ["FaxReceived"])
    #expect(report.dropped.isEmpty)
    #expect(try place.read(ArchivingClubPlan.self) == [.playerJoined(.init(name: "Ada"))])
    #expect(try await faxedPages(in: store.log) == [2])
    #expect(try await !store.migrate().report().isDone)
  }

  @Test func `a record that is dropped is gone after a migration pass`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: ClubPlan.self)
    #expect(try await faxedPages(in: store.log) == [2])
    #expect(try await store.migrate().report().dropped.map(\.type) == ["FaxReceived"])
    #expect(try await faxedPages(in: store.log) == [])
  }

  @Test func `samples read the same by every way with a record that is retained`() async throws {
    try await MigrationHarness(ArchivingClubPlan.self).check()
    try await Laws.pathIndependence(of: ArchivingClubPlan.self)
    try Given(ClubV1.Event.faxReceived(.init(pages: 2))).when(ArchivingClubPlan.self).thenRetained()
  }
}
