import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The exit statuses of the command.
@Suite struct ExitStatusTests {
  /// The table of the documented statuses.
  @Test(
    arguments: [
      (1, [.conflict, .duplicateID, .partialDuplicate, .ruleFailed, .verifyFailed, .collision, .cancelled]),
      (1, [.subjectForgotten, .rejected, .streamMoved, .streamClosed, .noSuchStream]),
      (65, [.keyMissing, .diverged, .needsCluster, .checkpointMismatch, .missingAttachment]),
      (64, [.wrongUse]),
      (
        65,
        [
          .invalidName, .tooLarge, .malformed, .notAStore, .incomplete, .foreign, .damaged, .formatVersion,
          .needsNewer, .newerSchema, .superseded, .unrepresentable, .storeTooOld, .invalidPlan, .shapeChanged,
          .noPath, .requiresActivation, .requiresPass, .undeclaredFields, .needsPlan,
        ]
      ),
      (66, [.noSuchStore]), (73, [.cannotCreate]),
      (
        74,
        [
          .diskFull, .notCommitted, .outcomeUnknown, .storeReplaced, .lockFileDamaged, .usedAfterFork,
          .inputOutput,
        ]
      ),
      (75, [.busy, .appendsSuspended, .tooManyReaders, .unavailable, .viewLags]),
      (77, [.readOnly, .permission]),
    ] as [(Int32, [AnnalsError.Code])])
  func `each kind of error has its status`(status: Int32, codes: [AnnalsError.Code]) {
    for code in codes { #expect(ExitStatus.of(code) == status, "\(code)") }
  }

  @Test func `1: an id twice`() async throws {
    let folder = try TemporaryDirectory()
    let line = #"{"stream":"a","type":"T","id":"00000000-0000-0000-0000-000000000001","data":{}}"#
    let run = await CommandRun("import", folder.store, try folder.write("lines", "\(line)\n\(line)\n"))
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("annals: duplicateID: lines 1 to 2: "))
  }

  @Test(arguments: [
    ["read", "--stream", ""], ["read", "--tag", ""], ["dump", "--tag", String(repeating: "t", count: 501)],
    ["close", "$annals"], ["truncate", String(repeating: "s", count: 501)],
    ["erase", "--stream", "", "--by", "j", "--because", "b"],
    ["retain", "--rule", String(repeating: "s", count: 501)],
  ])
  func `64: a name on the command line that nothing can have`(words: [String]) async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun([words[0], try await folder.filled()] + words.dropFirst())
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("annals: invalidName: "))
  }

  @Test(arguments: ["", "$annals"])
  func `65: a name in a line that nothing can have`(name: String) async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("lines", #"{"stream":"\#(name)","type":"T","data":{}}"#)
    let run = await CommandRun("import", folder.store, file)
    #expect(run.status == 65)
    #expect(run.errors.hasPrefix("annals: invalidName: line 1"))
  }

  @Test func `65: a bad line is named, with the place where programs continue`() async throws {
    let folder = try TemporaryDirectory()
    let good = #"{"stream":"a","type":"T","data":{}}"# + "\n"
    let file = try folder.write("lines", String(repeating: good, count: 4_500) + "{\n")
    let run = await CommandRun("import", folder.store, file)
    #expect(run.status == 65)
    #expect(
      run.errors
        == "annals: malformed: line 4501, column 2: the line ends inside a value; the lines up to 4000 are done: go on with --skip 4000\n"
    )
    let json = await CommandRun("import", folder.path("other.annals"), file, "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
    #expect(object?["line"] as? Int == 4_501)
    #expect(object?["column"] as? Int == 2)
    #expect(object?["linesStored"] as? Int == 4_000)
  }

  @Test func `66: no store, and none is created by reading`() async throws {
    let folder = try TemporaryDirectory()
    for verb in ["info", "streams", "census", "read", "dump", "verify"] {
      let run = await CommandRun(verb, folder.store)
      #expect(run.status == 66)
      #expect(run.errors.hasPrefix("annals: noSuchStore: "))
      #expect(run.errors.split(separator: "\n").count == 1)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test func `73: a store cannot be created where there is no folder`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun("import", folder.path("no/such.annals"), try folder.write("lines", ""))
    #expect(run.status == 73)
  }

  @Test func `74: an input that cannot be read, before a store is created`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun("import", folder.store, folder.path("missing.jsonl"))
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("annals: inputOutput: opening '"))
    #expect(!FileManager.default.fileExists(atPath: folder.store))
    #expect(await CommandRun("import", folder.store, folder.url.path).status == 74)
  }

  @Test func `74: an output that has no room`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun(
      "dump", try await folder.filled(), limit: 10, refusal: .failed(SystemError(code: ENOSPC)))
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("annals: diskFull: writing the output failed"))
  }

  @Test func `75: a program that has the store open for reading is in the way`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let reader = try EventLog(at: StorePath(CommandWord(store)))
    let run = await CommandRun("import", store, try folder.write("more", ""))
    #expect(run.status == 75)
    #expect(run.errors.hasPrefix("annals: busy: "))
    #expect(try reader.info().entries == 5)
  }

  @Test func `77: a file that can be reached from outside the store`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    try FileManager.default.linkItem(atPath: store + "/log-000001.mdb", toPath: folder.path("other"))
    let run = await CommandRun("dump", store)
    #expect(run.status == 77)
    #expect(run.errors.hasPrefix("annals: permission: "))
  }

  @Test func `1: a check that found something, each finding with place and repair`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("lines", #"{"stream":"a","type":"T","data":{"n":"find-me-1"}}"#)
    #expect(await CommandRun("import", folder.store, file).status == 0)
    let log = URL(filePath: folder.store + "/log-000001.mdb")
    var bytes = try Data(contentsOf: log)
    let found = try #require(bytes.range(of: Data("find-me-1".utf8)))
    bytes[found.lowerBound] ^= 0x20
    try bytes.write(to: log)
    let run = await CommandRun("verify", folder.store)
    #expect(run.status == 1)
    #expect(run.lines.first?.hasPrefix("position 1: ") == true)
    #expect(run.lines.first?.hasSuffix("; restore from a backup") == true)
    #expect(run.lines.last == "1 entries in 1 streams, \(run.lines.count - 1) findings")
    let json = try await CommandRun("verify", folder.store, "--json").objects()
    #expect(json.first?["position"] as? Int == 1)
    #expect(json.first?["repair"] as? String == "restore from a backup")
    #expect(json.last?["findings"] as? Int == json.count - 1)
    // The status reports findings even if the reader stops early.
    #expect(await CommandRun("verify", folder.store, limit: 3).status == 1)
  }

  @Test func `0: an output without a reader`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun("dump", try await folder.filled(), limit: 10)
    #expect(run.status == 0)
    #expect(run.errors == "")
  }
}
