import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// The executable that was built with the tests.
enum BuiltProgram {
  /// Its path, next to the test bundle.
  static let path: URL? = {
    let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "annals-swiftdata")
    return program.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }
  }()
}

/// The program `annals-swiftdata`, as a process of its own.
@Suite(.enabled(if: BuiltProgram.path != nil, "the executable is not next to the test bundle"))
struct SwiftDataCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func run(_ words: String...) throws -> (status: Int32, output: String) {
    try ProposedProgram.run(#require(BuiltProgram.path), words, in: folder.url)
  }

  @Test func `inspect shows entities, rows, attributes, relationships and the history`() throws {
    let source = try ReadingTests.blog()
    let text = try run("inspect", source.path)
    #expect(text.status == 0)
    #expect(text.output.hasPrefix("app.store: store \(SourceFile.id)\n  no history\n\nPerson, 1 row\n"))
    #expect(text.output.contains("\nAuthor: Person, 1 row\n"))
    #expect(text.output.contains("\n  author   Author?  ZAUTHOR\n"))
    #expect(text.output.contains("\n  tags     [Tag]    Z_4TAGS\n"))
    #expect(text.output.contains("\n  posts  [Post]  the other side of 'tags'\n"))
    try source.addHistory()
    let json = try run("inspect", source.path, "--json")
    let objects = try json.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.count == 6)
    #expect(objects[0]?["history"] as? Bool == true && objects[0]?["model"] as? Bool == true)
    #expect(objects[4]?["entity"] as? String == "Post" && objects[4]?["rows"] as? Int == 2)
  }

  @Test func `propose writes two files, and import uses them`() throws {
    let source = try ReadingTests.blog()
    let proposed = try run("propose", source.path, "-o", "moving", "--name", "Blog")
    #expect(proposed.status == 0)
    #expect(proposed.output.hasPrefix("wrote moving/mapping.json and moving/BlogV1.swift\n"))
    #expect(proposed.output.contains("  Post    post-N    PostInserted, PostUpdated, PostDeleted\n"))
    let mapping = try SwiftDataMapping(
      json: Data(contentsOf: folder.url.appending(path: "moving/mapping.json")))
    #expect(mapping.entities.count == 5)
    let again = try run("propose", source.path, "-o", "moving", "--name", "Blog")
    #expect(again.status == 73 && again.output.contains("already something at 'moving/mapping.json'"))
    let imported = try run("import", source.path, "blog.annals", "--mapping", "moving/mapping.json")
    #expect(imported.status == 0)
    #expect(imported.output == "8 events stored: 8 inserted, 0 updated, 0 deleted; 8 rows read\n")
    #expect(
      try run("import", source.path, "blog.annals", "--json").output
        == #"{"rows":8,"stored":0,"inserted":0,"updated":0,"deleted":0,"incomplete":0,"skipped":0,"otherChanges":0,"unread":[]}"#
        + "\n")
  }

  @Test func `a mapping that does not fit makes no store, and tables that are not read are named`() throws {
    let source = try ReadingTests.blog()
    #expect(try run("propose", source.path).status == 0)
    try source.run("ALTER TABLE ZTAG RENAME COLUMN ZTEXT TO ZWORD; CREATE TABLE Z_4STRANGE (Z_4A INTEGER)")
    #expect(try run("import", source.path, "blog.annals", "--mapping", "mapping.json").status == 65)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "blog.annals").path))
    let imported = try run("import", source.path, "blog.annals")
    #expect(imported.status == 0)
    #expect(imported.output.hasSuffix("\ntables that are not imported: Z_4STRANGE\n"), "\(imported.output)")
  }

  @Test(
    arguments: [
      ([], 64), (["what"], 64), (["inspect"], 64), (["inspect", "a", "b"], 64),
      (["inspect", "a", "--mapping", "b"], 64),
      (["propose", "SOURCE", "--name"], 64), (["import", "SOURCE"], 64),
      (["import", "SOURCE", "s.annals", "--mapping", "m", "--no-history"], 64), (["inspect", "nothing"], 66),
      (["inspect", "/"], 65), (["import", "SOURCE", "s.annals", "--mapping", "SOURCE"], 65),
      (["import", "SOURCE", "no/where/s.annals"], 73), (["propose", "SOURCE", "-o", "no/where"], 73),
      (["--help"], 0), (["import", "--help"], 0), (["inspect", "--", "SOURCE"], 0),
      (["propose", "SOURCE", "-o=x"], 0),
    ] as [([String], Int32)])
  func `each failure has its exit status`(words: [String], status: Int32) throws {
    let source = try ReadingTests.blog()
    let program = try #require(BuiltProgram.path)
    let run = try ProposedProgram.run(
      program, words.map { $0 == "SOURCE" ? source.path : $0 }, in: folder.url)
    #expect(run.status == status, "\(run.output)")
    if status != 0 { #expect(run.output.hasPrefix("annals-swiftdata: ")) }
  }

  @Test func `streams of another file are status 1, and errors can be JSON`() throws {
    let source = try ReadingTests.blog()
    #expect(try run("import", source.path, "s.annals").status == 0)
    try source.run("UPDATE Z_METADATA SET Z_UUID = '7F1D7A44-9D6B-4C39-8E0C-55F0A1B2C3D4'")
    let run = try run("import", source.path, "s.annals", "--json")
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix(#"{"error":"conflict","message":"the stream 'person-3' has rows"#), "\(run.output)"
    )
  }
}
