import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// What the check of a plan and the lock file say of Retain.
@Suite struct RetainCheckTests {
  private let folder: TemporaryStore
  private let file: LockFile

  init() throws {
    folder = try TemporaryStore()
    file = LockFile(url: folder.directory.appendingPathComponent("Office.lock"))
  }

  @Test func `the report names the rule`() {
    let check = PlanCheck(of: Office.self)
    #expect(check.errors.isEmpty)
    #expect(
      "\(check)".contains(
        "- Faxed  Retain, stays in the log as it is stored  (custom; new reads old: skipped, kept as raw; old reads new: -)"
      ), "\(check)")
    #expect(check.stages[0].records.first { $0.name == "Faxed" }?.outcome == .retained)
  }

  @Test func `the lock has a line for it, in a form of its own`() throws {
    _ = try Office.check(file, isRecording: true)
    let text = try String(contentsOf: file.url, encoding: .utf8)
    #expect(text.hasPrefix("annals plan lock 3\n"))
    #expect(text.contains("    takes Faxed\n      retained\n      behaviour -\n"), "\(text)")
    #expect(try LockParser.parse(Array(text.utf8)).text == text)
    #expect(try Office.check(file, isRecording: false).findings.filter { $0.severity != .note } == [])
    let damaged = text.replacingOccurrences(of: "      retained\n", with: "      retained x\n")
    #expect(throws: LockFailure.self) { try LockParser.parse(Array(damaged.utf8)) }
    // The form that knows no such line.
    let older = text.replacingOccurrences(of: "annals plan lock 3", with: "annals plan lock 1")
    #expect(throws: LockFailure.self) { try LockParser.parse(Array(older.utf8)) }
  }

  @Test func `a plan without it keeps the form that it had`() throws {
    _ = try DroppingOffice.check(file, isRecording: true)
    #expect(try String(contentsOf: file.url, encoding: .utf8).hasPrefix("annals plan lock 1\n"))
  }

  @Test func `a Retain that becomes a Drop after the release is found, and the other way round`() throws {
    _ = try Office.check(file, isRecording: true)
    let dropped = #expect(throws: AnnalsError.self) { try DroppingOffice.check(file, isRecording: false) }
    #expect(
      dropped?.message.contains("retained 'Faxed' when it was released, and does not now") == true,
      "\(String(describing: dropped))")
    try FileManager.default.removeItem(at: file.url)
    _ = try DroppingOffice.check(file, isRecording: true)
    let retained = #expect(throws: AnnalsError.self) { try Office.check(file, isRecording: false) }
    #expect(
      retained?.message.contains("did not retain 'Faxed' when it was released, and does now") == true,
      "\(String(describing: retained))")
  }

  @Test func `the two plans have different marks`() throws {
    #expect(
      try PlanMark.of(CompiledPlan(Office.self)) != PlanMark.of(CompiledPlan(DroppingOffice.self)))
  }

  // A rule that names no outputs, before a stage that retains one of them.
  enum Loose: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, PostV3> {
      MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: PostV2.self) {
        Upcast(\.faxed, to: \.received) { old, _ in .init(sheets: old.pages) }
        Upcast(\.pinged) { old, _ in
          old.n == 0 ? .noted(.init(text: "zero")) : .received(.init(sheets: old.n))
        }
      }
      MigrationStage.custom(fromVersion: PostV2.self, toVersion: PostV3.self) {
        Retain(\.received)
        Drop(\.sealed, reason: "no seals")
      }
    }
  }

  @Test func `a rule that names no outputs must make nothing that is retained later`() async throws {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: FirstOffice.self)
    try await first.append([.pinged(.init(n: 0)), .faxed(.init(pages: 1, sender: nil))], to: "desk")
    let store = try EventStore(at: place.url, plan: Loose.self)
    #expect(try store.events() == [.noted(.init(text: "zero", by: nil))])
    try await EventLog(at: place.url).append(
      [NewEntry(type: "Pinged", version: SchemaVersion(1, 0, 0), payload: try Payload(["n": 3]))], to: "desk")
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 3)
    #expect(error?.message.contains("write Drop instead of Retain") == true, "\(String(describing: error))")
    // It is never lost by a pass either.
    let pass = #expect(throws: AnnalsError.self) { try store.migrate().join() }
    #expect(pass?.code == .ruleFailed)
  }

  // A fold makes one event of several entries, so that none of them is kept whole.
  @Schema(2, 0, 0) enum Folded2 {
    typealias Noted = OfficeV1.Noted
    @Record struct Batch: Equatable { var pages: Int }
  }
  enum Folding: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, PostV3> {
      MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: Folded2.self) {
        Fold(\.faxed, into: \.batch, grouping: { old, _ in old.sender }, from: 0) { sum, old, _ in
          sum += old.pages
        } result: { sum, _ in
          .init(pages: sum)
        }
        Drop(\.pinged, reason: "noise")
      }
      MigrationStage.custom(fromVersion: Folded2.self, toVersion: PostV3.self) { Retain(\.batch) }
    }
  }

  @Test func `the result of a fold cannot be retained`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(Folding.self) }
    #expect(error?.code == .invalidPlan)
    #expect(
      error?.message.contains("makes 'Batch' of 'Faxed'") == true
        && error?.message.contains("never by a Fold") == true, "\(String(describing: error))")
  }

  // The name comes back.
  @Schema(3, 0, 0) enum Again3 {
    typealias Noted = OfficeV2.Noted
    @Record struct Faxed: Equatable {
      var pages: Int
      var sender: String?
    }
  }
  @Schema(3, 0, 0) enum Changed3 {
    typealias Noted = OfficeV2.Noted
    @Record struct Faxed: Equatable { var pages: String }
  }
  enum Again: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, Again3> {
      Office.toSecond
      MigrationStage.lightweight(fromVersion: OfficeV2.self, toVersion: Again3.self)
    }
  }
  enum Changed: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, Changed3> {
      Office.toSecond
      MigrationStage.lightweight(fromVersion: OfficeV2.self, toVersion: Changed3.self)
    }
  }

  @Test func `a record of the same name and shape is a new one, and the retained ones stay retained`()
    async throws
  {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: FirstOffice.self)
      .append([.faxed(.init(pages: 1, sender: nil))], to: "desk")
    let store = try EventStore(at: place.url, plan: Again.self)
    try await store.append([.faxed(.init(pages: 2, sender: nil))], to: "desk")
    let first = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()?.position
    }
    #expect(first == 2)
    #expect(try !store.migrate().join().isDone)
    // A program of the first version would take the new one for its own.
    #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: FirstOffice.self).events() }
  }

  @Test func `a field of it may not come back with another type`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(Changed.self) }
    #expect(error?.message.contains("a field of a reserved name") == true, "\(String(describing: error))")
  }
}
