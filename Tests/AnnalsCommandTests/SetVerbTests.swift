import Annals
import Foundation
import Testing

/// `set idempotency`.
@Suite struct SetVerbTests {
  @Test func `the index of ids is made and removed, and info says so`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let made = await CommandRun("set", "idempotency", store, "always")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output == "event ids are recognised by 'always' from now on\n")
    let again = await CommandRun("set", "idempotency", store, "always", "--json")
    #expect(again.output == "{\"idempotency\":\"always\",\"changed\":false}\n")
    #expect(await CommandRun("info", store).lines.contains("event ids   all in an index"))
    let info = try await CommandRun("info", store, "--json").objects()
    #expect(
      info.first?["idempotency"] as? String == "always" && info.first?["window"] == nil
        && (info.first?["requires"] as? [String])?.sorted() == ["ids", "journal", "journal-hash", "times"])
    #expect(await CommandRun("verify", store).status == 0)
    #expect(await CommandRun("set", "idempotency", store, "window=7").status == 0)
    #expect(await CommandRun("info", store).lines.contains("id window   7 entries a stream"))
    #expect(try await CommandRun("info", store, "--json").objects().first?["window"] as? Int == 7)
    #expect(await CommandRun("verify", store).status == 0)
  }

  @Test(
    arguments: [
      ["set", "window", "x", "always"], ["set", "idempotency", "x"], ["set", "idempotency", "x", "never"],
      ["set", "idempotency", "x", "window=0"], ["set", "idempotency", "x", "window=65537"],
      ["set", "idempotency", "x", "window=+5"], ["set", "idempotency", "x", "window="],
    ])
  func `other words are refused`(words: [String]) async {
    #expect(await CommandRun(words).status == 64)
  }

  @Test func `a store that is not there is not created`() async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun("set", "idempotency", folder.store, "always").status == 66)
    #expect(!FileManager.default.fileExists(atPath: folder.store))
  }

  @Test(.enabled(if: BuiltTool.path != nil, "the executable is not next to the test bundle"))
  func `a program that has the store open follows the change of another process`() async throws {
    let folder = try TemporaryDirectory()
    let log = try EventLog(at: URL(filePath: folder.store))
    func entries(_ count: Int, id: UUID? = nil) throws -> [NewEntry] {
      try (0..<count).map {
        NewEntry(type: "T", version: nil, payload: try Payload(["n": .init($0)]), id: id)
      }
    }
    let id = UUID()
    try await log.append(entries(1, id: id), to: "a")
    try await log.append(entries(100), to: "a")
    for (word, isKnown) in [("always", true), ("window=2", false), ("always", true)] {
      let process = Process()
      process.executableURL = URL(filePath: BuiltTool.path ?? "")
      process.arguments = ["set", "idempotency", folder.store, word]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let again = try await log.append(entries(1, id: id), to: "a")
      #expect(again.wasRepeated == isKnown)
      try await log.append(entries(3), to: "a")
    }
    #expect(await CommandRun("verify", folder.store).status == 0)
  }
}
