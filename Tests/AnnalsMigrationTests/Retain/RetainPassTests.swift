import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// A migration pass over records that a stage retains, and what follows it.
@Suite struct RetainPassTests {
  private let v1 = SchemaVersion(1, 0, 0)
  private let v2 = SchemaVersion(2, 0, 0)
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func seed() async throws {
    let store = try EventStore(at: place.url, plan: FirstOffice.self)
    try await store.append(
      [
        NewEvent(
          .faxed(.init(pages: 3, sender: "Ada")), id: UUID(), metadata: ["by": "Ben"],
          time: Date(timeIntervalSince1970: 1_700_000_000)), NewEvent(.noted(.init(text: "a"))),
        NewEvent(.pinged(.init(n: 1))), NewEvent(.faxed(.init(pages: 1, sender: nil))),
      ], to: "desk")
  }

  @Test func `a pass copies the entry byte by byte, and a second one finds nothing to do`() async throws {
    try await seed()
    let store = try EventStore(at: place.url, plan: Office.self)
    let before = try [1, 4].map { try store.log.stored(at: $0) }
    var rehearsal = MigrationOptions()
    rehearsal.isRehearsal = true
    let retained = [MigrationReport.Retained(type: "Faxed", version: v1, count: 2)]
    #expect(try store.migrate(rehearsal).join().retained == retained)
    let report = try store.migrate().join()
    #expect(report.isDone)
    #expect(report.retained == retained)
    #expect(report.dropped == [.init(type: "Pinged", reason: "noise", count: 1)])
    #expect(try [1, 4].map { try store.log.stored(at: $0) } == before)
    #expect(try store.log.counts() == ["1.0.0 Faxed": 2, "2.0.0 Noted": 1])
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
    let again = try store.migrate().join()
    #expect(!again.isDone && again.retained == retained)
    var options = StoreOptions()
    options.migration = .refuse
    #expect(try EventStore(at: place.url, plan: Office.self, options: options).events().count == 1)
  }

