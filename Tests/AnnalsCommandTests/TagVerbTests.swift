import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// Tags on the command line.
@Suite struct TagVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = folder.store
    let log = try EventLog(at: URL(filePath: store))
    let payload = try Payload(["n": 1])
    func new(_ type: String, _ tags: [EventTag]) -> NewEntry {
      NewEntry(type: type, version: nil, payload: payload, tags: tags)
    }
    try await log.append(
      [
        new("Enrolled", ["course:c1", "student:s1"]), new("Enrolled", ["course:c1", "student:s2"]),
        new("Left", ["course:c1", "student:s1"]), new("Enrolled", ["course:c2", "student:s1"]),
        new("Paid", []),
      ], to: "events")
  }

  private func run(_ words: String...) async -> CommandRun { await CommandRun(words) }

  /// The positions of the lines of a command.
  private func positions(_ words: String...) async throws -> [Int] {
    let run = await CommandRun(words)
    try #require(run.status == 0, "\(run.errors)")
    return try run.objects().compactMap { $0["position"] as? Int }
  }

  @Test func `read and dump choose entries by type and by tags`() async throws {
    for verb in ["read", "dump"] {
      #expect(try await positions(verb, store) == [1, 2, 3, 4, 5])
      #expect(try await positions(verb, store, "--tag", "course:c1") == [1, 2, 3])
      #expect(try await positions(verb, store, "--tag", "course:c1", "--tag", "student:s1") == [1, 3])
      #expect(try await positions(verb, store, "--type", "Left", "--type", "Paid") == [3, 5])
      #expect(try await positions(verb, store, "--type", "Enrolled", "--tag=student:s1") == [1, 4])
      #expect(try await positions(verb, store, "--tag", "course:c9") == [])
      #expect(try await positions(verb, store, "--type", "Nothing") == [])
      #expect(try await positions(verb, store, "--after", "1", "--through", "3") == [2, 3])
      #expect(try await positions(verb, store, "--after", "1", "--tag", "course:c1") == [2, 3])
      #expect(try await positions(verb, store, "--after", "5") == [])
      #expect(await run(verb, store, "--through", "0").status == 64)
      #expect(await run(verb, store, "--after", "x").status == 64)
      #expect(await run(verb, store, "--tag", "").errors.contains("invalidName"))
    }
    #expect(
      try await positions("read", store, "--tag", "course:c1", "--backwards", "--limit", "2") == [3, 2])
    #expect(try await positions("read", store, "--backwards", "--after", "4", "--through", "2") == [3, 2])
    #expect(
      try await positions("read", store, "--stream", "events", "--after", "0", "--through", "2") == [2, 3])
    #expect(try await positions("read", store, "--stream", "events", "--tag", "student:s1") == [1, 3, 4])
    #expect(try await positions("read", store, "--type", "Enrolled", "--limit", "2") == [1, 2])
    #expect(await run("read", store, "--from", "1", "--after", "1").status == 64)
  }

  @Test func `read shows tags, and with --raw the bytes of their extension`() async throws {
    let line = try #require(await run("read", store, "--limit", "1").lines.first)
    #expect(line.contains(#""tags":["course:c1","student:s1"]"#))
    let raw = try #require(await run("read", store, "--limit", "1", "--raw").objects().first)
    // One extension of key 5 with 25 bytes: two tags, each with its text and the ordinal 0.
    let texts = ["course:c1", "student:s1"].map { text in
      let digits = text.utf8.map { String($0, radix: 16) }.joined()
      return "0\(String(text.utf8.count, radix: 16))\(digits)00"
    }
    #expect(raw["extensions"] as? String == "010518" + "02" + texts.joined())
    #expect((raw["flags"] as? [String])?.contains("extensions") == true)
  }

  @Test func `info and census show the number of tags`() async throws {
    #expect(await run("info", store).lines.contains("tags        4"))
    #expect(try await run("info", store, "--json").objects().first?["tags"] as? Int == 4)
    #expect(await run("census", store).lines.last == "tags\t4")
    #expect(try await run("census", store, "--json").objects().last?["tags"] as? Int == 4)
    let plain = try TemporaryDirectory()
    let untagged = try await plain.filled()
    #expect(await !run("info", untagged).output.contains("tags"))
    #expect(try await run("info", untagged, "--json").objects().first?["tags"] as? Int == 0)
    #expect(await !run("census", untagged).output.contains("tags"))
  }

  @Test func `an export of tagged entries is imported, also under another key`() async throws {
    let dump = await run("dump", store)
    let copy = folder.path("copy.annals")
    #expect(await run("import", copy, try folder.write("all.jsonl", dump.output)).status == 0)
    #expect(await run("dump", copy).output == dump.output)
    let other = folder.path("other.annals")
    let renamed = dump.output.replacingOccurrences(of: "\"tags\"", with: "\"labels\"")
    let file = try folder.write("renamed.jsonl", renamed)
    #expect(await run("import", other, file, "--field", "tags=labels").status == 0)
    #expect(await run("dump", other).output == dump.output)
  }

  @Test func `erase takes tags and types`() async throws {
    func erase(_ words: String...) async -> CommandRun {
      await CommandRun(["erase", store] + words + ["--by", "jane", "--because", "request 7"])
    }
    let first = await erase("--tag", "student:s1", "--type", "Enrolled")
    #expect(first.output == "erased 2 entries; 'annals erasures' lists where their bytes may still be\n")
    #expect(try await positions("read", store, "--tag", "student:s1") == [3])
    #expect(await erase("--tag", "student:s9").output == "there was nothing to erase\n")
    #expect(await erase("--type", "Left").status == 64)
    #expect(await erase("--tag", "student:s1", "--stream", "events").status == 64)
    #expect(await run("verify", store).status == 0)
  }

  @Test func `the plan's command erases by tags, and by types as they are stored`() async throws {
    let parks = try TemporaryDirectory()
    let log = try EventStore(at: URL(filePath: parks.store), plan: ParkFirst.self)
    try await log.append(
      [
        NewEvent(.treesPlanted(.init(kind: "oak", count: 2)), tags: ["park:1"]),
        NewEvent(.visited(.init(people: 1)), tags: ["park:1"]),
        NewEvent(.treesPlanted(.init(kind: "elm", count: 1)), tags: ["park:2"]),
      ], to: "park/1")
    func erase(_ type: String) async -> CommandRun {
      await CommandRun(
        [
          "erase", parks.store, "--tag", "park:1", "--type", type, "--by", "jane", "--because", "request 8",
          "--json",
        ], Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
    }
    #expect(await erase("TreePlanted").output == "{\"erased\":0,\"recorded\":[]}\n")
    #expect(await erase("TreesPlanted").output == "{\"erased\":1,\"recorded\":[\"4\"]}\n")
    #expect(try await positions("read", parks.store, "--tag", "park:1") == [2])
  }

  @Test func `explain shows each tag with its place in its chain`() async throws {
    let parks = try TemporaryDirectory()
    let url = URL(filePath: parks.store)
    let log = try EventStore(at: url, plan: ParkFirst.self)
    try await log.append(
      [
        NewEvent(.inspected(.init(by: "Ann")), tags: ["park:1", "inspector:a"]),
        NewEvent(.visited(.init(people: 1)), tags: ["park:1"]),
        NewEvent(.inspected(.init(by: "Bo")), tags: ["park:1", "inspector:b"]),
      ], to: "park/1")
    func explain(_ position: Int, _ words: String...) async -> CommandRun {
      await CommandRun(
        ["explain", parks.store, "\(position)"] + words,
        Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
    }
    let third = await explain(3)
    #expect(
      third.lines.filter { $0.hasPrefix("tag ") } == [
        "tag       inspector:b, the first", "tag       park:1, number 2 from 0, after position 2",
      ])
    let object = try #require(await explain(3, "--json").objects().first)
    let tags = try #require(object["tags"] as? [[String: Any]])
    #expect(tags.map { $0["tag"] as? String } == ["inspector:b", "park:1"])
    #expect(tags.map { $0["ordinal"] as? Int } == [0, 2])
    #expect(tags[0]["previous"] is NSNull && tags[1]["previous"] as? Int == 2)
    try EventLog(at: url).erase([2], by: "jane", because: "request 7")
    let erased = await explain(2)
    #expect(erased.lines.contains("tag       erased, number 1 from 0, after position 1"))
    let line = try #require(await explain(2, "--json").objects().first)
    #expect((line["tags"] as? [[String: Any]])?.first?["tag"] is NSNull)
  }

  @Test func `dump --as chooses by the names of that version, and by stored tags`() async throws {
    let parks = try TemporaryDirectory()
    let log = try EventStore(at: URL(filePath: parks.store), plan: ParkFirst.self)
    try await log.append(
      [
        NewEvent(.treesPlanted(.init(kind: "oak", count: 2)), tags: ["park:1"]),
        NewEvent(.visited(.init(people: 1)), tags: ["park:1"]),
        NewEvent(.visited(.init(people: 2)), tags: ["park:2"]),
      ], to: "park/1")
    func dump(_ words: String...) async throws -> [String?] {
      let run = await CommandRun(
        ["dump", parks.store] + words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
      try #require(run.status == 0, "\(run.errors)")
      return try run.objects().map { $0["type"] as? String }
    }
    #expect(
      try await dump("--as", "current", "--tag", "park:1") == ["TreePlanted", "TreePlanted", "Visited"])
    #expect(try await dump("--as", "current", "--type", "TreePlanted") == ["TreePlanted", "TreePlanted"])
    #expect(try await dump("--as", "current", "--type", "TreesPlanted") == [])
    #expect(try await dump("--type", "TreesPlanted") == ["TreesPlanted"])
    #expect(try await dump("--as", "1.0.0", "--after", "1", "--through", "2") == ["Visited"])
  }
}
