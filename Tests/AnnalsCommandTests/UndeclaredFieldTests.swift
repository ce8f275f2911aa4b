import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// Visits, with fewer fields than were imported.
@Schema(1, 0, 0) enum VisitsV1 {
  @Value struct Guest: Equatable { var name: String }
  @Record struct Visited: Equatable {
    var people: Int
    var guests: [Guest]
  }
  @Record struct Rested: Equatable { var minutes: Int }
}

/// Adopts events without a version.
private enum VisitPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VisitsV1, VisitsV1> {}
  static var unversioned: UnversionedEvents { .adopt(as: VisitsV1.self) }
}

/// Imported fields that no version of a plan declares.
@Suite struct UndeclaredFieldTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "visits", verbs: MaintenanceCommand<VisitPlan>.verbs))
  }

  /// Imports three visits, two of them with fields that the plan does not have.
  private func fill(version: String = "") async throws {
    let lines = [
      #""data":{"people":3,"guests":[{"name":"Ann","age":7}],"mood":"good"}}"#,
      #""data":{"people":1,"guests":[]}}"#,
      #""data":{"people":2,"guests":[{"name":"Bo","age":1},{"name":"Cy","age":2}],"mood":null}}"#,
    ].map { #"{"stream":"a","type":"Visited","# + version + $0 }
    let file = try folder.write("lines", lines.joined(separator: "\n"))
    let imported = await CommandRun("import", folder.store, file)
    #expect(imported.status == 0, "\(imported.errors)")
  }

  private static let age = "'Visited.guests.age', 3 values, the first at position 1"
  private static let removedAge = "'Visited.guests.age', undeclared, 2 events, the first at position 1"
  private static let removedMood = "'Visited.mood', undeclared, 2 events, the first at position 1"
  private static let mood = "'Visited.mood', 2 values, the first at position 1"

  @Test func `fields that a plan does not declare are named before an adoption and a pass lose them`()
    async throws
  {
    try await fill()
    let dump = await CommandRun("dump", folder.store).output
    let quick = await run("check", "--store", folder.store)
    #expect(quick.status == 1)
    #expect(quick.output.contains("3 events are stored by name"), "\(quick.output)")
    #expect(quick.output.contains("check --store STORE --scan"))
    let scan = await run("check", "--store", folder.store, "--scan")
    #expect(scan.status == 1)
    #expect(
      scan.output.contains("undeclared \(Self.age)") && scan.output.contains("undeclared \(Self.mood)"),
      "\(scan.output)")
    for words in [["migrate", "--dry-run"], ["activate"], ["migrate"]] {
      let refused = await CommandRun(
        words + [folder.store], Command(name: "visits", verbs: MaintenanceCommand<VisitPlan>.verbs))
      #expect(refused.status == 65, "\(words): \(refused.output)")
      #expect(refused.errors.contains("undeclaredFields: "), "\(words): \(refused.errors)")
      #expect(refused.errors.contains(Self.age) && refused.errors.contains(Self.mood))
    }
    let some = await run("migrate", folder.store, "--drop-fields", "Visited.mood")
    #expect(some.status == 65)
    #expect(some.errors.contains(Self.age) && !some.errors.contains(Self.mood), "\(some.errors)")
    let wrong = await run("migrate", folder.store, "--drop-fields", "Visited.mood,Visited.guests.ages")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("'Visited.guests.ages' is no undeclared field"), "\(wrong.errors)")
    // Nothing was changed: the events still have no version.
    #expect(await CommandRun("dump", folder.store).output == dump)
    #expect(await run("check", "--store", folder.store).output.contains("events without a version"))

    let names = "Visited.mood,Visited.guests.age"
    let rehearsed = await run("migrate", folder.store, "--dry-run", "--drop-fields", names)
    #expect(!rehearsed.errors.contains("undeclaredFields"), "\(rehearsed.errors)")
    let done = await run("migrate", folder.store, "--drop-fields", names)
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.output.contains("removed      field \(Self.removedAge)\n"), "\(done.output)")
    #expect(done.output.contains("removed      field \(Self.removedMood)\n"))
    let again = await run("migrate", folder.store, "--drop-fields", names)
    #expect(again.status == 0 && again.output.hasPrefix("nothing to do"), "\(again.errors)")
    #expect(await run("check", "--store", folder.store, "--scan").status == 0)
    #expect(await run("verify", folder.store).status == 0)
  }

  @Test func `events that were imported with a version are read, and their fields kept until they are named`()
    async throws
  {
    try await fill(version: #""version":1,"#)
    let url = URL(filePath: folder.store)
    let store = try EventStore(at: url, plan: VisitPlan.self)
    let first = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()?.event
    }
    guard case .visited(let visit) = first else { throw CocoaError(.fileReadUnknown) }
    #expect(visit == .init(people: 3, guests: [.init(name: "Ann")]))
    let quick = await run("check", "--store", folder.store)
    #expect(quick.status == 0 && quick.output.contains("3 events are stored by name"))
    #expect(await run("check", "--store", folder.store, "--scan").status == 1)
    let refused = await run("migrate", folder.store, "--dry-run", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(refused.errors.utf8)) as? [String: Any]
    let fields = object?["fields"] as? [[String: Any]]
    #expect(fields?.compactMap { $0["name"] as? String } == ["Visited.guests.age", "Visited.mood"])
    #expect(fields?.compactMap { $0["count"] as? Int } == [3, 2])
    let names = "Visited.guests.age,Visited.mood"
    let rehearsed = await run("migrate", folder.store, "--dry-run", "--drop-fields", names)
    #expect(
      rehearsed.status == 0
        && rehearsed.output.contains("'Visited.guests.age' of version 1.0.0, undeclared, 2 events"),
      "\(rehearsed.errors)")
    let wrong = await run("migrate", folder.store, "--dry-run", "--drop-fields", "\(names),Visited.people")
    #expect(wrong.status == 64 && wrong.errors.contains("'Visited.people'"), "\(wrong.errors)")
    #expect(await run("migrate", folder.store).status == 65)
    #expect(try EventLog.inspect(url).generation == 1)
    let done = try await run("migrate", folder.store, "--json", "--drop-fields", names).objects()
    let dropped = done.first?["removedFields"] as? [[String: Any]]
    #expect(dropped?.compactMap { $0["name"] as? String } == ["Visited.guests.age", "Visited.mood"])
    #expect(dropped?.compactMap { $0["count"] as? Int } == [2, 2])
  }

  @Test func `names are taken as messages show them, also those that look alike`() async throws {
    let line = #"{"stream":"s","type":"Visited","version":1,"data":{"people":1,"guests":[],"#
    let keys = #""\ufeffat":1,"\u00e9":2,"e\u0301":3}}"#
    #expect(await run("import", folder.store, try folder.write("odd", line + keys)).status == 0)
    let refused = await run("migrate", folder.store)
    #expect(refused.status == 65 && refused.errors.contains(#"'Visited.\u{feff}at'"#), "\(refused.errors)")
    let wrong = await run("migrate", folder.store, "--drop-fields", "Visited.e\u{300}")
    #expect(wrong.status == 64 && wrong.errors.contains("'Visited.e\u{300}' is no"), "\(wrong.errors)")
    let names = "Visited.\\u{feff}at,Visited.\u{e9},Visited.e\u{301}"
    let done = await run("migrate", folder.store, "--drop-fields", names)
    #expect(done.status == 0, "\(done.errors)")
  }

  @Test func `a dump at a version says which fields its lines leave out, and succeeds`() async throws {
    try await fill(version: #""version":1,"#)
    let dump = await run("dump", folder.store, "--as", "current")
    #expect(dump.status == 0 && dump.lines.count == 3)
    #expect(!dump.output.contains("mood") && !dump.output.contains("age"))
    #expect(
      dump.errors
        == "visits: note: the lines leave out fields that their version does not declare; the store keeps them, and 'dump' without --as writes them:\n- 'Visited.guests.age' of version 1.0.0, 3 values, the first at position 1\n- 'Visited.mood' of version 1.0.0, 2 values, the first at position 1\n"
    )
    let json = await run("dump", folder.store, "--as", "1.0.0", "--json")
    #expect(json.status == 0 && json.output == dump.output)
    let note = try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any]
    let fields = note?["fields"] as? [[String: Any]]
    #expect(note?["note"] as? String == "undeclaredFields")
    #expect(fields?.compactMap { $0["name"] as? String } == ["Visited.guests.age", "Visited.mood"])
    #expect(fields?.compactMap { $0["count"] as? Int } == [3, 2])
    #expect(fields?.compactMap { $0["first"] as? Int } == [1, 1])
    // Every key is in the dump, and there are no messages.
    let plain = await run("dump", folder.store)
    #expect(plain.errors == "" && plain.output.contains("mood") && plain.output.contains("age"))
  }

  @Test func `an archive has the values that a migration removes, is never replaced, and no dry run has one`()
    async throws
  {
    try await fill(version: #""version":1,"#)
    let names = ["--drop-fields", "Visited.guests.age,Visited.mood"]
    let archive = folder.path("archive")
    let plan = Command(name: "visits", verbs: MaintenanceCommand<VisitPlan>.verbs)
    let dry = await CommandRun(["migrate", folder.store, "--dry-run", "--archive", archive] + names, plan)
    #expect(dry.status == 64 && dry.errors.contains("--archive and --dry-run exclude each other"))
    let taken = try folder.write("taken", "mine")
    let refused = await CommandRun(["migrate", folder.store, "--archive", taken] + names, plan)
    #expect(refused.status != 0 && refused.errors.contains("cannotCreate: "), "\(refused.errors)")
    #expect(refused.errors.contains("taken' is there already"))
    let done = await CommandRun(["migrate", folder.store, "--archive", archive] + names, plan)
    #expect(done.status == 0, "\(done.errors)")
    let lines = try String(contentsOfFile: archive, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix(#"{"position":1,"stream":"a","revision":0,"time":""#) == true)
    #expect(
      lines.first?.hasSuffix(
        #""type":"Visited","version":"1.0.0","removed":[{"path":["mood"],"value":"good"},{"path":["guests","age"],"at":["guests",0,"age"],"value":7}]}"#
      ) == true, "\(lines)")
    #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
  }

  @Test func `--scan needs a store, and --drop-fields whole names`() async throws {
    #expect(await run("check", "--scan").status == 64)
    try await fill()
    #expect(await run("migrate", folder.store, "--drop-fields", "Visited.mood,").status == 64)
  }
}

/// Real events. The plan declares only a few of their fields.
@Schema(1, 0, 0) enum ExamplesV1 {
  @Record struct ExampleAdded: Equatable {
    var path: String
    var host: String
  }
}

private enum ExamplePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ExamplesV1, ExamplesV1> {}
}