  @Test func `a plan that begins after retained entries gets advice for them, which then helps`()
    async throws
  {
    try await seed()
    _ = try EventStore(at: place.url, plan: Office.self).migrate().join()
    func refusal<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> String {
      let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: plan) }
      #expect(error?.code == .storeTooOld)
      #expect(error?.details.kinds.map(\.type) == ["Faxed"])
      return error?.message ?? ""
    }
    let advice =
      "events that a 'Retain' of that plan keeps stay in this version after every pass, and need those schemas and stages in the plan"
    #expect(refusal(LaterOffice.self).hasSuffix("before it; \(advice)"))
    #expect(refusal(ReleasedOffice.self).hasSuffix("run a migration pass with that one first; \(advice)"))
    // A pass with the release that is named changes nothing, as the error says; its schemas and stages do.
    #expect(try !EventStore(at: place.url, plan: Office.self).migrate().join().isDone)
    #expect(refusal(ReleasedOffice.self).contains("Office 1.9 is the last release"))
    #expect(try EventStore(at: place.url, plan: Office.self).events().count == 1)
  }

  @Test func `a store of retained entries alone needs no pass`() async throws {
    try await EventStore(at: place.url, plan: FirstOffice.self)
      .append([.faxed(.init(pages: 1, sender: nil))], to: "desk")
    var options = StoreOptions()
    options.migration = .refuse
    let store = try EventStore(at: place.url, plan: Office.self, options: options)
    #expect(try store.events() == [])
    #expect(try !store.migrate().join().isDone)
  }

  @Test func `the generation before is there again after a rollback, with all that was dropped`() async throws
  {
    try await seed()
    do {
      let store = try EventStore(at: place.url, plan: Office.self)
      _ = try store.migrate().join()
    }
    _ = try EventLog.rollback(place.url)
    #expect(try EventStore(at: place.url, plan: FirstOffice.self).events().count == 4)
    #expect(try EventStore(at: place.url, plan: Office.self).events() == [.noted(.init(text: "a", by: nil))])
  }

  @Test func `a chain of a rule and a Retain keeps the entry in the version that it was stored in`()
    async throws
  {
    try await seed()
    let before = try EventLog(at: place.url).stored(at: 1)
    let second = try EventStore(at: place.url, plan: SecondPost.self)
    try await second.append([.received(.init(sheets: 9))], to: "desk")
    let store = try EventStore(at: place.url, plan: Post.self)
    let wanted: [PostV3.Event] = [.noted(.init(text: "a", by: nil))]
    #expect(try store.events() == wanted)
    let report = try store.migrate().join()
    #expect(
      report.retained == [
        .init(type: "Faxed", version: v1, count: 2), .init(type: "Received", version: v2, count: 1),
      ])
    #expect(try store.log.stored(at: 1) == before)
    #expect(try store.events() == wanted)
    #expect(try !store.migrate().join().isDone)
    let dump = try store.log.dump(Post.self, as: v2).filter { $0.contains("\"Received\"") }
    #expect(dump.count == 3, "\(dump)")
    #expect(dump.first?.contains(#""sheets":2"#) == true, "\(dump)")
    let explanation = try store.explain(1)
    #expect(
      explanation.steps.map { $0.crossings.map(\.fate.outcome) } == [
        [.upcast(into: ["Received"])], [.retained],
      ])
  }

  @Test func `a pass to the version before the Retain creates the events of that version`() async throws {
    try await seed()
    _ = try EventStore(at: place.url, plan: SecondPost.self).migrate().join()
    let store = try EventStore(at: place.url, plan: Post.self)
    let before = try store.log.stored(at: 1)
    let report = try store.migrate().join()
    #expect(report.retained == [.init(type: "Received", version: v2, count: 2)])
    #expect(try store.log.stored(at: 1) == before)
    #expect(try store.log.counts() == ["2.0.0 Received": 2, "3.0.0 Noted": 1])
  }

  @Test func `later appends of an older version are retained by the next pass`() async throws {
    try await seed()
    _ = try EventStore(at: place.url, plan: Office.self).migrate().join()
    // By name, which is a kind of its own.
    try await EventLog(at: place.url).append(
      [
        NewEntry(type: "Faxed", version: v1, payload: try Payload(["pages": 7])),
        NewEntry(type: "Noted", version: v1, payload: try Payload(["text": "late"])),
      ], to: "desk")
    let store = try EventStore(at: place.url, plan: Office.self)
    let report = try store.migrate().join()
    #expect(report.isDone && report.retained == [.init(type: "Faxed", version: v1, count: 3)])
    #expect(try store.log.counts() == ["1.0.0 Faxed": 3, "2.0.0 Noted": 2])
  }

  @Test func `a contraction lists retained events, loses none, and needs no confirmation for them`()
    async throws
  {
    try await EventStore(at: place.url, plan: FirstOffice.self)
      .append([.faxed(.init(pages: 1, sender: nil)), .noted(.init(text: "a"))], to: "desk")
    let store = try EventStore(at: place.url, plan: Office.self)
    _ = try store.migrate().join()
    let report = try store.contract(.init(isRehearsal: true))
    #expect(report.older.isEmpty && report.dropped.isEmpty && !report.hasLosses)
    #expect(report.retained.map(\.type) == ["Faxed"] && report.retained.map(\.count) == [1])
    #expect("\(report)".contains("retained     1 'Faxed' of version 1.0.0, as they are stored"), "\(report)")
    #expect(try store.contract().isContracted)
    #expect(try store.events().count == 1)
    #expect(try store.log.dump(Office.self, as: v1).count == 2)
    #expect(try store.log.counts()["1.0.0 Faxed"] == 1)
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }

  @Test func `a check of a store names the retained entries`() async throws {
    try await seed()
    let check = try Office.check(store: place.url)
    #expect(check.opens && check.raisable == v1)
    #expect(check.kinds.map(\.retainedBy) == [v2, nil, nil])
    #expect(check.stages.map(\.events) == [4])
    #expect(
      "\(check)".contains(
        "Faxed 1.0.0: 2 events, the first at position 1, through 2.0.0, retained as raw by the stage to 2.0.0"
      ),
      "\(check)")
    _ = try EventStore(at: place.url, plan: Office.self).migrate().join()
    let after = try Office.check(store: place.url)
    #expect(after.opens && after.raisable == v1)
  }

  @Test func `an entry that an earlier pass has set aside is retained, too`() async throws {
    try await EventStore(at: place.url, plan: FirstOffice.self)
      .append([.faxed(.init(pages: -1, sender: nil)), .noted(.init(text: "a"))], to: "desk")
    var options = MigrationOptions()
    options.unreadable = .quarantine
    let second = try EventStore(at: place.url, plan: SecondPost.self)
    #expect(try second.migrate(options).join().quarantined == 1)
    let store = try EventStore(at: place.url, plan: Post.self)
    let report = try store.migrate().join()
    #expect(report.quarantined == 0)
    #expect(report.retained == [.init(type: "Faxed", version: v1, count: 1)])
    #expect(try !store.migrate().join().isDone)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `events without a version stay without one`() async throws {
    try await EventLog(at: place.url).append(
      [
        NewEntry(type: "Faxed", version: nil, payload: try Payload(["pages": 2])),
        NewEntry(type: "Noted", version: nil, payload: try Payload(["text": "a"])),
      ], to: "desk")
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: AdoptingOffice.self, options: options)
    let before = try store.log.stored(at: 1)
    #expect(try store.migrate().join().retained == [.init(type: "Faxed", version: nil, count: 1)])
    #expect(try store.log.stored(at: 1) == before)
    #expect(try store.events() == [.noted(.init(text: "a", by: nil))])
    #expect(try !store.migrate().join().isDone)
  }
  enum AdoptingOffice: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, OfficeV2> { Office.toSecond }
    static var unversioned: UnversionedEvents { .adopt(as: OfficeV1.self) }
  }
}

/// Begins after the version of the faxes.
private enum LaterOffice: SchemaMigrationPlan {
  static var stages: MigrationChain<OfficeV2, OfficeV2> {}
}

/// Says which release still had that version.
private enum ReleasedOffice: SchemaMigrationPlan {
  static var stages: MigrationChain<OfficeV2, OfficeV2> {}
  static var lastReleases: [SchemaVersion: String] { [SchemaVersion(1, 0, 0): "Office 1.9"] }
}
