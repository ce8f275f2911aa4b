import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Imports after migration passes that have dropped imported events.
struct ImportAfterPassTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// Rewrites the store with a plan, and closes it again.
  private func pass<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) async throws {
    _ = try await EventStore(at: place.url, plan: plan).migrate().report()
  }

  /// Imports the tags of a file.
  private func imports(
    _ source: SourceFile, _ change: (inout SwiftDataMapping) -> Void = { _ in }
  ) throws -> SwiftDataImportReport {
    try source.imports(into: EventLog(at: place.url)) { mapping in
      mapping.entities.removeAll { $0.entity != "Tag" }
      change(&mapping)
    }
  }

  private static func tags(hasHistory: Bool = false) throws -> SourceFile {
    let source = try SourceFile(
      entities: [(5, "Tag", 0)],
      "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);",
      model: ModelArchive.bytes([.init(name: "Tag", attributes: [.init(name: "text", type: 700)])]))
    if hasHistory { try source.addHistory() }
    return source
  }

  @Test func `a row whose deletion was dropped is deleted, and comes back as an insert`() async throws {
    let source = try ReadingTests.blog()
    #expect(try imports(source).inserted == 3)
    try source.run("DELETE FROM ZTAG WHERE Z_PK = 2")
    #expect(try imports(source).deleted == 1)
    try await pass(NoDeletions.self)
    #expect(try imports(source).stored == 0)
    // New rows in the same call as ones that have stubs.
    try source.run(
      "INSERT INTO ZTAG VALUES (2, 5, 1, 'back'), (4, 5, 1, 'new'); DELETE FROM ZTAG WHERE Z_PK = 1")
    let report = try imports(source)
    #expect(report.inserted == 2 && report.deleted == 1 && report.stored == 3)
    #expect(try imports(source).stored == 0)
  }

  @Test func `a row whose last update was dropped is compared with that`() async throws {
    let source = try ReadingTests.blog()
    _ = try imports(source)
    for text in ["a", "b"] {
      try source.run("UPDATE ZTAG SET ZTEXT = '\(text)' WHERE Z_PK = 1")
      #expect(try imports(source).updated == 1)
    }
    try await pass(NoUpdates.self)
    #expect(try imports(source).stored == 0)
    try source.run("UPDATE ZTAG SET ZTEXT = 'a' WHERE Z_PK = 1")
    #expect(try imports(source).updated == 1)
    #expect(try imports(source).stored == 0)
  }

  @Test func `a row of which all was dropped is left alone, and skipped once it changes`() async throws {
    let source = try ReadingTests.blog()
    _ = try imports(source)
    try await pass(NoInsertions.self)
    var report = try imports(source)
    #expect(report.stored == 0 && report.skipped == 0)
    try source.run("UPDATE ZTAG SET ZTEXT = 'other' WHERE Z_PK = 1")
    report = try imports(source)
    #expect(report.stored == 0 && report.skipped == 1)
  }

  @Test func `what another import has stored is not counted`() throws {
    let log = try EventLog(at: place.url)
    let entry = try NewEntry(type: "TagInserted", version: nil, payload: Payload([:]), id: UUID())
    func batch() -> ImportBatch {
      var batch = ImportBatch()
      let event = ImportedStream.Event(digest: nil, change: 1, isDeletion: false)
      batch.add(entry, to: "tag-1", after: ImportedStream(revision: nil, content: .nothing), event)
      batch.report.inserted += 1
      return batch
    }
    var (first, second) = (batch(), batch())
    #expect(try first.append(to: log).stored == 1)
    #expect(try second.append(to: log).stored == 0)
    #expect(try log.everything().count == 1)
  }

  @Test func `with a later version active an unchanged file adds nothing, and a new row is refused`()
    async throws
  {
    let source = try ReadingTests.blog()
    _ = try imports(source)
    try source.run("DELETE FROM ZTAG WHERE Z_PK = 2; UPDATE ZTAG SET ZTEXT = 'a' WHERE Z_PK = 1")
    #expect(try imports(source).stored == 2)
    try await pass(NoDeletions.self)
    do { _ = try EventStore(at: place.url, plan: NoDeletions.self).activate() }
    #expect(try imports(source).stored == 0)
    try source.run("INSERT INTO ZTAG VALUES (4, 5, 1, 'new')")
    let error = #expect(throws: AnnalsError.self) { try imports(source) }
    #expect(error?.code == .superseded)
    // What docs/moving-in.md advises.
    #expect(try imports(source) { $0.version = "1.1.0" }.inserted == 1)
    #expect(try imports(source) { $0.version = "1.1.0" }.stored == 0)
    let store = try EventStore(at: place.url, plan: NoDeletions.self)
    try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(backwards: true)
      let last = try entries.next()?.event
      #expect(last == .tagInserted(.init(primaryKey: 4, text: "new")))
    }
  }

  @Test(arguments: RunLength.seeds(4), [false, true])
  func `any sequence of changes, imports and passes stores each change once`(
    seed: UInt64, hasHistory: Bool
  ) async throws {
    switch seed % 4 {
    case 0: try await check(NoUpdates.self, seed, hasHistory)
    case 1: try await check(NoDeletions.self, seed, hasHistory)
    // A change after the one that was dropped is known to be the row's by the history.
    case 2 where hasHistory: try await check(NoInsertions.self, seed, hasHistory)
    default: try await check(InsertionsAlone.self, seed, hasHistory)
    }
  }

  private func check<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ seed: UInt64, _ hasHistory: Bool
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let source = try Self.tags(hasHistory: hasHistory)
    var (rows, imported, number) = ([Int: String](), [Int: String](), 0)
    for round in 0..<14 {
      var changes = 0
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        let key = Int.random(in: 1...6, using: &generator)
        let isDeletion = Int.random(in: 0..<3, using: &generator) == 0
        guard !isDeletion || rows[key] != nil else { continue }
        let kind = isDeletion ? 2 : rows[key] == nil ? 0 : 1
        number += 1
        // With a history each change counts, and without one the difference.
        rows[key] = isDeletion ? nil : hasHistory ? "\(number)" : "\(number % 3)"
        let text = rows[key].map { "INSERT OR REPLACE INTO ZTAG VALUES (\(key), 5, 1, '\($0)')" }
        try source.run(text ?? "DELETE FROM ZTAG WHERE Z_PK = \(key)")
        guard hasHistory else { continue }
        changes += 1
        try source.run(
          """
          INSERT INTO ATRANSACTION VALUES (\(number), 16002, NULL, NULL, \(number), NULL);
          INSERT INTO ACHANGE VALUES (\(number), 16001, NULL, \(kind), 5, \(key), \(number), NULL, NULL);
          """)
      }
      if !hasHistory { changes = (1...6).count { rows[$0] != imported[$0] } }
      imported = rows
      let report = try imports(source)
      #expect(report.stored == changes && report.skipped == 0, "seed \(seed), round \(round)")
      if Int.random(in: 0..<3, using: &generator) == 0 { try await pass(plan) }
      #expect(try imports(source).stored == 0, "seed \(seed), round \(round)")
    }
    let ids = try EventLog(at: place.url).everything().compactMap(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(try EventLog.verify(place.url).findings.isEmpty)
  }
}

