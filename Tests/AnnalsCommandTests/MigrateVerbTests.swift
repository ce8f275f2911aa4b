import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output and effects of `migrate`, `compact` and the verbs that follow them.
@Suite struct MigrateVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = try await folder.parks()
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
  }

  private func generation() throws -> UInt64 {
    try EventLog.inspect(URL(filePath: store)).generation
  }

  @Test func `a migration reports rewritten, split and dropped entries, and the next step`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    let run = await run("migrate", store, "--sample")
    #expect(run.status == 0 && run.errors == "")
    #expect(run.lines.first?.hasPrefix("generation 2 is in use: 4 entries, ") == true)
    #expect(run.output.contains("dropped      1 'Inspected': inspections are kept elsewhere\n"))
    #expect(
      run.lines.last
        == "generation 1 is kept: 'rollback' goes back to it until something is appended, 'discard-previous' removes it"
    )
    for words in [["migrate", store, "--dry-run"], ["migrate", store]] {
      let again = await CommandRun(words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
      #expect(again.status == 0)
      #expect(again.output == "nothing to do: none of the 4 entries has to be rewritten\n")
    }
    let check = await self.run("check", "--store", store)
    #expect(check.output.contains("no events below 2.0.0"))
  }

  @Test func `every requested pass tries entries in quarantine again`() async throws {
    #expect(await run("migrate", store, "--quarantine").output.contains("quarantined  1\n"))
    let again = await run("migrate", store)
    #expect(again.status == 1 && again.errors.contains("ruleFailed: position 5, "))
    #expect(await run("migrate", store, "--quarantine").output.contains("quarantined  1\n"))
  }

  @Test func `an entry that a rule refuses ends it, is named, and nothing is changed`() async throws {
    for words in [["migrate", store], ["migrate", store, "--dry-run"]] {
      let run = await CommandRun(words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
      #expect(run.status == 1)
      #expect(run.errors.contains("ruleFailed: position 5, "), "\(run.errors)")
      #expect(try generation() == 1)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store).filter { $0.hasSuffix(".mdb") }.count == 1)
  }

  @Test func `a dry run reports the same and changes nothing`() async throws {
    let run = await run("migrate", store, "--dry-run", "--quarantine")
    #expect(run.status == 0)
    #expect(run.lines.first == "5 entries can be migrated; nothing was changed")
    #expect(run.output.contains("dropped      1 'Inspected': inspections are kept elsewhere\n"))
    #expect(try generation() == 1)
  }

  @Test func `the events at the current version are the same before and after`() async throws {
    let before = await run("dump", store, "--as", "current").output
    #expect(await run("migrate", store, "--quarantine").status == 0)
    #expect(await run("dump", store, "--as", "current").output == before)
  }

  @Test func `a held switch is accepted or rolled back`() async throws {
    #expect(
      await run("migrate", store, "--hold", "--quarantine").output.contains(
        "held: 'accept' lets the store take appends"))
    #expect(await run("migrate", store, "--quarantine").status == 75)
    #expect(await run("rollback", store).output.hasPrefix("generation 1 is in use again"))
    #expect(await run("migrate", store, "--hold", "--quarantine").status == 0)
    #expect(await run("accept", store).output == "generation 3 takes appends\n")
    #expect(await run("accept", store).output == "generation 3 was not held\n")
    let discard = await run("discard-previous", store)
    #expect(discard.status == 0)
    #expect(discard.output.hasPrefix("removed generation 1, 2, "))
    #expect(await run("rollback", store).status == 64)
    #expect(await run("verify", store).status == 0)
  }

  @Test func `with --json each result is one object`() async throws {
    for words in [["migrate"], ["compact"], ["rollback"], ["accept"], ["discard-previous"]] {
      let extra = words == ["migrate"] ? ["--quarantine"] : []
      let run = await CommandRun(
        words + [store, "--json"] + extra, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
      #expect(run.status == 0, "\(words)")
      #expect(run.lines.count == 1)
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      #expect(object is [String: Any])
    }
  }

  @Test(arguments: [
    ["--rate", "0"], ["--rate", "many"], ["--threads", "0"], ["--threads", "65"], ["--to", "soon"],
    ["--to", "9.0.0"], ["--resume", "--restart"], ["--resume"],
  ])
  func `options that cannot be are wrong usage, and nothing is changed`(words: [String]) async throws {
    let run = await CommandRun(
      ["migrate", store] + words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
    #expect(run.status == 64, "\(run.errors)")
    #expect(try generation() == 1)
  }

  @Test func `a store that is not there is not created`() async throws {
    for verb in ["migrate", "compact", "rollback", "accept", "discard-previous"] {
      let run = await run(verb, folder.path("missing.annals"))
      #expect(run.status == 66, "\(verb)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("missing.annals")))
  }

  @Test func `the generic command has only the verbs that need no plan`() async throws {
    #expect(await CommandRun("compact", store).status == 0)
    #expect(try generation() == 2)
    #expect(await CommandRun("migrate", store).status == 64)
  }

  @Test func `a bar shows how far a pass is, at which rate, and how long it takes`() {
    var progress = MigrationProgress(phase: .copying, done: 250, total: 1_000)
    progress.rate = 125.4
    progress.remaining = 6
    #expect(PassWatch.text(progress) == "copying [#####...............] 250 of 1000, 125/s, 6 s left")
    progress.remaining = 4_000
    progress.pause = .writers
    #expect(
      PassWatch.text(progress)
        == "copying [#####...............] 250 of 1000, 125/s, 1 h 6 min left, while others write")
    progress.total = 0
    #expect(PassWatch.text(progress).hasPrefix("copying [....................] 250 of 0"))
  }
}
