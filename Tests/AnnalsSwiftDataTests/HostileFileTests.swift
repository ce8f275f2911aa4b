import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Damaged, foreign and unusual files: a typed error that says what was found, or the right events.
struct HostileFileTests {
  private func error(of file: URL) -> AnnalsError? {
    #expect(throws: AnnalsError.self) {
      let file = try SwiftDataFile(at: file)
      _ = try file.proposal(named: "App")
    }
  }

  @Test func `other files are refused with what they are`() throws {
    let folder = try TemporaryDirectory()
    #expect(error(of: folder.url.appending(path: "nothing"))?.code == .noSuchStore)
    #expect(error(of: folder.url)?.code == .notAStore)
    #expect(error(of: URL(filePath: "/dev/null"))?.code == .notAStore)
    #expect(
      error(of: try folder.file("text", String(repeating: "no database ", count: 500)))?.code == .notAStore)
    let empty = error(of: try folder.file("empty"))
    #expect(empty?.code == .notAStore && empty?.message.contains("it has no tables") == true)
    let notes = folder.path("notes.db")
    try SQLiteConnection(notes).run("CREATE TABLE note (text)")
    let foreign = error(of: URL(filePath: notes))
    #expect(
      foreign?.code == .notAStore && foreign?.message.contains("no table Z_METADATA; it has note") == true)
  }

  @Test(
    arguments: [
      ("DELETE FROM Z_METADATA", "Z_METADATA has no row"),
      ("UPDATE Z_METADATA SET Z_UUID = 'none'", "Z_METADATA has 'text'"),
      ("UPDATE Z_METADATA SET Z_UUID = 7", "where the framework writes a UUID"),
      ("UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 1", "1 rows of the unknown entity '77'"),
      ("UPDATE ZTAG SET Z_ENT = NULL", "3 rows of the unknown entity 'null'"),
      (
        "DROP TABLE ZTAG; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Tag'",
        "no table for the entity 'Tag'"
      ),
      ("INSERT INTO Z_PRIMARYKEY VALUES (9, NULL, 0, 0)", "a row of Z_PRIMARYKEY has the number 'integer'"),
      ("ALTER TABLE ZTAG RENAME COLUMN Z_ENT TO ZENT", "no column Z_ENT"),
    ])
  func `a file with wrong tables is damaged, and the message says where`(script: String, message: String)
    throws
  {
    let source = try ReadingTests.blog()
    try source.run(script)
    let error = error(of: source.url)
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `an entity whose table was never made has no rows, and entities in a circle have no root`()
    throws
  {
    let source = try ReadingTests.blog()
    try source.run("DROP TABLE ZTAG; INSERT INTO Z_PRIMARYKEY VALUES (8, 'A', 9, 0), (9, 'B', 8, 0)")
    #expect(try SwiftDataFile(at: source.url).entities.map(\.name) == ["Person", "Author", "Editor", "Post"])
  }

  @Test(
    arguments: [
      ("ZDRAFT = 2", "ZDRAFT, and the mapping says Bool"), ("ZDRAFT = 'yes'", "'text' in the column ZDRAFT"),
      ("ZSCORE = 'x'", "ZSCORE"), ("ZSCORE = NULL", "'null' in the column ZSCORE"),
      ("ZPRICE = 'twelve'", "ZPRICE"), ("ZPRICE = '1234567890123456789012345678901234567890.5'", ""),
      ("ZID = x'00'", "'blob of 1 bytes' in the column ZID"), ("ZBODY = x'00'", "ZBODY"),
      ("ZBODY = CAST(x'ff' AS TEXT)", "'text that is not UTF-8' in the column ZBODY"),
      ("ZEXTRA = 'text'", "ZEXTRA"), ("ZWRITTEN = 'noon'", "ZWRITTEN"), ("ZAUTHOR = 0.5", "ZAUTHOR"),
    ])
  func `a value of another type is refused with its place, and never shown`(change: String, message: String)
    throws
  {
    let source = try ReadingTests.blog()
    let file = try SwiftDataFile(at: source.url)
    let mapping = try file.proposal(named: "Blog").mapping
    try source.run("UPDATE ZPOST SET \(change) WHERE Z_PK = 7")
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    guard !message.isEmpty else {
      // SQLite itself has made a double of the digits.
      #expect(try SwiftDataFile(at: source.url).importRows(into: log, mapping: mapping).stored == 8)
      return
    }
    let error = #expect(throws: AnnalsError.self) {
      try SwiftDataFile(at: source.url).importRows(into: log, mapping: mapping)
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.hasPrefix("row 7 of 'Post' has a value of the kind") == true)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    for text in ["twelve", "noon", "yes"] { #expect(error?.message.contains(text) == false) }
  }

  @Test(arguments: RunLength.seeds(2))
  func `a file with changed or missing bytes is refused or read, and never ends the process`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let source = try ReadingTests.blog()
    try source.addHistory()
    try source.run("VACUUM")
    let bytes = try Data(contentsOf: source.url)
    let folder = try TemporaryDirectory()
    var refused = 0
    for round in 0..<150 {
      var changed = bytes
      if round % 5 == 0 {
        changed = changed.prefix(Int.random(in: 0..<changed.count, using: &generator))
      } else {
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
          changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
      }
      let url = folder.url.appending(path: "app.store")
      try changed.write(to: url)
      do {
        let file = try SwiftDataFile(at: url)
        let mapping = try file.proposal(named: "App").mapping
        let store = try TemporaryStore(in: TemporaryDirectory.memory)
        _ = try file.importRows(into: EventLog(at: store.url), mapping: mapping)
      } catch let error as AnnalsError {
        refused += 1
        #expect(
          [.damaged, .notAStore, .malformed, .inputOutput, .tooLarge].contains(error.code),
          "seed \(seed): \(error)")
      }
    }
    #expect(refused > 30, "seed \(seed): only \(refused) were refused")
  }

  @Test func `views, triggers and virtual tables of the file are not run`() throws {
    let source = try ReadingTests.blog()
    try source.run(
      """
      ALTER TABLE ZTAG RENAME TO HIDDEN;
      CREATE VIEW ZTAG AS SELECT Z_PK, Z_ENT, Z_OPT, ZTEXT FROM HIDDEN;
      CREATE TRIGGER t AFTER INSERT ON ZPOST BEGIN DELETE FROM ZPERSON; END;
      """)
    #expect(try SwiftDataFile(at: source.url).entities.map(\.name) == ["Person", "Author", "Editor", "Post"])
  }

  @Test func `names with quotes, spaces, other letters and words of Swift are unchanged in the events`()
    throws
  {
    let source = try SourceFile(
      "my \"own\" store.sqlite",
      entities: [(1, "It\"s", 0), (2, "class", 0), (3, "größe", 0), (4, "A B", 0)],
      """
      CREATE TABLE "ZIT""S" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "ZA""B" VARCHAR,
        "Z;DROP" INTEGER, ZSELF INTEGER, ZFUNC INTEGER, ZPRIMARYKEY INTEGER);
      CREATE TABLE ZCLASS (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE "ZGRÖSSE" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE "ZA B" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      INSERT INTO "ZIT""S" VALUES (1, 1, 1, 'value', 2, 3, 4, 5);
      """)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    #expect(try source.imports(into: log).inserted == 1)
    let entry = try #require(try log.everything().first)
    #expect(entry.stream == "it\"s-1" && entry.type == "It\"sInserted")
    #expect(entry["a\"b"] == "value" && entry[";drop"] == 2 && entry["self"] == 3 && entry["func"] == 4)
    #expect(entry["primarykey"] == 5 && entry["primaryKey2"] == 1)
  }

  @Test func `a table with as many columns as SQLite allows is imported`() throws {
    let columns = (0..<1_996).map { "ZC\($0) INTEGER" }.joined(separator: ", ")
    let values = (0..<1_996).map(String.init).joined(separator: ", ")
    let source = try SourceFile(
      entities: [(1, "Wide", 0)],
      """
      CREATE TABLE ZWIDE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns));
      INSERT INTO ZWIDE VALUES (1, 1, 1, \(values));
      """)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    #expect(try source.imports(into: log).inserted == 1)
    let entry = try #require(try log.everything().first)
    for number in [0, 1, 999, 1_995] { #expect(entry["c\(number)"] == CBOR(number)) }
  }

  @Test func `large texts are in the event, and large contents become attachments`() throws {
    let source = try SourceFile(
      entities: [(1, "Big", 0)],
      """
      CREATE TABLE ZBIG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR, ZBYTES BLOB);
      INSERT INTO ZBIG VALUES (1, 1, 1, printf('%.*c', 3000000, 'x'), zeroblob(5000000));
      """)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    #expect(try source.imports(into: log).inserted == 1)
    let entry = try #require(try log.everything().first)
    #expect(entry["text"]?.text?.utf8.count == 3_000_000)
    #expect(entry["bytes"]?["size"] == 5_000_000 && entry.attachments.count == 1)
    #expect(try source.imports(into: log).stored == 0)
  }
}
