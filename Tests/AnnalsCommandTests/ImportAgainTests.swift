import Foundation
import Testing

/// `import` of lines whose ids the store has already: each id is stored once.
@Suite struct ImportAgainTests {
  private static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// A line with the id of this number, in one of `streams` streams.
  private static func line(_ number: Int, streams: Int) -> String {
    #"{"stream":"s\#(number % streams)","type":"T","id":"\#(id(number))","data":{"n":\#(number)}}"#
  }

  private static func file(
    _ name: String, _ numbers: some Sequence<Int>, streams: Int, in folder: TemporaryDirectory
  ) throws -> String {
    try folder.write(name, numbers.map { line($0, streams: streams) + "\n" }.joined())
  }

  /// The ids of all entries, each with its stream.
  private func stored(_ store: String) async throws -> [String] {
    try await CommandRun("dump", store).objects().map { "\($0["stream"] ?? "") \($0["id"] ?? "")" }
  }

  @Test(arguments: [1, 7, 3_000])
  func `one new line before the known ones is the only one that is stored`(streams: Int) async throws {
    let folder = try TemporaryDirectory()
    let known = try Self.file("known.jsonl", 1...5_000, streams: streams, in: folder)
    #expect(
      await CommandRun("import", folder.store, known).output == "5000 entries stored; 5000 lines read\n")
    let more = try Self.file("more.jsonl", [streams * 6_000] + Array(1...5_000), streams: streams, in: folder)
    let again = await CommandRun("import", folder.store, more)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output == "1 entries stored, 5000 were there already; 5001 lines read\n")
    let stored = try await stored(folder.store)
    #expect(stored.count == 5_001 && Set(stored).count == 5_001)
  }

  @Test func `known lines are found in any order and between new ones`() async throws {
    let folder = try TemporaryDirectory()
    let seed = UInt64.random(in: 0...9_999)
    var generator = SeededGenerator(seed: seed)
    var numbers = Array(1...6_000)
    let first = try Self.file("first.jsonl", numbers.shuffled(using: &generator), streams: 9, in: folder)
    #expect(await CommandRun("import", folder.store, first).status == 0)
    numbers += 6_001...7_500
    for round in 1...2 {
      let name = "round\(round).jsonl"
      let file = try Self.file(name, numbers.shuffled(using: &generator), streams: 9, in: folder)
      let run = await CommandRun("import", folder.store, file, "--json")
      let wanted = round == 1 ? (1_500, 6_000) : (0, 7_500)
      #expect(
        run.output == "{\"lines\":7500,\"stored\":\(wanted.0),\"repeated\":\(wanted.1),\"stubs\":0}\n",
        "seed \(seed)")
    }
    let stored = try await stored(folder.store)
    #expect(stored.count == 7_500 && Set(stored).count == 7_500, "seed \(seed)")
  }

  @Test func `an id that comes again in a later batch of the same file is stored once`() async throws {
    let folder = try TemporaryDirectory()
    let file = try Self.file("twice.jsonl", Array(1...4_500) + [17, 3_900, 4_501], streams: 3, in: folder)
    let run = await CommandRun("import", folder.store, file)
    #expect(run.output == "4501 entries stored, 2 were there already; 4503 lines read\n")
    #expect(try await stored(folder.store).count == 4_501)
  }

  @Test(.enabled(if: BuiltTool.path != nil, "the executable is not next to the test bundle"))
  func `two processes that import one file at once store each id once`() async throws {
    let folder = try TemporaryDirectory()
    _ = try Self.file("up.jsonl", 1...12_000, streams: 40, in: folder)
    _ = try Self.file("down.jsonl", (1...12_000).reversed(), streams: 40, in: folder)
    #expect(await CommandRun("import", folder.store, try folder.write("none.jsonl", "")).status == 0)
    let processes = try [("up", "one"), ("up", "two"), ("down", "three")].map { input, output in
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec \"$TOOL\" import orders.annals \(input).jsonl --json >\(output)"]
      process.environment = ["TOOL": BuiltTool.path ?? "", "PATH": "/usr/bin:/bin"]
      process.currentDirectoryURL = folder.url
      try process.run()
      return process
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    var sums = (stored: 0, repeated: 0)
    for name in ["one", "two", "three"] {
      let data = try Data(contentsOf: URL(filePath: folder.path(name)))
      let report = try #require(JSONSerialization.jsonObject(with: data) as? [String: Int])
      sums = (sums.stored + (report["stored"] ?? 0), sums.repeated + (report["repeated"] ?? 0))
    }
    #expect(sums == (12_000, 24_000))
    let stored = try await stored(folder.store)
    #expect(stored.count == 12_000 && Set(stored).count == 12_000)
  }
}
