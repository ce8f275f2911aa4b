import Foundation
import Testing

@testable import AnnalsCommand

/// The output and results of `backup` and `restore`.
@Suite struct BackupVerbTests {
  @Test func `a backup has the contents of the store, and verifies`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let copy = folder.path("copy.annals")
    let run = await CommandRun("backup", store, copy)
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("5 entries in 2 streams backed up, "))
    #expect(await CommandRun("dump", copy).output == CommandRun("dump", store).output)
    #expect(await CommandRun("verify", copy).status == 0)
  }

  @Test func `a restored store is another incarnation, and the backup stays as it is`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let (copy, restored) = (folder.path("copy.annals"), folder.path("restored.annals"))
    #expect(await CommandRun("backup", store, copy, "--json").status == 0)
    let before = try TemporaryDirectory.content(copy)
    let run = await CommandRun("restore", copy, restored, "--json")
    #expect(run.status == 0)
    let line = try #require(try run.objects().first)
    #expect(line["entries"] as? Int == 5)
    #expect(line["incarnation"] as? Int == 1)
    #expect(try TemporaryDirectory.content(copy) == before)
    #expect(await CommandRun("dump", restored).output == CommandRun("dump", store).output)
    #expect(await CommandRun("verify", restored).status == 0)
  }

  @Test(arguments: ["backup", "restore"])
  func `an existing file or folder is never replaced`(verb: String) async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let file = try folder.write("taken", "mine")
    let run = await CommandRun(verb, store, file)
    #expect(run.status == 73)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(await CommandRun(verb, store, store).status == 73)
    #expect(await CommandRun(verb, store, "/").status == 73)
    #expect(await CommandRun(verb, store, folder.path("missing/copy.annals")).status == 73)
  }

  @Test(arguments: ["backup", "restore"])
  func `a source that is no store is refused, and nothing is created`(verb: String) async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun(verb, folder.store, folder.path("copy.annals")).status == 66)
    let file = try folder.write("text", "no store")
    #expect(await CommandRun(verb, file, folder.path("copy.annals")).status == 65)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["text"])
  }
}
