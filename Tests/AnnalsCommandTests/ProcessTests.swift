import Foundation
import Testing

/// The executable that was built with the tests.
enum BuiltTool {
  /// Its path, next to the test bundle.
  static let path: String? = {
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tool = bundle.map {
      URL(filePath: $0).deletingLastPathComponent().appendingPathComponent("annals").path
    }
    return tool.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
  }()
}

/// The command as a process of its own: pipes, limits and exit statuses.
@Suite(.enabled(if: BuiltTool.path != nil, "the executable is not beside the test bundle"))
struct ProcessTests {
  /// A store with some hundred kilobytes of lines.
  private func filled(_ folder: TemporaryDirectory) async throws -> String {
    let text = String(repeating: "x", count: 100)
    let lines = (1...3_000).map { #"{"stream":"a","type":"T","data":{"n":\#($0),"t":"\#(text)"}}"# }
    let file = try folder.write("many.jsonl", lines.joined(separator: "\n"))
    #expect(await CommandRun("import", folder.store, file).status == 0)
    return folder.store
  }

  /// Runs a line of shell in which `annals` is the executable, in `folder`.
  private func shell(_ line: String, in folder: TemporaryDirectory) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "annals() { \"$TOOL\" \"$@\"; }; \(line)"]
    process.environment = ["TOOL": BuiltTool.path ?? "", "PATH": "/usr/bin:/bin"]
    process.currentDirectoryURL = folder.url
    let output = Pipe()
    let errors = try FileHandle(forWritingTo: URL(filePath: try folder.write("errors", "")))
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try errors.close()
    return (
      process.terminationStatus, String(decoding: bytes, as: UTF8.self),
      String(decoding: try Data(contentsOf: URL(filePath: folder.path("errors"))), as: UTF8.self)
    )
  }

  @Test(arguments: ["dump", "read", "streams --json", "read --raw"])
  func `a closed pipe ends it quietly`(words: String) async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let run = try shell("(annals \(words) orders.annals; echo $? >status) | head -c 1", in: folder)
    #expect(run.output.utf8.count == 1)
    #expect(run.errors == "")
    #expect(try String(contentsOfFile: folder.path("status"), encoding: .utf8) == "0\n")
  }

  @Test func `followed entries appear as they are appended, until an interruption`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    _ = try folder.write("one.jsonl", #"{"stream":"b","type":"T","data":{"n":3001}}"#)
    let run = try shell(
      """
      : >lines
      annals read orders.annals --from 2999 --follow >lines & reader=$!
      for try in $(seq 1200); do [ $(wc -l <lines) -ge 2 ] && break; sleep 0.05; done
      annals import orders.annals one.jsonl >/dev/null
      for try in $(seq 1200); do [ $(wc -l <lines) -ge 3 ] && break; sleep 0.05; done
      pkill -INT -P $reader; wait $reader; echo $?
      """, in: folder)
    #expect(run.output == "0\n")
    #expect(run.errors == "")
    let lines = try String(contentsOfFile: folder.path("lines"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.last?.hasPrefix(#"{"position":3001,"stream":"b","#) == true)
    #expect(await CommandRun("read", folder.store, "--follow", "--backwards").status == 64)
    let limited = await CommandRun("read", folder.store, "--follow", "--from", "3000", "--limit", "2")
    #expect(limited.status == 0 && limited.lines.count == 2)
  }

  @Test func `following ends when nobody reads the output any more, and at once while older entries wait`()
    async throws
  {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let closed = try shell(
      """
      : >status
      (annals read orders.annals --from 3000 --follow; echo $? >status) | head -c 1 >first
      for try in $(seq 1200); do [ -s status ] && break; sleep 0.05; done
      cat status
      """, in: folder)
    #expect(closed.output == "0\n")
    // The reader takes nothing, so the command waits with most of the entries unwritten.
    let stopped = try shell(
      """
      mkfifo pipe; sleep 100 <pipe & reader=$!
      annals read orders.annals --follow >pipe & annals=$!
      sleep 1; kill -TERM $annals; wait $annals; echo $?; kill $reader
      """, in: folder)
    #expect(stopped.output == "143\n")
  }

  @Test func `a full disk under the output is 74`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let run = try shell("annals dump orders.annals >/dev/full", in: folder)
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("annals: diskFull: writing the output failed"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `an output that is not open is 74`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let run = try shell("annals info orders.annals >&-", in: folder)
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("annals: inputOutput: writing the output failed"))
  }

  @Test func `a limit of the file's size is a full disk, for the output and for the store`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let dump = try shell("ulimit -f 64; annals dump orders.annals >out", in: folder)
    #expect(dump.status == 74)
    #expect(dump.errors.hasPrefix("annals: diskFull: "))
    let store = try shell("ulimit -f 256; annals import new.annals many.jsonl", in: folder)
    #expect(store.status == 74, "\(store.errors)")
    #expect(store.errors.split(separator: "\n").count == 1)
    #expect(
      try shell("annals verify new.annals && annals import new.annals many.jsonl", in: folder).status == 0)
  }

  @Test func `import reads standard input, and dump feeds it`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let run = try shell("annals dump orders.annals | annals import copy.annals -", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "3000 entries stored; 3000 lines read\n")
    #expect(
      try shell("annals dump orders.annals >a; annals dump copy.annals >b; cmp a b", in: folder).status == 0)
  }

  @Test func `an input that comes in pieces is one input`() async throws {
    let folder = try TemporaryDirectory()
    let pieces =
      #"(printf '{"stream":"a","ty'; sleep 0.1; printf 'pe":"T","data":{}}\n{"stream'; sleep 0.1; printf '":"a","type":"T","data":{}}')"#
    let run = try shell("\(pieces) | annals import x.annals -", in: folder)
    #expect(run.output == "2 entries stored; 2 lines read\n")
  }

  @Test(
    arguments: [
      ("annals", 64), ("annals what", 64), ("annals info nowhere.annals", 66), ("annals info /dev/null", 65),
      ("annals import no/where.annals many.jsonl", 73), ("annals import x.annals nothing", 74),
      ("annals info orders.annals", 0), ("annals verify ./orders.annals/", 0), ("annals --help", 0),
    ] as [(String, Int32)])
  func `the shell sees the exit status`(line: String, status: Int32) async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    let run = try shell(line, in: folder)
    #expect(run.status == status, "\(run.errors)")
    #expect((run.errors == "") == (status == 0))
    #expect(!run.errors.contains("Fatal") && !run.errors.contains(".swift"))
  }

  @Test func `without a terminal there is no progress`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await filled(folder)
    #expect(try shell("annals dump orders.annals >out", in: folder).errors == "")
  }
}
