import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// What programs of older versions read follows from the plan that wrote an event, not from name and shape.
@Suite struct OldestReaderTests {
  @Test
  func `an older program does not read the result of a rule, with the same name and shape, after a pass`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.noted(.init(text: "a")), .kept(.init(n: 1))], as: Notes1.self)
    let open = try EventStore(at: place.url, plan: OneSchema<Notes1>.self)
    let newer = try EventStore(at: place.url, plan: NotePlan.self)
    #expect(try await newer.migrate().report().isDone)
    #expect(try newer.events() == [.noted(.init(text: "new a")), .kept(.init(n: 1))])
    let error = #expect(throws: AnnalsError.self) { try open.events() }
    #expect(error?.code == .newerSchema)
    let refusal = try place.refusal(of: OneSchema<Notes1>.self)
    #expect(refusal?.details.kinds.map(\.type) == ["Noted"])
    #expect(refusal?.message.contains("2.0.0 is the lowest version that can read the events") == true)
    let dump = #expect(throws: AnnalsError.self) {
      try EventLines(newer.log, plan: NotePlan.self, as: SchemaVersion(1, 0, 0))
    }
    #expect(dump?.code == .newerSchema)
    #expect(dump?.details.position == 1)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a new field with the old name of a renamed one is not read as that`() async throws {
    let place = try TemporaryStore()
    try await place.write([.added(.init(name: "first"))], as: Titles1.self)
    try await place.write([.added(.init(title: "second"))], through: TitlePlan2.self)
    // A field that has another name is mapped back.
    #expect(
      try place.read(OneSchema<Titles1>.self) == [
        .added(.init(name: "first")), .added(.init(name: "second")),
      ])
    try await place.write([.added(.init(title: "third", name: "wrong"))], through: TitlePlan3.self)
    #expect(try place.refusal(of: OneSchema<Titles1>.self)?.code == .newerSchema)
    #expect(try place.read(TitlePlan2.self).last == .added(.init(title: "third")))
  }

  @Test func `a renamed field is found while later versions keep its original name`() async throws {
    let place = try TemporaryStore()
    try await place.write([.added(.init(title: "a", note: "b"))], through: KeptTitlePlan.self)
    #expect(try place.read(OneSchema<Titles1>.self) == [.added(.init(name: "a"))])
    let (v1, v3) = (SchemaVersion(1, 0, 0), SchemaVersion(3, 0, 0))
    #expect(PlanCheck(of: KeptTitlePlan.self).records(of: v3, readableBy: v1) == ["Added", "Kept"])
    #expect(PlanCheck(of: LostTitlePlan.self).records(of: v3, readableBy: v1) == ["Kept"])
  }

  @Test func `a new record with the name of a dropped one is not read as that`() async throws {
    let place = try TemporaryStore()
    try await place.write([.faxed(.init(number: 1)), .called(.init(number: 2))], as: Calls1.self)
    try await place.write([.faxed(.init(number: 3)), .called(.init(number: 4))], through: CallPlan.self)
    let refusal = try place.refusal(of: OneSchema<Calls1>.self)
    #expect(refusal?.code == .newerSchema)
    #expect(refusal?.details.kinds.map(\.type) == ["Faxed"])
    // What the version between has no record for is one of a newer type.
    #expect(try place.refusal(of: CallPlanBetween.self)?.code == .newerSchema)
    #expect(
      try place.read(CallPlan.self) == [
        .called(.init(number: 2)), .faxed(.init(number: 3)), .called(.init(number: 4)),
      ])
  }

  @Test func `a newer type is not passed over where the older program has a record of its name`() async throws
  {
    let place = try TemporaryStore()
    try await place.write([.faxed(.init(number: 3))], through: CallPlan.self)
    var options = StoreOptions()
    options.newerTypes = .skip
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: OneSchema<Calls1>.self, options: options)
    }
    #expect(error?.code == .newerSchema)
  }

  @Test func `a kind has the oldest version that reads it, in its row and in its first entry`() async throws {
    let place = try TemporaryStore()
    try await place.write([.noted(.init(text: "a")), .kept(.init(n: 1))], through: NotePlan.self)
    let log = try EventLog(at: place.url)
    let oldest = try log.read { (snapshot) throws(AnnalsError) in
      snapshot.kinds.kinds.values.sorted { $0.number < $1.number }.map(\.row.oldestReader)
    }
    #expect(oldest == [SchemaVersion(2, 0, 0), SchemaVersion(1, 0, 0)])
    #expect(
      try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "readers", "times"])
    #expect(try EventLog.verify(place.url).isClean)
    #expect(StoreMeta.Requirement.readers.isForReading)
  }

  @Test func `a store by name alone needs nothing but the journal that an older library does not know`()
    async throws
  {
    let place = try TemporaryStore()
    try await EventLog(at: place.url).append(
      [NewEntry(type: "Noted", version: SchemaVersion(1, 0, 0), payload: Payload(.map([])))], to: "all")
    #expect(try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "times"])
  }

  @Test func `kinds without a word are read by their own version, and get it from the next plan that writes`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let form = try StoredForm(Titles2.Added(title: "x"), in: Titles2.self)
    let kept = try StoredForm(Titles2.Kept(n: 1), in: Titles2.self)
    try await log.append([(form: form, origin: Origin.first), (form: kept, origin: Origin.first)])
    #expect(try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "times"])
    let refusal = try place.refusal(of: OneSchema<Titles1>.self)
    #expect(refusal?.code == .newerSchema)
    #expect(refusal?.message.contains("its next append notes which older versions can") == true)
    #expect(try place.read(TitlePlan2.self) == [.added(.init(title: "x")), .kept(.init(n: 1))])
    #expect(try place.read(TitlePlan3.self).count == 2)
    let before = try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds.epoch }
    for number in 2...3 { try await place.write([.kept(.init(n: number))], through: TitlePlan2.self) }
    let after = try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds.epoch }
    #expect(after == before + 1)
    #expect(
      try place.read(OneSchema<Titles1>.self) == [
        .added(.init(name: "x")), .kept(.init(n: 1)), .kept(.init(n: 2)), .kept(.init(n: 3)),
      ])
    #expect(
      try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "readers", "times"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a program that has the store open reads a kind as soon as a later append allows it`()
    async throws
  {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: OneSchema<Titles1>.self)
    try await older.append([.kept(.init(n: 0))], to: "all")
    let form = try StoredForm(Titles2.Added(title: "x"), in: Titles2.self)
    try await older.log.append([(form: form, origin: Origin.first)])
    #expect(throws: AnnalsError.self) { try older.events() }
    try await place.write([.kept(.init(n: 1))], through: TitlePlan2.self)
    #expect(try older.events() == [.kept(.init(n: 0)), .added(.init(name: "x")), .kept(.init(n: 1))])
  }

  @Test func `a pass records which versions read its entries, and keeps earlier records`() async throws {
    let place = try TemporaryStore()
    try await place.write([.added(.init(name: "a")), .kept(.init(n: 1))], as: Titles1.self)
    let newer = try EventStore(at: place.url, plan: TitlePlan2.self)
    #expect(try await newer.migrate().report().isDone)
    #expect(try place.read(OneSchema<Titles1>.self) == [.added(.init(name: "a")), .kept(.init(n: 1))])
    #expect(try await newer.log.compact().report().isDone)
    #expect(try place.read(OneSchema<Titles1>.self) == [.added(.init(name: "a")), .kept(.init(n: 1))])
    #expect(
      try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "readers", "times"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  // Promise P72.
  @Test func `the check says which events older versions read, across all versions`() {
    let check = PlanCheck(of: TitlePlan3.self)
    let (v1, v2, v3) = (SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0))
    #expect(check.records(of: v2, readableBy: v1) == ["Added", "Kept"])
    #expect(check.records(of: v3, readableBy: v1) == ["Kept"])
    #expect(check.records(of: v3, readableBy: v2) == ["Added", "Kept"])
    #expect(
      check.description.contains(
        """
        what older programs read
          2.0.0: all records, from 1.0.0 on
          3.0.0: Added from 2.0.0 on (older programs would take one field for another, or miss one); Kept from 1.0.0 on
        """))
    let calls = PlanCheck(of: CallPlan.self)
    #expect(calls.records(of: v3, readableBy: v1) == ["Called"])
    #expect(
      PlanCheck(of: NotePlan.self).readers.last { $0.record == "Noted" }?.reason
        == "a rule takes the older record")
  }
}

extension Origin {
  fileprivate static var first: Origin {
    Origin(
      position: 1, stream: "all", revision: 0, timestamp: .now, id: nil, metadata: [:],
      log: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
  }
}

@Schema(1, 0, 0) private enum Notes1 {
  @Record fileprivate struct Noted: Equatable { var text: String }
  @Record fileprivate struct Kept: Equatable { var n: Int }
}
@Schema(2, 0, 0) private enum Notes2 {
  typealias Noted = Notes1.Noted
  typealias Kept = Notes1.Kept
}
private enum NotePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Notes1, Notes2> {
    MigrationStage.custom(fromVersion: Notes1.self, toVersion: Notes2.self) {
      Upcast(\.noted, to: \.noted) { old, _ in .init(text: "new \(old.text)") }
    }
  }
}

@Schema(1, 0, 0) private enum Titles1 {
  @Record fileprivate struct Added: Equatable { var name: String }
  @Record fileprivate struct Kept: Equatable { var n: Int }
}
@Schema(2, 0, 0) private enum Titles2 {
  @Record fileprivate struct Added: Equatable { @Field(originalName: "name") var title: String }
  typealias Kept = Titles1.Kept
}
@Schema(3, 0, 0) private enum Titles3 {
  @Record fileprivate struct Added: Equatable {
    var title: String
    var name: String?
  }
  typealias Kept = Titles1.Kept
}
@Schema(3, 0, 0) private enum KeptTitles {
  @Record fileprivate struct Added: Equatable {
    @Field(originalName: "name") var title: String
    var note: String?
  }
  typealias Kept = Titles1.Kept
}
@Schema(3, 0, 0) private enum LostTitles {
  @Record fileprivate struct Added: Equatable {
    var title: String
    var note: String?
  }
  typealias Kept = Titles1.Kept
}
private enum KeptTitlePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Titles1, KeptTitles> {
    MigrationStage.lightweight(fromVersion: Titles1.self, toVersion: Titles2.self)
    MigrationStage.lightweight(fromVersion: Titles2.self, toVersion: KeptTitles.self)
  }
}
private enum LostTitlePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Titles1, LostTitles> {
    MigrationStage.lightweight(fromVersion: Titles1.self, toVersion: Titles2.self)
    MigrationStage.lightweight(fromVersion: Titles2.self, toVersion: LostTitles.self)
  }
}
private enum TitlePlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<Titles1, Titles2> {
    MigrationStage.lightweight(fromVersion: Titles1.self, toVersion: Titles2.self)
  }
}
private enum TitlePlan3: SchemaMigrationPlan {
  static var stages: MigrationChain<Titles1, Titles3> {
    MigrationStage.lightweight(fromVersion: Titles1.self, toVersion: Titles2.self)
    MigrationStage.lightweight(fromVersion: Titles2.self, toVersion: Titles3.self)
  }
}

@Schema(1, 0, 0) private enum Calls1 {
  @Record fileprivate struct Faxed: Equatable { var number: Int }
  @Record fileprivate struct Called: Equatable { var number: Int }
}
@Schema(2, 0, 0) private enum Calls2 {
  typealias Called = Calls1.Called
}
@Schema(3, 0, 0) private enum Calls3 {
  @Record fileprivate struct Faxed: Equatable { var number: Int }
  typealias Called = Calls1.Called
}
private enum CallPlanBetween: SchemaMigrationPlan {
  static var stages: MigrationChain<Calls1, Calls2> {
    MigrationStage.custom(fromVersion: Calls1.self, toVersion: Calls2.self) {
      Drop(\.faxed, reason: "there is no fax any more")
    }
  }
}
private enum CallPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Calls1, Calls3> {
    MigrationStage.custom(fromVersion: Calls1.self, toVersion: Calls2.self) {
      Drop(\.faxed, reason: "there is no fax any more")
    }
    MigrationStage.lightweight(fromVersion: Calls2.self, toVersion: Calls3.self)
  }
}

extension Notes1.Event: Equatable {}
extension Notes2.Event: Equatable {}
extension Titles1.Event: Equatable {}
extension Titles2.Event: Equatable {}
extension Calls3.Event: Equatable {}