/// Real events. The plan declares only a few of their fields.
@Suite(.enabled(if: RealLogs.isThere, "the logs lie beside the package and are no part of it"))
struct UndeclaredRealLogTests {
  @Test func `every value of a real log that a plan does not know is counted`() async throws {
    let folder = try TemporaryDirectory()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      "gzip -dc '\(RealLogs.folder.path)/octokit-webhooks/log.jsonl.gz' | grep '\"ExampleAdded\"' | head -n 200 >'\(folder.path("log"))'",
    ]
    try process.run()
    process.waitUntilExit()
    var counts: [String: Int] = [:]
    for line in try Data(contentsOf: URL(filePath: folder.path("log"))).split(separator: 0x0a) {
      let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
      for key in (object?["data"] as? [String: Any] ?? [:]).keys where key != "path" && key != "host" {
        counts["ExampleAdded.\(key)", default: 0] += 1
      }
    }
    #expect(!counts.isEmpty)
    let imported = await CommandRun(
      "import", folder.store, folder.path("log"), "--field", "version=v", "--field", "time=ts")
    #expect(imported.status == 0, "\(imported.errors)")
    let run = await CommandRun(for: ExamplePlan.self, "migrate", folder.store, "--json")
    #expect(run.status == 65, "\(run.errors)")
    let error = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    var found: [String: Int] = [:]
    for field in error?["fields"] as? [[String: Any]] ?? [] {
      if let name = field["name"] as? String { found[name] = field["count"] as? Int }
    }
    #expect(found == counts)
  }
}
