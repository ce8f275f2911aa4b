import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output and effects of `leases`, `activate` and `contract`.
@Suite struct RolloutVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = try await folder.parks(withFailure: false)
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
  }

  private func older() throws -> EventStore<ParkFirst> {
    try EventStore(at: URL(filePath: store), plan: ParkFirst.self)
  }

  @Test func `the programs that have the store open are listed, with and without a plan`() async throws {
    let older = try older()
    let process = ProcessInfo.processInfo.processIdentifier
    for run in [await CommandRun("leases", store), await run("leases", store)] {
      #expect(run.status == 0)
      #expect(run.lines == ["process\treads up to\tnewer types", "\(process)\t1.0.0\tan error"])
    }
    let objects = try await CommandRun("leases", store, "--json").objects()
    #expect(objects.count == 1)
    #expect(objects.first?["version"] as? String == "1.0.0")
    #expect(objects.first?["skipsNewerTypes"] as? Bool == false)
    withExtendedLifetime(older) {}
  }

  @Test func `a store that is not open has no leases`() async {
    #expect(await CommandRun("leases", store).lines.count == 1)
  }

  @Test func `an activation waits for older programs, unless they are superseded`() async throws {
    let older = try older()
    let rehearsal = await run("activate", store, "--dry-run")
    #expect(rehearsal.status == 0)
    #expect(rehearsal.lines.first == "version 2.0.0 was not stored yet")
    #expect(rehearsal.output.contains("older: process "))
    #expect(rehearsal.lines.last == "nothing was changed")
    let refused = await run("activate", store)
    #expect(refused.status == 75 && refused.errors.contains("busy: "))
    let done = await run("activate", store, "--supersede")
    #expect(done.status == 0)
    #expect(done.lines.last == "it is active now: older programs append nothing any more")
    let again = try await run("activate", store, "--json").objects()
    #expect(again.first?["phase"] as? String == "active")
    #expect(again.first?["activated"] as? Bool == false)
    withExtendedLifetime(older) {}
  }

  @Test func `a contraction needs a pass, and the number of dropped entries`() async throws {
    let early = await run("contract", store)
    #expect(early.status == 65 && early.errors.contains("requiresPass: "))
    #expect(
      await run("contract", store, "--dry-run").output.contains("left         1 'Inspected' of version 1.0.0")
    )
    #expect(await run("migrate", store).status == 0)
    let rehearsal = await run("contract", store, "--dry-run")
    #expect(rehearsal.output.contains("dropped      1 'Inspected' of version 1.0.0\n"))
    #expect(
      rehearsal.lines.last == "nothing was changed; --confirm 1 confirms what is lost for good")
    #expect(await run("contract", store, "--confirm", "2").status == 64)
    let objects = try await run("contract", store, "--confirm", "1", "--json").objects()
    #expect(objects.first?["contracted"] as? Bool == true)
    #expect(objects.first?["droppedEntries"] as? Int == 1)
    #expect(await run("contract", store).lines.last == "versions below 2.0.0 are given up")
    #expect(throws: AnnalsError.self) { try older() }
    #expect(await run("verify", store).status == 0)
  }

  @Test func `a number that is none is wrong usage`() async {
    #expect(await run("contract", store, "--confirm", "all").status == 64)
  }

  @Schema(2, 0, 0, .bridge) enum Bridge {
    typealias TreesPlanted = ParksV1.TreesPlanted
    typealias Inspected = ParksV1.Inspected
    typealias Visited = ParksV1.Visited
    @Record(formerly: ["ParkOpened"]) struct ParkListed: Equatable {
      var name: String
      var city: String
    }
  }
  enum BridgePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<ParksV1, Bridge> {
      MigrationStage.lightweight(fromVersion: ParksV1.self, toVersion: Bridge.self)
    }
  }

  @Test func `the check shows how older programs get a bridge's events, and its phase`() async throws {
    let older = try older()
    let newer = try EventStore(at: URL(filePath: store), plan: BridgePlan.self)
    try await newer.append([.parkListed(.init(name: "Mill", city: "Nantes"))], to: "park/9")
    let run = await CommandRun(for: BridgePlan.self, "check", "--store", store)
    #expect(run.output.contains("-> Bridge 2.0.0: lightweight, scope record, to a bridge\n"))
    #expect(
      run.output.contains(
        "for programs of 1.0.0: ParkListed is stored as their record, by the stage turned around\n"))
    #expect(run.output.contains("events pass it, to a bridge, which is expanding\n"))
    let objects = try await CommandRun(for: BridgePlan.self, "check", "--store", store, "--json").objects()
    #expect(
      objects.contains { $0["bridged"] as? String == "ParkListed" && $0["form"] as? String == "lowered" })
    #expect(objects.contains { $0["bridge"] as? Bool == true && $0["phase"] as? String == "expanding" })
    withExtendedLifetime(older) {}
  }
}
