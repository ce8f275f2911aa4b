import Annals
import Foundation
import Testing

@testable import AnnalsCommand
@testable import AnnalsMaintenance

/// `close`, `reopen`, `truncate`, `retain`, `erase` and `erasures`.
@Suite struct RetiringVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = folder.path("orders.annals")
    let payload = try Payload(.map([]))
    let log = try EventLog(at: URL(filePath: store))
    for stream in ["order-1", "order-2"] as [StreamName] {
      try await log.append(
        (0..<3).map { _ in NewEntry(type: "Placed", version: nil, payload: payload) }, to: stream)
    }
  }

  private func run(_ words: String...) async -> CommandRun { await CommandRun(words) }

  @Test func `close and reopen say from where on, and whether anything changed`() async throws {
    let close = await run("close", store, "order-1", "--by", "jane", "--because", "done")
    #expect(close.status == 0 && close.output == "stream 'order-1' is closed from position 7 on\n")
    let again = await run("close", store, "order-1", "--json")
    #expect(again.output == "{\"stream\":\"order-1\",\"changed\":false,\"position\":null}\n")
    let payload = try Payload(.map([]))
    await #expect(throws: AnnalsError.self) {
      try await EventLog(at: URL(filePath: store)).append(
        [NewEntry(type: "Placed", version: nil, payload: payload)], to: "order-1")
    }
    #expect(await run("reopen", store, "order-1").output == "stream 'order-1' is open from position 8 on\n")
    let unknown = await run("close", store, "order-9")
    #expect(unknown.status == 1 && unknown.errors.contains("noSuchStream: stream 'order-9'"))
  }

  @Test func `truncate hides events from read with a stream`() async throws {
    #expect(
      await run("truncate", store, "order-1", "--before", "0").output
        == "stream 'order-1' has no events before revision 0 left to hide; nothing was changed\n")
    #expect(await run("truncate", store, "order-1", "--before", "2").status == 0)
    #expect(await run("read", store, "--stream", "order-1").lines.count == 1)
    #expect(await run("truncate", store, "order-1").status == 0)
    #expect(await run("read", store, "--stream", "order-1").output == "")
    #expect(await run("truncate", store, "order-1", "--before", "x").status == 64)
  }

  @Test func `retain stores rules, counts in a dry run, and applies them`() async throws {
    #expect(await run("retain", store, "--rule", "order-", "--count", "1").status == 0)
    #expect(await run("retain", store, "--list").output == "streams 'order-…' keep the newest 1 events\n")
    let rehearsal = await run("retain", store, "--dry-run")
    #expect(rehearsal.output == "4 events of 2 streams would be hidden\n")
    #expect(await run("retain", store).output == "4 events of 2 streams are hidden\n")
    #expect(
      await run("retain", store, "--json").output == "{\"streams\":0,\"events\":0,\"rehearsal\":false}\n")
    #expect(await run("retain", store, "--remove", "order-").output == "the rule for 'order-' is removed\n")
    #expect(await run("retain", store, "--list").output == "")
    #expect(
      await run("retain", store, "--rule", "a", "--count", "2", "--days", "1", "--json").output
        == "{\"prefix\":\"a\",\"count\":2,\"seconds\":86400,\"changed\":true}\n")
    for isChanged in [true, false] {
      #expect(
        await run("retain", store, "--remove", "a", "--json").output
          == "{\"prefix\":\"a\",\"changed\":\(isChanged)}\n")
    }
    for words in [
      ["--count", "1"], ["--rule", "a", "--count", "0"], ["--list", "--dry-run"], ["--rule", "--json"],
    ] {
      #expect(await CommandRun(["retain", store] + words).status == 64)
    }
  }

  @Test func `erasures exits with 1 until the bytes are in no file of the store`() async throws {
    let backup = folder.path("backup.annals")
    #expect(await run("backup", store, backup).status == 0)
    #expect(await run("erasures", store).status == 0)
    let erase = await run("erase", store, "--stream", "order-1", "--by", "jane", "--because", "request 7")
    #expect(erase.status == 0)
    #expect(erase.output == "erased 3 entries; 'annals erasures' lists where their bytes may still be\n")
    let first = await run("erasures", store)
    #expect(first.status == 1)
    #expect(first.output.contains("3 entries, by jane: request 7; may remain in generation 1, backup "))
    #expect(await run("compact", store).status == 0)
    #expect(await run("discard-previous", store).status == 0)
    let second = await run("erasures", store, "--json")
    #expect(second.status == 1 && !second.output.contains("generation 1"))
    let id = try #require(
      second.output.firstRange(of: "backup ").map { second.output[$0.upperBound...].prefix(36) })
    #expect(await run("erasures", store, "--forget", String(id)).status == 0)
    let last = await run("erasures", store)
    #expect(last.status == 0 && last.output.contains("in no file of the store"))
    #expect(await run("erasures", store, "--forget", UUID().uuidString).status == 64)
    #expect(await run("verify", store).status == 0)
    let stubs = await run("read", store).lines.filter { $0.contains("\"stub\":\"request 7\"") }
    // The last one is the system entry.
    #expect(stubs.count == 4 && stubs.last?.contains("\"stream\":\"$annals\"") == true)
  }

  @Test func `erasures lists an erasure that was cut short, exits with 1, and completes it with --finish`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [store = store as String] in
      let log = try EventLog(at: URL(filePath: store))
      let observer = ErasurePoint.Observer { if $0 == .withdrawn { _ = kill(getpid(), SIGKILL) } }
      try ErasurePoint.$observer.withValue(observer) {
        _ = try log.erase([1, 2, 5], by: "jane", because: "request 7")
      }
    }
    let first = await run("erasures", store)
    #expect(first.status == 1)
    #expect(
      first.output
        == "not complete: the erasure of the entries 1-2, 5, by jane: request 7; the next open of the store with its plan, or --finish, completes it\n"
    )
    let json = await run("erasures", store, "--json")
    #expect(json.status == 1)
    #expect(
      json.output
        == "{\"unfinished\":true,\"by\":\"jane\",\"because\":\"request 7\",\"positions\":[\"1-2\",\"5\"]}\n"
    )
    let finished = await run("erasures", store, "--finish")
    #expect(finished.status == 1)
    #expect(finished.output.contains("3 entries, by jane: request 7; may remain in generation 1"))
    #expect(!finished.output.contains("not complete"))
    #expect(await run("compact", store).status == 0)
    #expect(await run("discard-previous", store).status == 0)
    #expect(await run("erasures", store, "--finish").status == 0)
  }

  @Test func `an export of a store with erasures is imported without its stubs, which are counted`()
    async throws
  {
    let position = await run("erase", store, "--position", "2", "--by", "j", "--because", "b", "--json")
    #expect(position.status == 0)
    let lines = await run("read", store).lines
    let file = folder.path("export.jsonl")
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let copy = folder.path("copy.annals")
    let refused = await run("import", copy, file)
    #expect(refused.status == 65 && refused.errors.contains("--skip-stubs"), "\(refused.errors)")
    let imported = await run("import", copy, file, "--skip-stubs")
    let stored = lines.count - 2
    #expect(
      imported.output == "\(stored) entries stored, 2 lines of stubs left out; \(lines.count) lines read\n",
      "\(imported.output) \(imported.errors)")
    #expect(await run("read", copy).lines.count == stored)
    let json = await run("import", copy, file, "--skip-stubs", "--json")
    #expect(json.output.contains("\"stubs\":2"))
    #expect(await run("verify", copy).status == 0)
  }

  @Test func `erase needs a selection, a person and a reason`() async throws {
    for words in [
      ["--stream", "order-1"], ["--stream", "order-1", "--by", "j"], ["--by", "j", "--because", "b"],
      ["--stream", "order-1", "--position", "1", "--by", "j", "--because", "b"],
      ["--position", "0", "--by", "j", "--because", "b"],
      ["--position", "+1", "--by", "j", "--because", "b"],
    ] {
      #expect(await CommandRun(["erase", store] + words).status == 64, "\(words)")
    }
    let erase = await run(
      "erase", store, "--position", "2", "--position", "5", "--by", "j", "--because", "b", "--json")
    #expect(erase.output == "{\"erased\":2,\"recorded\":[\"7\"]}\n")
    #expect(await run("erase", store, "--position", "99", "--by", "j", "--because", "b").status == 64)
    let system = await run("erase", store, "--position", "7", "--by", "j", "--because", "b")
    #expect(system.status == 64 && system.errors.contains("position 7: this entry records a change"))
    let stream = await run("erase", store, "--stream", "$annals", "--by", "j", "--because", "b")
    #expect(stream.status == 64 && stream.errors.contains("the stream '$annals' holds the log's own entries"))
  }

  @Test func `the command of a plan erases what a selection chooses, in all streams`() async throws {
    let parks = try TemporaryDirectory()
    let store = try await parks.parks(withFailure: false)
    let cities = ErasureSelection<ParksV2.Event>("city") { entry, city in
      if case .parkOpened(let park) = entry.event { park.city == city } else { false }
    }
    let command = MaintenanceCommand<ParkPlan>.command(called: "parks", [], [], [cities])
    func erase(_ words: String...) async -> CommandRun {
      await CommandRun(["erase", store] + words + ["--by", "jane", "--because", "request 7"], command)
    }
    #expect(await erase("--where", "city=Lyon").output == "there was nothing to erase\n")
    let run = await erase("--where", "city=Nantes")
    #expect(run.output == "erased 1 entries; 'annals erasures' lists where their bytes may still be\n")
    let first = try #require(await CommandRun("read", store).lines.first)
    #expect(first.contains("\"stub\":\"request 7\"") && !first.contains("Nantes"))
    let unknown = await erase("--where", "country=FR")
    #expect(unknown.status == 64 && unknown.errors.contains("no selection 'country'; this command has city"))
    for words in [["--where", "city"], ["--where", "=Nantes"], ["--where", "city=a", "--position", "1"]] {
      let run = await CommandRun(["erase", store] + words + ["--by", "j", "--because", "b"], command)
      #expect(run.status == 64, "\(words)")
    }
    let generic = await self.run("erase", store, "--where", "city=Nantes", "--by", "j", "--because", "b")
    #expect(generic.status == 64 && generic.errors.contains("needs the command of the store's plan"))
  }
}
