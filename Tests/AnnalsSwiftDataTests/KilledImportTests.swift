import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Imports that are killed, and imports that run at the same time.
@Suite(.enabled(if: BuiltProgram.path != nil, "the executable is not next to the test bundle"))
struct KilledImportTests {
  private static let rows = 12_000
  private let source: SourceFile
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    source = try SourceFile(
      entities: [(1, "Note", 0)],
      """
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
        INSERT INTO ZNOTE SELECT i, 1, 1, 'note ' || i FROM n;
      """)
  }

  private func start(_ words: String...) throws -> Process {
    let process = Process()
    let program = try #require(BuiltProgram.path)
    process.executableURL = program
    process.arguments = words
    process.currentDirectoryURL = folder.url
    // A killed program leaves its copy of the source.
    process.environment = ["TMPDIR": folder.url.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Checks that the store has each row exactly once.
  private func expectAllRows() throws {
    let url = folder.url.appending(path: "notes.annals")
    let entries = try EventLog(at: url).everything()
    #expect(entries.count == Self.rows)
    #expect(Set(entries.map(\.stream)).count == Self.rows)
    #expect(try EventLog.verify(url).findings.isEmpty)
  }

  @Test(arguments: RunLength.seeds(2))
  func `an import that is killed at any time is completed by the next one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      let process = try start("import", source.path, "notes.annals")
      Thread.sleep(forTimeInterval: Double.random(in: 0.05...1.5, using: &generator))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let last = try start("import", source.path, "notes.annals")
    last.waitUntilExit()
    #expect(last.terminationStatus == 0, "seed \(seed)")
    try expectAllRows()
  }

  @Test func `two imports at the same time store each row once`() throws {
    let processes = try (0..<2).map { _ in try start("import", source.path, "notes.annals") }
    for process in processes { process.waitUntilExit() }
    #expect(processes.contains { $0.terminationStatus == 0 })
    #expect(
      processes.allSatisfy { $0.terminationReason == .exit && [0, 1].contains($0.terminationStatus) })
    try expectAllRows()
  }
}
