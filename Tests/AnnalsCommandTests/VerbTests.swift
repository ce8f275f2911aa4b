import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output of each verb for a sound store.
@Suite struct VerbTests {
  @Test func `import says how many entries it stored`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("lines", "{\"stream\":\"a\",\"type\":\"T\",\"data\":{}}\n\n")
    let run = await CommandRun("import", folder.store, file)
    #expect(run.status == 0)
    #expect(run.output == "1 entries stored; 2 lines read\n")
    #expect(run.errors == "")
    let again = await CommandRun("import", "--json", folder.store, file)
    #expect(again.output == #"{"lines":2,"stored":1,"repeated":0,"stubs":0}"# + "\n")
  }

  @Test func `import takes fields under other keys, a version for all lines, and skips lines`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(
      "lines",
      """
      this is no JSON
      {"s":"a","type":"T","v":1,"body":{"n":1},"ts":"2024-01-01"}
      """)
    let first = await CommandRun(
      "import", folder.store, file, "--field", "stream=s", "--field=data=body", "--field", "version=v",
      "--field",
      "time=ts", "--skip", "1")
    #expect(first.errors == "")
    let second = await CommandRun(
      "import", folder.store, file, "--field", "stream=s", "--field=data=body", "--version", "2.1", "--skip=1"
    )
    #expect(second.errors == "")
    let read = await CommandRun("read", folder.store)
    #expect(
      read.lines.first
        == #"{"position":1,"stream":"a","revision":0,"type":"T","version":"1.0.0","time":"2024-01-01T00:00:00.000000Z","data":{"n":1}}"#
    )
    #expect(read.lines.last?.contains(#""version":"2.1.0""#) == true)
    let mistyped = await CommandRun("import", folder.store, file, "--skip", "11")
    #expect(mistyped.status == 64 && mistyped.errors.contains("the input ends after line 2, and 11 lines"))
  }

  @Test func `info describes the store, in words and as JSON`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let run = await CommandRun("info", store)
    #expect(run.status == 0)
    #expect(run.output.contains("entries     5\nstreams     2\nschema      version 2.0.0: 3 events\n"))
    let json = try #require(try await CommandRun("info", store, "--json").objects().first)
    #expect(json["entries"] as? Int == 5)
    #expect(json["streams"] as? Int == 2)
    #expect(json["generation"] as? Int == 1)
    #expect((json["fileBytes"] as? Int ?? 0) >= (json["usedBytes"] as? Int ?? .max))
    #expect(json["freeBytes"] as? Int != nil)
    #expect((json["mapBytes"] as? Int ?? 0) >= (json["fileBytes"] as? Int ?? .max))
    #expect(json["tail"] as? Int == 0)
    #expect(json["readers"] as? Int == 0)
    #expect(json["oldestReader"] is NSNull)
    #expect((json["schemas"] as? [[String: Any]])?.map { $0["version"] as? String } == ["2.0.0", "1.0.0"])
    #expect((json["schemas"] as? [[String: Any]])?.map { $0["count"] as? Int } == [3, 2])
    #expect(UUID(uuidString: json["log"] as? String ?? "") != nil)
  }

  @Test func `streams lists names with their revision`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    #expect(await CommandRun("streams", store).output == "a/even\t1\nb odd\t2\n")
    #expect(await CommandRun("streams", store, "--prefix", "b").output == "b odd\t2\n")
    #expect(await CommandRun("streams", store, "--prefix", "c").output == "")
    #expect(
      await CommandRun("streams", store, "--json", "--prefix=a").output
        == #"{"stream":"a/even","revision":1,"first":2,"last":4}"# + "\n")
  }

  @Test func `a long list of streams is whole`() async throws {
    let folder = try TemporaryDirectory()
    let names = (1...2_500).map { "s\(10_000 + $0)" }
    let lines = names.map { #"{"stream":"\#($0)","type":"T","data":{}}"# }
    let file = try folder.write("lines", lines.joined(separator: "\n"))
    #expect(await CommandRun("import", folder.store, file).status == 0)
    #expect(await CommandRun("streams", folder.store).lines == names.map { "\($0)\t0" })
  }

  @Test func `names that would play with the terminal are escaped in text and exact in JSON`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(
      "lines", #"{"stream":"a\t\u001b[31m\\\n\u202e","type":"\u0007","data":{}}"#)
    #expect(await CommandRun("import", folder.store, file).status == 0)
    #expect(await CommandRun("streams", folder.store).output == "a\\t\\u{1b}[31m\\\\\\n\\u{202e}\t0\n")
    #expect(await CommandRun("census", folder.store).lines.last?.hasPrefix("\\u{7}\t-\t1\t1\t") == true)
    let json = try await CommandRun("streams", folder.store, "--json").objects()
    #expect(json.first?["stream"] as? String == "a\t\u{1b}[31m\\\n\u{202e}")
  }

  @Test func `census counts events and bytes of each type and version`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    #expect(
      await CommandRun("census", store).lines == [
        "type\tversion\tevents\tbytes\tstubs\tset aside\tfirst\tread by", "T\t2.0.0\t3\t12\t0\t0\t1",
        "T\t1.0.0\t2\t8\t0\t0\t2",
      ])
    #expect(
      await CommandRun("census", store, "--json").lines.first
        == #"{"type":"T","version":"2.0.0","count":3,"bytes":12,"stubs":0,"quarantined":0,"first":1}"#)
  }

  @Test func `info and census say which versions read what, where the store does`() async throws {
    let folder = try TemporaryDirectory()
    try await EventStore(at: URL(filePath: folder.store), plan: FirstTrips.self)
      .append([.stopped(.init(town: "Ghent"))], to: "trip")
    let file = try folder.write("lines", #"{"stream":"a","type":"T","version":"1.0.0","data":{}}"#)
    #expect(await CommandRun("import", folder.store, file).status == 0)

    let info = await CommandRun("info", folder.store)
    #expect(
      info.lines.filter { $0.hasPrefix("kind ") } == [
        "kind        'Stopped' of version 1.0.0: read by 1.0.0 and later"
      ])
    let object = try #require(try await CommandRun("info", folder.store, "--json").objects().first)
    let kinds = try #require(object["kinds"] as? [[String: Any]])
    #expect(kinds.map { $0["type"] as? String } == ["Stopped", "T"])
    #expect(kinds.map { $0["oldestReader"] as? String } == ["1.0.0", nil])
    #expect(kinds.map { $0.keys.contains("oldestReader") } == [true, false])

    let census = await CommandRun("census", folder.store)
    #expect(census.lines.dropFirst().first?.hasSuffix("\t1\t1.0.0 and later") == true)
    #expect(census.lines.last?.hasSuffix("\t0\t2") == true)
    let rows = try await CommandRun("census", folder.store, "--json").objects()
    #expect(rows.map { $0["oldestReader"] as? String } == ["1.0.0", nil])
    #expect(rows.map { $0.keys.contains("oldestReader") } == [true, false])
  }

  @Test func `read shows entries of the log by position, of a stream by revision`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    func numbers(_ words: String...) async throws -> [Int] {
      let run = await CommandRun(["read", store] + words)
      #expect(run.status == 0)
      return try run.objects().compactMap { ($0["data"] as? [String: Any])?["n"] as? Int }
    }
    #expect(try await numbers() == [1, 2, 3, 4, 5])
    #expect(try await numbers("--from", "4") == [4, 5])
    #expect(try await numbers("--from", "9") == [])
    #expect(try await numbers("--backwards", "--limit", "2") == [5, 4])
    #expect(try await numbers("--stream", "b odd") == [1, 3, 5])
    #expect(try await numbers("--stream", "b odd", "--from", "1", "--limit", "1") == [3])
    #expect(try await numbers("--stream", "b odd", "--from", "1", "--backwards") == [3, 1])
    #expect(try await numbers("--stream", "none") == [])
    #expect(try await numbers("--limit", "0") == [])
    #expect(try await numbers("--limit", "99999999999999999999999") == [1, 2, 3, 4, 5])
  }

  @Test func `read can show the stored bytes`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let entries = try await CommandRun("read", store, "--raw").objects()
    #expect(entries.map { $0["payload"] as? String } == (1...5).map { "a1616e0\($0)" })
    #expect(entries.map { $0["links"] as? [Int] } == [[], [], [1], [2], [3]])
    #expect(entries.first?["flags"] as? [String] == ["first", "rows"])
  }

  // Promise P139.
  @Test func `import accepts the output of dump`() async throws {
    let folder = try TemporaryDirectory()
    let dump = await CommandRun("dump", try await folder.filled())
    #expect(dump.lines.count == 5)
    let copy = folder.path("copy.annals")
    #expect(await CommandRun("import", copy, try folder.write("dump", dump.output)).status == 0)
    #expect(await CommandRun("dump", copy).output == dump.output)
  }

  @Test func `verify finds nothing in a sound store`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let run = await CommandRun("verify", store)
    #expect(run.status == 0)
    #expect(run.output == "5 entries in 2 streams, nothing wrong\n")
    #expect(
      await CommandRun("verify", store, "--json").output
        == #"{"entries":5,"streams":2,"findings":0,"isComplete":true}"# + "\n")
  }

  @Test(arguments: ["info", "streams", "census", "read", "dump", "verify"])
  func `every verb reads an empty store, and none changes a byte`(verb: String) async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun("import", folder.store, try folder.write("empty", "")).status == 0)
    let before = try TemporaryDirectory.content(folder.store)
    #expect(await CommandRun(verb, folder.store).status == 0)
    #expect(try TemporaryDirectory.content(folder.store) == before)
  }
}

