import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Files with the framework's persistent history.
struct HistoryTests {
  private let source: SourceFile
  private let store: TemporaryStore
  private let log: EventLog

  init() throws {
    source = try SourceFile(
      entities: [(1, "Note", 0)],
      """
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR, ZSTARS INTEGER);
      """,
      model: ModelArchive.bytes([
        .init(
          name: "Note",
          attributes: [.init(name: "text", type: 700, flags: 16), .init(name: "stars", type: 300)])
      ]))
    try source.addHistory()
    store = try TemporaryStore()
    log = try EventLog(at: store.url)
  }

  /// A save of changes, as kind, primary key and columns.
  private func save(
    _ number: Int, at time: Double, _ changes: [(kind: Int, key: Int, columns: String)],
    author: String = "NULL"
  ) throws {
    try source.run("INSERT INTO ATRANSACTION VALUES (\(number), 16002, NULL, \(author), \(time), NULL)")
    for change in changes {
      try source.run(
        "INSERT INTO ACHANGE SELECT coalesce(max(Z_PK), 0) + 1, 16001, NULL, \(change.kind), 1, \(change.key), "
          + "\(number), \(change.columns), NULL FROM ACHANGE")
    }
  }

  @Test func `each change is one event, in order and with its time, and says what is not known`() throws {
    try source.run("INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'app')")
    try source.run("INSERT INTO ZNOTE VALUES (1, 1, 3, 'one', 5)")
    try save(1, at: 100.25, [(0, 1, "NULL"), (0, 2, "NULL")], author: "1")
    try save(2, at: 200, [(1, 1, "x'80'"), (2, 2, "NULL")])
    try save(3, at: 300.000001, [(1, 1, "x'40'")])
    let report = try source.imports(into: log)
    #expect(report.inserted == 2 && report.updated == 2 && report.deleted == 1 && report.incomplete == 3)
    let entries = try log.everything()
    #expect(
      entries.map { "\($0.stream) \($0.type)" } == [
        "note-1 NoteInserted", "note-2 NoteInserted", "note-1 NoteUpdated", "note-2 NoteDeleted",
        "note-1 NoteUpdated",
      ])
    #expect(
      entries.map { $0.time.microseconds - 978_307_200_000_000 } == [
        100_250_000, 100_250_000, 200_000_000, 200_000_000, 300_000_001,
      ])
    #expect(entries.map { $0.metadata["incomplete"] } == [true, true, true, nil, nil])
    #expect(entries[0].metadata["unknown"] == ["stars", "text"])
    #expect(entries[0]["text"] == nil && entries[4]["text"] == "one" && entries[4]["stars"] == 5)
    #expect(entries[0].metadata["swiftdata"]?["author"] == "app")
    #expect(entries[2].metadata["swiftdata"]?["changed"] == ["stars"])
    #expect(entries[4].metadata["swiftdata"]?["changed"] == ["text"])
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `the order is that of the saves, also where the numbers of changes contradict it`() throws {
    try source.run("INSERT INTO ZNOTE VALUES (1, 1, 3, 'one', 5)")
    for (number, kind) in [0, 1, 1].enumerated() {
      try source.run(
        """
        INSERT INTO ATRANSACTION VALUES (\(number + 1), 16002, NULL, NULL, \(number), NULL);
        INSERT INTO ACHANGE VALUES (\(30 - number), 16001, NULL, \(kind), 1, 1, \(number + 1), NULL, NULL);
        """)
    }
    #expect(try source.imports(into: log).stored == 3)
    let entries = try log.everything()
    #expect(entries.map(\.type) == ["NoteInserted", "NoteUpdated", "NoteUpdated"])
    #expect(entries.map { $0["text"] } == [nil, nil, "one"])
    #expect(try source.imports(into: log).stored == 0)
    try save(9, at: 9, [(1, 1, "NULL")])
    #expect(try source.imports(into: log).updated == 1)
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `a later import adds the later changes alone`() throws {
    try source.run("INSERT INTO ZNOTE VALUES (1, 1, 1, 'one', 1)")
    try save(1, at: 1, [(0, 1, "NULL")])
    #expect(try source.imports(into: log).inserted == 1)
    try source.run("UPDATE ZNOTE SET ZTEXT = 'two'; INSERT INTO ZNOTE VALUES (2, 1, 1, 'new', 0)")
    try save(2, at: 2, [(1, 1, "x'40'"), (0, 2, "NULL")])
    let second = try source.imports(into: log)
    #expect(second.updated == 1 && second.inserted == 1 && second.incomplete == 0)
    try source.run("DELETE FROM ZNOTE")
    try save(3, at: 3, [(1, 1, "x'40'"), (2, 1, "NULL"), (2, 2, "NULL")])
    let third = try source.imports(into: log)
    #expect(third.updated == 1 && third.deleted == 2 && third.incomplete == 1)
    #expect(try source.imports(into: log).stored == 0)
    #expect(try log.everything().compactMap { $0.metadata["swiftdata"]?["change"]?.integer } == Array(1...6))
  }

  @Test func `rows that the history does not explain are imported too`() throws {
    // The app has removed the beginning of its history, and has once written without one.
    try source.run(
      "INSERT INTO ZNOTE VALUES (1, 1, 1, 'old', 1), (2, 1, 1, 'older', 2), (3, 1, 1, 'oldest', 3)")
    try save(7, at: 50, [(1, 2, "x'80'"), (2, 9, "NULL")])
    let report = try source.imports(into: log)
    #expect(report.inserted == 3 && report.updated == 1 && report.deleted == 1 && report.incomplete == 1)
    let entries = try log.everything()
    #expect(
      entries.map { "\($0.stream) \($0.metadata["incomplete"] == true)" } == [
        "note-1 false", "note-2 true", "note-3 false", "note-2 false", "note-9 false",
      ])
    #expect(try source.imports(into: log).stored == 0)
    try source.run("UPDATE ZNOTE SET ZSTARS = 9 WHERE Z_PK = 2; DELETE FROM ZNOTE WHERE Z_PK = 1")
    let second = try source.imports(into: log)
    #expect(second.updated == 1 && second.deleted == 1)
    #expect(try source.imports(into: log).stored == 0)
    // The whole history goes, and nothing is new.
    try source.run("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `a row that only its first save mentions is deleted by the same import`() throws {
    // The save that removed the row is not in the history.
    try save(1, at: 100, [(0, 1, "NULL")])
    let report = try source.imports(into: log)
    #expect(report.inserted == 1 && report.deleted == 1 && report.incomplete == 1)
    let entries = try log.everything().map { "\($0.stream) \($0.type)" }
    #expect(entries == ["note-1 NoteInserted", "note-1 NoteDeleted"])
    #expect(try source.imports(into: log).stored == 0)
  }

  @Test func `without the history each row is one complete event`() throws {
    try source.run("INSERT INTO ZNOTE VALUES (1, 1, 3, 'one', 5)")
    try save(1, at: 1, [(0, 1, "NULL"), (1, 1, "x'40'"), (0, 2, "NULL")])
    let report = try source.imports(into: log) { $0.history = false }
    #expect(report.inserted == 1 && report.incomplete == 0)
    let proposal = try SwiftDataFile(at: source.url).proposal(named: "Notes", history: false)
    #expect(proposal.source.contains("public var text: String\n"))
    #expect(try SwiftDataFile(at: source.url).proposal(named: "Notes").source.contains("var text: String?\n"))
  }

  @Test func `the values that a deleted row has kept are in the metadata`() throws {
    try save(1, at: 1, [(0, 1, "NULL"), (2, 1, "NULL")])
    try source.run("UPDATE ACHANGE SET ZTOMBSTONE0 = 'kept' WHERE ZCHANGETYPE = 2")
    _ = try source.imports(into: log)
    #expect(try log.everything().last?.metadata["swiftdata"]?["tombstones"] == ["text": "kept"])
    try source.run("DELETE FROM Z_MODELCACHE")
    let other = try TemporaryStore()
    let plain = try EventLog(at: other.url)
    _ = try source.imports(into: plain)
    #expect(try plain.everything().last?.metadata["swiftdata"]?["tombstones"] == ["kept"])
  }

  @Test func `changes of entities that the mapping leaves out are counted`() throws {
    try save(1, at: 1, [(0, 1, "NULL")])
    try source.run("UPDATE ACHANGE SET ZENTITY = 77")
    #expect(try source.imports(into: log).otherChanges == 1)
  }

  @Test(
    arguments: [
      ("UPDATE ACHANGE SET ZCHANGETYPE = 5", "has the kind '5'"),
      ("UPDATE ACHANGE SET ZENTITYPK = NULL", "change 1 of its history"),
      ("DELETE FROM ATRANSACTION", "belongs to the save 1, which is missing"),
      ("UPDATE ATRANSACTION SET ZTIMESTAMP = 'noon'", "has the time 'text'"),
      ("UPDATE ATRANSACTION SET ZTIMESTAMP = 1e15", "seconds after 2001-01-01"),
    ])
  func `a damaged history is refused with what was found`(script: String, message: String) throws {
    try save(1, at: 1, [(0, 1, "NULL")])
    try source.run(script)
    let error = #expect(throws: AnnalsError.self) { try source.imports(into: log) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}
