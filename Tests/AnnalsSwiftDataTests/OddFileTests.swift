import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Files and mappings in which a guess would give a wrong answer.
struct OddFileTests {
  private static let key = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

  @Test(arguments: [
    "Z_1FRIENDS INTEGER, Z_1FRIENDSOF INTEGER", "Z_1FRIENDSOF INTEGER, Z_1FRIENDS INTEGER",
  ])
  func `a relationship between rows of one entity has its direction, whatever the order of the columns`(
    columns: String
  ) throws {
    let source = try SourceFile(
      entities: [(1, "Person", 0)],
      """
      CREATE TABLE ZPERSON (\(Self.key));
      CREATE TABLE Z_1FRIENDS (\(columns));
      INSERT INTO ZPERSON VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1);
      INSERT INTO Z_1FRIENDS (Z_1FRIENDSOF, Z_1FRIENDS) VALUES (1, 2), (1, 3);
      """)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    #expect(try log.everything().map { $0["friends"] } == [[2, 3], [], []])
  }

  @Test(arguments: ["Z_1ITEMS INTEGER, Z_2ITEMS INTEGER", "Z_2ITEMS INTEGER, Z_1ITEMS INTEGER"])
  func `a relationship whose two sides have one name leads to the other entity`(columns: String) throws {
    let source = try SourceFile(
      entities: [(1, "Box", 0), (2, "Label", 0)],
      """
      CREATE TABLE ZBOX (\(Self.key)); CREATE TABLE ZLABEL (\(Self.key));
      CREATE TABLE Z_1ITEMS (\(columns));
      INSERT INTO ZBOX VALUES (1, 1, 1), (2, 1, 1);
      INSERT INTO ZLABEL VALUES (7, 2, 1);
      INSERT INTO Z_1ITEMS (Z_1ITEMS, Z_2ITEMS) VALUES (1, 7), (2, 7);
      """)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    #expect(try log.everything().filter { $0.stream != "label-7" }.map { $0["items"] } == [[7], [7]])
  }

  @Test func `an entity without a topmost one is damage, if it may have rows`() throws {
    let source = try SourceFile(
      entities: [(1, "A", 0), (2, "B", 99)],
      "CREATE TABLE ZA (\(Self.key)); CREATE TABLE ZB (\(Self.key)); INSERT INTO ZB VALUES (1, 2, 1)")
    let error = #expect(throws: AnnalsError.self) { try SwiftDataFile(at: source.url) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("'B' inherits from the entity 99") == true, "\(error?.message ?? "")")
    try source.run("DROP TABLE ZB")
    #expect(try SwiftDataFile(at: source.url).entities.map(\.name) == ["A"])
    try source.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 2")
    #expect(throws: AnnalsError.self) { try SwiftDataFile(at: source.url) }
  }

  @Test func `rows of entities that a later mapping leaves out are not deleted`() throws {
    let source = try ReadingTests.blog()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    let people = try source.imports(into: log) { $0.entities.removeAll { $0.entity != "Person" } }
    #expect(people.rows == 1 && people.stored == 0)
    // A deleted row is deleted under its own entity, or not at all.
    try source.run("DELETE FROM ZPERSON WHERE Z_PK = 2")
    #expect(try source.imports(into: log) { $0.entities.removeAll { $0.entity != "Person" } }.stored == 0)
    #expect(try source.imports(into: log).deleted == 1)
    #expect(try log.everything().last?.type == "EditorDeleted")
  }

  @Test func `a row of an entity that was renamed is deleted under its old names`() throws {
    let source = try ReadingTests.blog()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    try source.run(
      """
      UPDATE Z_PRIMARYKEY SET Z_NAME = 'Reviewer' WHERE Z_NAME = 'Editor';
      DELETE FROM ZPERSON WHERE Z_PK = 2;
      DELETE FROM Z_MODELCACHE;
      """)
    let before = try ReadingTests.blog(model: false)
    let mapping = try SwiftDataFile(at: before.url).proposal(named: "App").mapping
    let report = try source.imports(into: log) { proposed in
      proposed = mapping
      for index in proposed.entities.indices where proposed.entities[index].entity == "Editor" {
        proposed.entities[index].entity = "Reviewer"
      }
    }
    #expect(report.deleted == 1)
    #expect(try log.everything().contains { $0.type == "EditorDeleted" && $0.stream == "person-2" })
  }

  @Test(arguments: [("tag", "tag1"), ("tag1", "tag"), ("", "1")])
  func `streams that could get rows of two tables are refused`(one: String, other: String) throws {
    let source = try ReadingTests.blog()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let error = #expect(throws: AnnalsError.self) {
      try source.imports(into: log) { mapping in
        mapping.entities[3].stream = one
        mapping.entities[4].stream = other
      }
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("two rows could have one stream") == true, "\(error?.message ?? "")")
    #expect(try source.imports(into: log) { $0.entities[4].stream = "post-tag1" }.stored == 8)
  }

  @Test func `a history that is imported after its rows adds what is newer than they are`() throws {
    let source = try SourceFile(
      entities: [(1, "Note", 0)],
      "CREATE TABLE ZNOTE (\(Self.key), ZTEXT VARCHAR); INSERT INTO ZNOTE VALUES (1, 1, 2, 'two')")
    try source.addHistory()
    func save(_ number: Int, _ kind: Int, _ key: Int) throws {
      try source.run(
        """
        INSERT INTO ATRANSACTION VALUES (\(number), 16002, NULL, NULL, \(number), NULL);
        INSERT INTO ACHANGE VALUES (\(number), 16001, NULL, \(kind), 1, \(key), \(number), NULL, NULL);
        """)
    }
    try save(1, 0, 1)
    try save(2, 1, 1)
    try save(3, 0, 2)
    try save(4, 2, 2)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    #expect(try source.imports(into: log) { $0.history = false }.stored == 1)
    // The changes of the row are in its event. Those of the deleted row are in none.
    let second = try source.imports(into: log)
    #expect(second.inserted == 1 && second.deleted == 1 && second.updated == 0)
    try source.run("UPDATE ZNOTE SET ZTEXT = 'three'")
    try save(5, 1, 1)
    #expect(try source.imports(into: log).updated == 1)
    #expect(try source.imports(into: log).stored == 0)
    #expect(try source.imports(into: log) { $0.history = false }.stored == 0)
    #expect(
      try log.everything().map { "\($0.stream) \($0.type) \($0["text"]?.text ?? "-")" } == [
        "note-1 NoteInserted two", "note-2 NoteInserted -", "note-2 NoteDeleted -",
        "note-1 NoteUpdated three",
      ])
  }

  @Test func `a reference that is no key is damage`() throws {
    let source = try ReadingTests.blog()
    try source.run("INSERT INTO Z_4TAGS VALUES (7, NULL, 2)")
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let error = #expect(throws: AnnalsError.self) { try source.imports(into: log) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("a key of the kind 'null' for row 7 of 'Post'") == true)
  }

  @Test func `without a model and a reference, no first byte is cut off`() throws {
    let source = try SourceFile(
      entities: [(1, "Photo", 0)],
      """
      CREATE TABLE ZPHOTO (\(Self.key), ZCODE BLOB);
      INSERT INTO ZPHOTO VALUES (1, 1, 1, x'01aabb'), (2, 1, 1, x'01');
      """)
    _ = try source.externalFolder()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    _ = try source.imports(into: log)
    #expect(try log.everything().map { $0["code"] } == [.bytes([1, 0xaa, 0xbb]), .bytes([1])])
  }
}
