import Annals
import Foundation
import Testing

@testable import GitHistory

/// The executable that was built with the tests.
private enum MaintenanceTool {
  /// Its path, next to the test bundle.
  static let url: URL? = {
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tool = bundle.map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "githistory-maintenance")
    }
    return tool.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }
  }()
}

/// The example's maintenance command as a process of its own, on a history that the example has read.
@Suite(
  .enabled(
    if: TemporaryRepository.git != nil && MaintenanceTool.url != nil,
    "git, or the executable beside the test bundle, is absent"))
struct MaintenanceTests {
  private let repository: TemporaryRepository
  private let store: String

  init() async throws {
    repository = try TemporaryRepository()
    try repository.add([
      .init(message: Array("first".utf8), [ImportedCommit.file("a.txt", "x")]),
      .init(
        message: Array("second".utf8), [ImportedCommit.file("a.txt", "y"), ImportedCommit.file("b.txt", "z")]),
    ])
    store = repository.beside("history.annals")
    var (output, errors) = ("", "")
    try #require(
      await Program.run(
        [CommandWord(repository.path), "--store", CommandWord(store)], to: &output, errors: &errors) == 0,
      "\(errors)")
  }

  private func run(_ words: String...) throws -> (status: Int32, lines: [String]) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = MaintenanceTool.url
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      process.terminationStatus,
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    )
  }

  @Test func `it uses the name of its program`() throws {
    let run = try run("--help")
    #expect(run.status == 0)
    #expect(run.lines.first == "usage: githistory-maintenance <verb> <store> [options]")
  }

  @Test func `the plan opens the store`() throws {
    #expect(try run("check", "--store", store).status == 0)
  }

  @Test func `a dump at the current version has a line for each commit, file and reading`() throws {
    let run = try run("dump", store, "--as", "current")
    #expect(run.status == 0)
    let types = ["CommitRecorded", "FileChanged", "HistoryRead"].map { type in
      run.lines.count { $0.contains("\"type\":\"\(type)\",\"version\":\"3.0.0\"") }
    }
    #expect(types == [2, 3, 1])
    #expect(run.lines.count == 6)
  }

  @Test func `an entry is explained up to the current version`() throws {
    let run = try run("explain", store, "1")
    #expect(run.status == 0)
    #expect(run.lines.contains("1.0.0 -> 2.0.0"))
    #expect(run.lines.contains("  CommitMade: Split"))
    #expect(run.lines.contains("now, version 3.0.0"))
  }

  @Test func `the views of the example are listed and rebuilt`() throws {
    let listed = try run("views", store)
    #expect(listed.status == 0)
    #expect(listed.lines.suffix(2) == ["authors 2: up to date", "files 1: up to date"])
    #expect(listed.lines.contains { $0.hasPrefix("authors\t2\tready\t3\t0\t") })
    let built = try run("rebuild", store, "files")
    #expect(built.status == 0)
    #expect(built.lines == ["'files', version 1, is built up to position 3"])
  }
}
