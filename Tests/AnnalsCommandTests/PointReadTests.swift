import Foundation
import Testing

/// How much of a store commands read, and whether other processes wait for them.
@Suite(.enabled(if: BuiltTool.path != nil, "the executable is not beside the test bundle"))
struct PointReadTests {
  /// Creates a store with this many entries of some hundred bytes in ten streams.
  private func store(_ name: String, _ entries: Int, in folder: TemporaryDirectory) throws {
    let text = String(repeating: "x", count: 400)
    let lines = (1...entries).map {
      #"{"stream":"s\#($0 % 10)","type":"T","data":{"n":\#($0),"t":"\#(text)"}}"#
    }
    _ = try folder.write("lines.jsonl", lines.joined(separator: "\n"))
    let run = try SpawnedProgram.annals("import", name, "lines.jsonl", in: folder)
    #expect(run.status == 0, "\(run.errors)")
  }

  /// The number of bytes that a command reads with system calls, and its status. Page checks read this way.
  private func bytesRead(_ words: [String], in folder: TemporaryDirectory) throws -> Int {
    let script = #""$0" "$@" >/dev/null || exit $?; cat /proc/$$/io"#
    let all = ["-c", script, BuiltTool.path ?? ""] + words
    let run = try SpawnedProgram("/bin/sh", all.map { Array($0.utf8) }, in: folder)
    #expect(run.status == 0, "\(words): \(run.errors)")
    let line = run.output.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
    return try #require(line.flatMap { Int($0.dropFirst(7)) })
  }

  // Promise P178.
  @Test func `the bytes that a command reads for a few entries do not grow with the log`() throws {
    let folder = try TemporaryDirectory()
    let sizes = ["small": 80, "larger": 800, "large": 8_000]
    for (name, entries) in sizes.sorted(by: { $0.value < $1.value }) { try store(name, entries, in: folder) }
    let size = try FileManager.default.attributesOfItem(atPath: folder.path("large/log-000001.mdb"))
    let whole = try #require(size[.size] as? Int)
    #expect(whole > 3 << 20)
    let commands: [(String, [String])] = [
      ("read", ["--stream", "s1", "--limit", "2"]), ("read", ["--limit", "1"]), ("info", []),
      ("census", []), ("streams", []), ("views", []), ("leases", []),
    ]
    for (verb, options) in commands {
      let small = try bytesRead([verb, "small"] + options, in: folder)
      for name in ["larger", "large"] {
        let large = try bytesRead([verb, name] + options, in: folder)
        #expect(abs(large - small) < 128 << 10, "\(verb) \(options): \(small) and \(large)")
      }
    }
    // Every page is checked if nobody is trusted, or if the command reads all pages anyway.
    for words in [["read", "large", "--limit", "1", "--trust", "nobody"], ["dump", "large"]] {
      #expect(try bytesRead(words, in: folder) > whole / 2, "\(words)")
    }
    #expect(try bytesRead(["dump", "large", "--trust", "own"], in: folder) < whole / 2)
    #expect(try SpawnedProgram.annals("read", "small", "--trust", "me", in: folder).status == 64)
  }

  @Test func `no command that reads takes the locks of writers`() throws {
    let folder = try TemporaryDirectory()
    try store("s", 20, in: folder)
    let words = [
      ["info", "s"], ["census", "s"], ["streams", "s"], ["read", "s"], ["dump", "s"], ["verify", "s"],
      ["views", "s"], ["leases", "s"], ["read", "s", "--trust", "nobody"], ["backup", "s", "copy"],
      ["restore", "s", "again"],
    ]
    // Other processes always hold the locks. A command that needed one would wait until it is ended with 124.
    let script =
      #"exec 8<s/queue.lock 9<s/write.lock; flock -x 8; flock -x 9; timeout 100 "$0" "$@" 8<&- 9<&-"#
    for line in words {
      let all = ["-c", script, BuiltTool.path ?? ""] + line
      let run = try SpawnedProgram("/bin/sh", all.map { Array($0.utf8) }, in: folder)
      #expect(run.status == 0, "\(line): \(run.errors)")
    }
  }

  @Test func `a damaged page is an error where nobody is trusted`() throws {
    let folder = try TemporaryDirectory()
    try store("s", 200, in: folder)
    let file = URL(filePath: folder.path("s/log-000001.mdb"))
    var bytes = try Data(contentsOf: file)
    for page in stride(from: 2 * 4096, to: bytes.count, by: 4096)
    where bytes[page..<page + 4096].range(of: Data("xxxxxxxxxxxx".utf8)) != nil {
      bytes[page + 12] = 0xff
      bytes[page + 13] = 0xff
    }
    try bytes.write(to: file)
    for line in [["read", "s", "--trust", "nobody"], ["streams", "s", "--trust=nobody"], ["dump", "s"]] {
      let run = try SpawnedProgram(
        BuiltTool.path ?? "", line.map { Array($0.utf8) }, in: folder)
      #expect(run.status == 65, "\(line): \(run.errors)")
      #expect(run.errors.contains("damaged places"), "\(run.errors)")
    }
    #expect(try SpawnedProgram.annals("verify", "s", in: folder).status == 1)
    #expect(try SpawnedProgram.annals("backup", "s", "copy", in: folder).status == 65)
    #expect(try SpawnedProgram.annals("info", "s", in: folder).status == 65)
  }
}
