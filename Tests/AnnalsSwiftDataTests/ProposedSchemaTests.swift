import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// The proposed Swift source: it compiles, opens the imported store, and reads each value that SQLite has.
@Suite(
  .serialized, .enabled(if: ProposedProgram.isPossible, "no swiftc, or no built modules next to the tests"))
struct ProposedSchemaTests {
  /// Imports a file, opens the store with the proposed plan, and compares the newest event of each row with
  /// the row.
  private func compare(_ source: URL, _ connection: SQLiteConnection, rows: Int) throws {
    let file = try SwiftDataFile(at: source)
    let proposal = try file.proposal(named: "Moved")
    let store = try TemporaryStore()
    _ = try file.importRows(into: EventLog(at: store.url), mapping: proposal.mapping)
    let lines = try ProposedProgram(proposal.source, plan: "MovedPlan").lines(store.url)
    var newest: [Substring: String] = [:]
    for line in lines { newest[line.prefix { $0 != " " }] = line }
    var compared = 0
    for entity in proposal.mapping.entities {
      let found = try #require(file.entities.first { $0.name == entity.entity })
      let columns = entity.fields.filter { $0.type != .references }
      let list = (["Z_PK"] + columns.map { SQLiteDatabase.quoted($0.column) }).joined(separator: ", ")
      for row in try connection.literals(
        "SELECT \(list) FROM \(SQLiteDatabase.quoted(found.table)) WHERE Z_ENT = \(found.number)")
      {
        compared += 1
        let line = try #require(newest["\(entity.stream)\(row[0])"])
        let values = Dictionary(
          uniqueKeysWithValues: line.split(separator: " ").dropFirst(2).compactMap { field in
            field.split(separator: "=", maxSplits: 1).first.map {
              (String($0), String(field.dropFirst($0.count + 1)))
            }
          })
        #expect(values[entity.key] == row[0])
        for (field, literal) in zip(columns, row.dropFirst()) {
          let value = values[SwiftName.identifier(field.field)]
          #expect(Self.agree(value, literal, field.type), "\(line): \(field.field) is \(literal)")
        }
      }
    }
    #expect(compared == rows)
  }

  /// Whether a value in Swift is the literal of a column.
  private static func agree(_ value: String?, _ literal: String, _ type: SwiftDataType) -> Bool {
    guard let value else { return false }
    if literal == "null" { return value == "null" }
    switch type {
    case .double, .date: return Double(value)?.bitPattern == Double(literal)?.bitPattern
    case .decimal:
      let digits =
        literal.hasPrefix("'")
        ? String(decoding: ModelTests.bytes(String(literal.dropFirst())), as: UTF8.self) : literal
      return Decimal(string: value) == Decimal(string: digits)
    default: return value == literal
    }
  }

  @Test func `a file with every kind of value reads as SQLite has it`() throws {
    let source = try ReadingTests.blog()
    try source.run(
      "INSERT INTO ZPOST SELECT 8, 4, 1, 2, 1, -0.0, -7, 1e300, ZID, 'é😀', zeroblob(2000000), '' FROM ZPOST LIMIT 1"
    )
    try compare(source.url, source.connection(), rows: 9)
  }

  @Test func `a file without a model reads as SQLite has it`() throws {
    let source = try ReadingTests.blog(model: false)
    try compare(source.url, source.connection(), rows: 8)
  }

  @Test func `unusual names compile`() throws {
    let source = try SourceFile(
      entities: [
        (1, "It\"s", 0), (2, "class", 0), (3, "größe", 0), (4, "Grö_e", 0), (5, "Event", 0), (6, "Data", 0),
      ],
      """
      CREATE TABLE "ZIT""S" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "ZA""B" VARCHAR,
        "Z;DROP" INTEGER, ZSELF INTEGER, ZFUNC INTEGER, ZPRIMARYKEY INTEGER, ZA_B INTEGER, ZINIT INTEGER,
        ZTYPE INTEGER, ZNIL INTEGER, Z1 INTEGER, ZRECORDNAME INTEGER, ZSHAPE INTEGER, ZDATE TIMESTAMP);
      CREATE TABLE ZCLASS (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE "ZGRÖSSE" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX BLOB);
      CREATE TABLE "ZGRÖ_E" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZDATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDATA BLOB);
      """)
    _ = try ProposedProgram(SwiftDataFile(at: source.url).proposal(named: "1 my-app!").source, plan: nil)
  }

  @Test func `a file without a value of Foundation compiles without it`() throws {
    let source = try SourceFile(
      entities: [(1, "Item", 0)],
      "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)")
    let proposal = try SwiftDataFile(at: source.url).proposal(named: "Items")
    #expect(!proposal.source.contains("import Foundation"))
    _ = try ProposedProgram(proposal.source, plan: nil)
  }

  @Test(
    .enabled(if: RealStores.folder != nil, "no stores of the framework on this machine"),
    arguments: [("default.store", 7), ("books.sqlite", 11)])
  func `a store that the framework wrote reads as SQLite has it`(name: String, rows: Int) throws {
    let folder = try #require(RealStores.folder)
    let copy = try SourceCopy(of: Array(folder.appending(path: name).path.utf8), name: name)
    try compare(folder.appending(path: name), SQLiteConnection(copy.path), rows: rows)
  }
}
