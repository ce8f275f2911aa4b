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
}