@Schema(1, 0, 0) private enum Tags1 {
  @Record fileprivate struct TagInserted: Equatable {
    var primaryKey: Int
    var text: String?
  }
  @Record fileprivate struct TagUpdated: Equatable {
    var primaryKey: Int
    var text: String?
  }
  @Record fileprivate struct TagDeleted: Equatable { var primaryKey: Int }
}
@Schema(1, 1, 0) private enum WithoutDeletions {
  typealias TagInserted = Tags1.TagInserted
  typealias TagUpdated = Tags1.TagUpdated
}
private enum NoDeletions: SchemaMigrationPlan {
  static var stages: MigrationChain<Tags1, WithoutDeletions> {
    MigrationStage.custom(fromVersion: Tags1.self, toVersion: WithoutDeletions.self) {
      Drop(\.tagDeleted, reason: "the app keeps them")
    }
  }
}
@Schema(1, 1, 0) private enum WithoutUpdates {
  typealias TagInserted = Tags1.TagInserted
  typealias TagDeleted = Tags1.TagDeleted
}
private enum NoUpdates: SchemaMigrationPlan {
  static var stages: MigrationChain<Tags1, WithoutUpdates> {
    MigrationStage.custom(fromVersion: Tags1.self, toVersion: WithoutUpdates.self) {
      Drop(\.tagUpdated, reason: "the first text counts")
    }
  }
}
@Schema(1, 1, 0) private enum OnlyInsertions {
  typealias TagInserted = Tags1.TagInserted
}
private enum InsertionsAlone: SchemaMigrationPlan {
  static var stages: MigrationChain<Tags1, OnlyInsertions> {
    MigrationStage.custom(fromVersion: Tags1.self, toVersion: OnlyInsertions.self) {
      Drop(\.tagUpdated, reason: "the first text counts")
      Drop(\.tagDeleted, reason: "the app keeps them")
    }
  }
}
@Schema(1, 1, 0) private enum WithoutInsertions {
  typealias TagUpdated = Tags1.TagUpdated
  typealias TagDeleted = Tags1.TagDeleted
}
private enum NoInsertions: SchemaMigrationPlan {
  static var stages: MigrationChain<Tags1, WithoutInsertions> {
    MigrationStage.custom(fromVersion: Tags1.self, toVersion: WithoutInsertions.self) {
      Drop(\.tagInserted, reason: "they came with the file")
    }
  }
}

extension WithoutDeletions.Event: Equatable {}
