import Foundation
import Testing

/// Paths that Foundation would change. The programs act on exactly the file that the system would open.
@Suite(.enabled(if: BuiltTool.path != nil, "the executable is not beside the test bundle"))
struct PathTests {
  private let folder: TemporaryDirectory
  private let lines: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    _ = try folder.write("one.jsonl", #"{"stream":"a","type":"T","data":{"n":1}}"#)
    _ = try folder.write(
      "many.jsonl",
      (1...5).map { #"{"stream":"decoy","type":"T","data":{"n":\#($0)}}"# }.joined(separator: "\n"))
    lines = Array("one.jsonl".utf8)
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func annals(_ words: [UInt8]..., home: String = "/nonexistent") throws -> SpawnedProgram {
    try SpawnedProgram(BuiltTool.path ?? "", words, in: folder, home: home)
  }

  @Test func `a path that is not UTF-8 is the store that it names, in every verb`() throws {
    let store = bytes("x") + [0xFF] + bytes(".annals")
    let decoy = bytes("x\u{FFFD}.annals")
    #expect(try annals(bytes("import"), decoy, bytes("many.jsonl")).status == 0)
    let before = try TemporaryDirectory.content(folder.path("x\u{FFFD}.annals"))
    #expect(try annals(bytes("import"), store, lines).output == "1 entries stored; 1 lines read\n")
    #expect(try folder.names().contains(store))
    let verbs = [
      "info", "census", "streams", "read", "dump", "verify", "leases", "views", "accept", "compact",
      "rollback", "repair", "discard-previous",
    ]
    for verb in verbs {
      let run = try annals(bytes(verb), store)
      #expect(run.status == 0, "\(verb): \(run.errors)")
      #expect(!run.output.contains("decoy"), "\(verb)")
    }
    #expect(try annals(bytes("info"), store).output.contains("entries     1\n"))
    let copy = bytes("copy") + [0xFE]
    #expect(try annals(bytes("backup"), store, copy).output.hasPrefix("1 entries in 1 streams"))
    let again = bytes("again") + [0xC3]
    #expect(try annals(bytes("restore"), copy, again).output.hasPrefix("1 entries in 1 streams"))
    let erase = ["erase", "--position", "1", "--by", "a", "--because", "b"].map(bytes)
    #expect(
      try annals(erase[0], store, erase[1], erase[2], erase[3], erase[4], erase[5], erase[6]).status == 0)
    #expect(try annals(bytes("erasures"), store).output.contains("/copy\\xFE"))
    let names = try folder.names()
    #expect(names == [store, decoy, copy, again, bytes("one.jsonl"), bytes("many.jsonl")])
    #expect(try TemporaryDirectory.content(folder.path("x\u{FFFD}.annals")) == before)
    let missing = try annals(bytes("info"), bytes("y") + [0xFF])
    #expect(missing.status == 66)
    #expect(missing.errors.contains("'y\\xFF'"))
  }

  @Test func `a file of lines that is not UTF-8 is read, and a text that is not is refused`() throws {
    let file = bytes("l") + [0xFF]
    try rename("one.jsonl", to: file)
    #expect(try annals(bytes("import"), bytes("s"), file).status == 0)
    let read = try annals(bytes("read"), bytes("s"), bytes("--stream"), [0xFF])
    #expect(read.status == 64)
    #expect(read.errors.hasPrefix("annals: wrongUse: --stream needs text in UTF-8, not '\\xFF'"))
    #expect(try annals(bytes("streams"), bytes("s"), bytes("--prefix=") + [0xFF]).status == 64)
    #expect(try annals(bytes("inf") + [0xFF], bytes("s")).status == 64)
  }

  @Test func `two dots after a symbolic link lead where the system says`() throws {
    let files = FileManager.default
    for name in ["here", "there", "there/deep"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try files.createSymbolicLink(
      atPath: folder.path("here/link"), withDestinationPath: folder.path("there/deep"))
    #expect(try annals(bytes("import"), bytes("here/store"), bytes("many.jsonl")).status == 0)
    let decoy = try TemporaryDirectory.content(folder.path("here/store"))
    for path in ["here/link/../store", folder.url.path + "/here/link/../store"] {
      let words = [bytes("import"), bytes(path), lines]
      #expect(try SpawnedProgram(BuiltTool.path ?? "", words, in: folder).status == 0)
    }
    #expect(try annals(bytes("info"), bytes("there/store")).output.contains("entries     2\n"))
    #expect(try annals(bytes("backup"), bytes("there/store"), bytes("here/link/../copy")).status == 0)
    #expect(try annals(bytes("verify"), bytes("there/copy")).status == 0)
    #expect(try TemporaryDirectory.content(folder.path("here/store")) == decoy)
    #expect(!files.fileExists(atPath: folder.path("here/copy")))
  }

  @Test(arguments: ["~", "~/store", "~root", "~root/store", "a%41", "a?b", "a#b", "a:b", " ", "-"])
  func `a path has no signs that mean something else`(path: String) throws {
    let home = try TemporaryDirectory()
    if path.hasSuffix("/store") {
      try FileManager.default.createDirectory(
        atPath: folder.path(String(path.dropLast(6))), withIntermediateDirectories: false)
    }
    let made = try annals(bytes("import"), bytes(path), lines, home: home.url.path)
    #expect(made.status == 0, "\(made.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.url.path + "/" + path + "/CURRENT"))
    #expect(try annals(bytes("info"), bytes(path), home: home.url.path).status == 0)
    #expect(try home.names().isEmpty)
  }

  @Test(arguments: [229, 230, 255])
  func `a name of a store may be as long as the system allows`(count: Int) throws {
    let name = [UInt8](repeating: UInt8(ascii: "n"), count: count)
    let made = try annals(bytes("import"), name, lines)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try annals(bytes("info"), name).status == 0)
    let copy = [UInt8](repeating: 0xFF, count: count)
    #expect(try annals(bytes("backup"), name, copy).status == 0)
    #expect(try annals(bytes("verify"), copy).status == 0)
    #expect(try folder.names() == [name, copy, bytes("one.jsonl"), bytes("many.jsonl")])
    let long = try annals(bytes("import"), [UInt8](repeating: UInt8(ascii: "n"), count: 256), lines)
    #expect(long.status == 74, "\(long.errors)")
  }

  @Test func `the example takes the paths of its repository and its store as they are`() throws {
    let program = try #require(SpawnedProgram.path("githistory"))
    let script = """
      git init -q r && cd r && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one
      """
    #expect(try SpawnedProgram("/bin/sh", [bytes("-c"), bytes(script)], in: folder).status == 0)
    let repository = bytes("r") + [0xFF]
    try rename("r", to: repository)
    let store = bytes("~") + [0xFE]
    let run = try SpawnedProgram(program, [repository, bytes("--store"), store], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("1 new commit"))
    #expect(run.output.contains("annals info $'~\\xfe'"))
    #expect(
      try folder.names() == [repository, store, bytes("one.jsonl"), bytes("many.jsonl")])
  }

  /// Gives a file of the folder a name of any bytes.
  private func rename(_ old: String, to name: [UInt8]) throws {
    #expect(try SpawnedProgram("mv", [bytes(old), name], in: folder).status == 0)
  }
}