/// The command's help, and its answer to a line that it does not understand.
@Suite struct UsageTests {
  @Test(arguments: ["--help", "-h", "help"])
  func `general help names every verb`(word: String) async {
    let run = await CommandRun(word)
    #expect(run.status == 0)
    #expect(run.errors == "")
    for verb in GenericCommand.verbs {
      #expect(run.output.contains("  \(verb.name)  ") || run.output.contains("  \(verb.name) "))
    }
  }

  @Test(arguments: ["info", "streams", "census", "read", "dump", "import", "verify"])
  func `each verb has help`(verb: String) async {
    let run = await CommandRun(verb, "--help")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("usage: annals \(verb) <store>"))
  }

  @Test func `help says what a damaged page does, and what to do about it`() async {
    let read = await CommandRun("read", "--help").output
    #expect(
      read.contains("A damaged page\ncan end the command with a signal and without an error."), "\(read)")
    #expect(read.contains("run 'verify'") && read.contains("With --trust nobody a store"), "\(read)")
    // Every verb says it of the option.
    for verb in GenericCommand.verbs {
      let help = await CommandRun(verb.name, "--help").output
      #expect(help.contains("'verify' finds damaged pages"), "\(verb.name): \(help)")
    }
  }

  @Test(arguments: [
    ([], "a verb is missing"), (["what"], "unknown verb 'what'"), (["--raw"], "unknown verb '--raw'"),
    (["read"], "<store> is missing"), (["read", "s", "--from", "x"], "--from needs a whole number, not 'x'"),
    (["read", "s", "--from", "0"], "--from 0: positions are counted from 1"),
    (["read", "s", "--forwards"], "unknown option '--forwards'"),
    (["import", "s"], "FILE is missing"),
    (["import", "s", "f", "--field", "x=y"], "--field needs NAME=KEY"),
    (["import", "s", "f", "--field", "time="], "--field needs NAME=KEY"),
    (["import", "s", "f", "--field", "time=a", "--field", "time=b"], "--field names 'time' twice"),
    (["import", "s", "f", "--version", "x"], "--version needs a version such as 1.0.0, not 'x'"),
    (["import", "s", "f", "--skip", "-1"], "--skip needs a whole number, not '-1'"),
  ])
  func `a line that is not understood ends with 64 and a hint`(words: [String], message: String) async {
    let run = await CommandRun(words)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("annals: wrongUse: \(message)"), "\(run.errors)")
    #expect(run.errors.contains("\nusage: annals "))
  }

  @Test func `a verb that needs a plan is known, and the error says which command has it`() async {
    let generic = Set(GenericCommand.verbs.map { $0.name })
    let ofPlan = MaintenanceCommand<ParkPlan>.verbs.map { $0.name }.filter { !generic.contains($0) }
    #expect(Set(ofPlan) == Set(GenericCommand.verbsOfPlans))
    for verb in ofPlan {
      let run = await CommandRun(verb, "s")
      #expect(run.status == 64)
      #expect(run.errors.hasPrefix("annals: wrongUse: unknown verb '\(verb)': it needs a plan, "))
    }
  }

  @Test func `with JSON a failure is one object on a line`() async throws {
    let run = await CommandRun("read", "nowhere.annals", "--json")
    #expect(run.status == 66)
    #expect(run.errors.hasSuffix("}\n"))
    let object = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    #expect(object?["error"] as? String == "noSuchStore")
    #expect(object?["exit"] as? Int == 66)
    let usage = await CommandRun("read", "--json")
    #expect(usage.status == 64)
    #expect(usage.errors.split(separator: "\n").count == 1)
  }
}
