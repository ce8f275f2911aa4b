import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// A second import adds only what is new.
struct ImportAgainTests {
  private let source: SourceFile
  private let store: TemporaryStore
  private let log: EventLog

  init() throws {
    source = try ReadingTests.blog()
    store = try TemporaryStore()
    log = try EventLog(at: store.url)
  }

  @Test func `nothing changed, so nothing is stored`() throws {
    #expect(try source.imports(into: log).stored == 8)
    for _ in 0..<2 {
      let report = try source.imports(into: log)
      #expect(report.stored == 0 && report.rows == 8)
    }
    // The counter of writes is no value of the app.
    try source.run("UPDATE ZTAG SET Z_OPT = 9; VACUUM")
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `changed, new and deleted rows become one event each`() throws {
    _ = try source.imports(into: log)
    try source.run(
      """
      UPDATE ZTAG SET ZTEXT = 'changed' WHERE Z_PK = 1;
      INSERT INTO ZTAG VALUES (4, 5, 1, 'new');
      DELETE FROM ZTAG WHERE Z_PK = 2;
      DELETE FROM ZPERSON WHERE Z_PK = 1;
      DELETE FROM Z_4TAGS WHERE Z_4POSTS = 1 AND Z_5TAGS = 3;
      """)
    let report = try source.imports(into: log)
    #expect(report.updated == 2 && report.inserted == 1 && report.deleted == 2)
    let added = try log.everything().dropFirst(8).map { "\($0.stream) \($0.type)" }.sorted()
    #expect(
      added == [
        "person-1 AuthorDeleted", "post-1 PostUpdated", "tag-1 TagUpdated", "tag-2 TagDeleted",
        "tag-4 TagInserted",
      ])
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `a row that changes back to earlier values is two more events, and a returning row is inserted`()
    throws
  {
    _ = try source.imports(into: log)
    for text in ["other", "x", "other"] {
      try source.run("UPDATE ZTAG SET ZTEXT = '\(text)' WHERE Z_PK = 1")
      #expect(try source.imports(into: log).updated == 1)
    }
    try source.run("DELETE FROM ZTAG WHERE Z_PK = 3")
    #expect(try source.imports(into: log).deleted == 1)
    #expect(try source.imports(into: log).stored == 0)
    try source.run("INSERT INTO ZTAG VALUES (3, 5, 1, 'z')")
    #expect(try source.imports(into: log).inserted == 1)
    let ids = try log.everything().compactMap(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func `events that the app appends between two imports are left alone`() throws {
    _ = try source.imports(into: log)
    try log.append(
      [NewEntry(type: "TagRenamed", version: nil, payload: Payload(["to": "w"]))], to: "tag-1")
    #expect(try source.imports(into: log).stored == 0)
    try source.run("UPDATE ZTAG SET ZTEXT = 'changed' WHERE Z_PK = 1")
    #expect(try source.imports(into: log).updated == 1)
    // A stream with the app's events alone is not the row's.
    try log.append([NewEntry(type: "TagAdded", version: nil, payload: Payload([:]))], to: "tag-9")
    try source.run("INSERT INTO ZTAG VALUES (9, 5, 1, 'w')")
    let report = try source.imports(into: log)
    #expect(report.stored == 0 && report.skipped == 1)
  }

  @Test func `erased rows do not come back`() throws {
    _ = try source.imports(into: log)
    _ = try log.erase(stream: "tag-1", by: "the test", because: "its author has asked")
    let report = try source.imports(into: log)
    #expect(report.stored == 0 && report.skipped == 1)
  }

  @Test func `another file may not use the same streams`() throws {
    _ = try source.imports(into: log)
    let other = try SourceFile(
      entities: [(5, "Tag", 0)],
      """
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
      INSERT INTO ZTAG VALUES (1, 5, 1, 'x');
      """, id: "7F1D7A44-9D6B-4C39-8E0C-55F0A1B2C3D4")
    let error = #expect(throws: AnnalsError.self) { try other.imports(into: log) }
    #expect(error?.code == .conflict && error?.details.stream == "tag-1")
    #expect(try other.imports(into: log) { $0.entities[0].stream = "other-tag-" }.inserted == 1)
  }

  // Promise P181.
  @Test(arguments: RunLength.seeds(4))
  func `any sequence of changes and imports leaves the newest values in the log`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var rows: [Int: String] = [1: "x", 2: "y", 3: "z"]
    for _ in 0..<12 {
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let key = Int.random(in: 1...8, using: &generator)
        let text = String(UnicodeScalar(UInt8.random(in: 97...100, using: &generator)))
        if Bool.random(using: &generator) {
          rows[key] = text
          try source.run("INSERT OR REPLACE INTO ZTAG VALUES (\(key), 5, 1, '\(text)')")
        } else {
          rows[key] = nil
          try source.run("DELETE FROM ZTAG WHERE Z_PK = \(key)")
        }
      }
      _ = try source.imports(into: log)
      #expect(try source.imports(into: log).stored == 0, "seed \(seed)")
      var folded: [Int: String] = [:]
      for entry in try log.everything() where entry.type.hasPrefix("Tag") {
        guard let key = entry["primaryKey"]?.integer else { continue }
        let exists = folded[key] != nil
        #expect(exists == (entry.type != "TagInserted"), "seed \(seed), position \(entry.position)")
        folded[key] = entry["text"]?.text
      }
      #expect(folded == rows, "seed \(seed)")
    }
  }

  @Test func `an import that fails in the middle continues after the repair`() throws {
    let inserts = (10..<9_000).map { "(\($0), 5, 1, 'tag \($0)')" }.joined(separator: ",")
    try source.run("INSERT INTO ZTAG VALUES \(inserts); INSERT INTO ZTAG VALUES (9000, 5, 1, x'00')")
    let error = #expect(throws: AnnalsError.self) { try source.imports(into: log) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("row 9000 of 'Tag' has a value of the kind 'blob of 1 bytes'") == true)
    let stored = try log.everything().count
    #expect(stored >= 4_000 && stored < 9_000)
    try source.run("UPDATE ZTAG SET ZTEXT = 'repaired' WHERE Z_PK = 9000")
    #expect(try source.imports(into: log).stored == 8 + 8_991 - stored)
    #expect(try source.imports(into: log).stored == 0)
  }
}
