import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

@Schema(1, 0, 0) enum LabelsV1 {
  @Record struct TagInserted: Equatable { var primaryKey: Int; var text: String }
  @Record struct TagUpdated: Equatable { var primaryKey: Int; var text: String }
  @Record struct TagDeleted: Equatable { var primaryKey: Int }
}

@Schema(2, 0, 0) enum LabelsV2 {
  @Record(formerly: ["TagInserted"]) struct LabelAdded: Equatable {
    var primaryKey: Int
    @Field(originalName: "text") var name: String
  }
  typealias TagUpdated = LabelsV1.TagUpdated
  typealias TagDeleted = LabelsV1.TagDeleted
}

enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LabelsV1, LabelsV1> {}
}

enum SecondPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LabelsV1, LabelsV2> {
    MigrationStage.lightweight(fromVersion: LabelsV1.self, toVersion: LabelsV2.self)
  }
}

extension LabelsV1.Event: Equatable {}
extension LabelsV2.Event: Equatable {}

/// An app that has moved in: it appends with its plan while the old file is imported again.
struct MovedAppTests {
  @Test func `imports between appends of the app read in its plan, and in its next version`() async throws {
    let source = try ReadingTests.blog()
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    func imports() throws -> SwiftDataImportReport {
      try source.imports(into: log) { $0.entities = $0.entities.filter { $0.entity == "Tag" } }
    }
    #expect(try imports().inserted == 3)
    let first = try EventStore(at: place.url, plan: FirstPlan.self)
    try await first.append([.tagUpdated(.init(primaryKey: 1, text: "by the app"))], to: "tag-1")
    try source.run("UPDATE ZTAG SET ZTEXT = 'again' WHERE Z_PK = 1; DELETE FROM ZTAG WHERE Z_PK = 3")
    let report = try imports()
    #expect(report.updated == 1 && report.deleted == 1)
    #expect(
      try Self.events(first) == [
        .tagInserted(.init(primaryKey: 1, text: "x")), .tagInserted(.init(primaryKey: 2, text: "y")),
        .tagInserted(.init(primaryKey: 3, text: "z")),
        .tagUpdated(.init(primaryKey: 1, text: "by the app")),
        .tagUpdated(.init(primaryKey: 1, text: "again")), .tagDeleted(.init(primaryKey: 3)),
      ])
    // The next release renames record and field, and the old file is still imported under version 1.0.0.
    let second = try EventStore(at: place.url, plan: SecondPlan.self)
    try await second.append([.labelAdded(.init(primaryKey: 9, name: "new"))], to: "tag-9")
    try source.run("INSERT INTO ZTAG VALUES (4, 5, 1, 'late')")
    #expect(try imports().inserted == 1)
    let events = try Self.events(second)
    #expect(events.first == .labelAdded(.init(primaryKey: 1, name: "x")))
    #expect(events.last == .labelAdded(.init(primaryKey: 4, name: "late")))
    #expect(events.count == 8)
  }

  private static func events<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>
  ) throws -> [Plan.Current.Event] {
    try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }
}
