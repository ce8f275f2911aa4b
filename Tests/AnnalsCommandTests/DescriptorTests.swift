import Foundation
import Testing

/// Programs that are started with closed descriptors: no file of a store gets the number of the output.
@Suite(.enabled(if: BuiltTool.path != nil, "the executable is not beside the test bundle"))
struct DescriptorTests {
  private static let sets: [Set<Int32>] = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]

  @Test(arguments: sets)
  func `closed descriptors change nothing but input and output`(closed: Set<Int32>) async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("one.jsonl", #"{"stream":"a","type":"T","data":{"n":1}}"#)
    let program = BuiltTool.path ?? ""
    func annals(_ words: String...) throws -> SpawnedProgram {
      try SpawnedProgram(program, words.map { Array($0.utf8) }, in: folder, closed: closed)
    }
    let status: Int32 = closed.contains(1) ? 74 : 0
    #expect(try annals("import", "s", "one.jsonl").status == status)
    for verb in ["info", "read", "verify", "census", "streams", "views", "leases"] {
      let run = try annals(verb, "s")
      #expect(run.status == status, "\(verb): \(run.errors)")
    }
    #expect(try annals("backup", "s", "copy").status == status)
    #expect(try annals("info", "nowhere").status == 66)
    #expect(try annals("import", "s", "-").status == (closed.contains(0) ? 74 : status))
    for store in ["s", "copy"] {
      let check = await CommandRun("verify", folder.path(store))
      #expect(check.output == "1 entries in 1 streams, nothing wrong\n", "\(check.errors)")
      // No file of the store has the output of the programs.
      for (name, content) in try TemporaryDirectory.content(folder.path(store)) {
        #expect(content.range(of: Data("1 entries".utf8)) == nil, "\(store)/\(name)")
      }
    }
  }

  @Test(arguments: sets)
  func `the example works with closed descriptors`(closed: Set<Int32>) async throws {
    let program = try #require(SpawnedProgram.path("githistory"))
    let folder = try TemporaryDirectory()
    let script = """
      git init -q r && cd r && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one
      """
    #expect(try SpawnedProgram("/bin/sh", [Array("-c".utf8), Array(script.utf8)], in: folder).status == 0)
    let words = ["r", "--store", "s"].map { Array($0.utf8) }
    let run = try SpawnedProgram(program, words, in: folder, closed: closed)
    #expect(run.status == (closed.contains(1) ? 74 : 0), "\(run.errors)")
    let check = await CommandRun("verify", folder.path("s"))
    #expect(check.status == 0, "\(check.errors)")
  }
}
