import Annals
import Foundation
import Testing

@testable import AnnalsCommand

@Schema(1, 0, 0) enum TripsV1 {
  @Record struct Stopped: Equatable { var town: String }
}

@Schema(2, 0, 0) enum TripsV2 {
  @Record struct Stopped: Equatable {
    var town: String
    var letters: Int
  }
}

@Schema(3, 0, 0) enum TripsV3 {
  @Record struct Stayed: Equatable {
    var town: String
    var days: Int
  }
}

enum FirstTrips: SchemaMigrationPlan {
  static var stages: MigrationChain<TripsV1, TripsV1> {}
}

/// Neighbouring stops in a town are a stay; a stop without a town cannot be read.
enum FoldedTrips: SchemaMigrationPlan {
  struct NoTown: Error {}

  static var stages: MigrationChain<TripsV1, TripsV3> {
    MigrationStage.custom(fromVersion: TripsV1.self, toVersion: TripsV2.self) {
      Upcast(\.stopped, to: \.stopped) { old, _ in
        guard !old.town.isEmpty else { throw NoTown() }
        return .init(town: old.town, letters: old.town.count)
      }
    }
    MigrationStage.custom(fromVersion: TripsV2.self, toVersion: TripsV3.self) {
      Fold(\.stopped, into: \.stayed, grouping: { old, _ in old.town }, from: (town: "", days: 0)) {
        stay, old, _ in
        stay = (old.town, stay.days + 1)
      } result: { stay, _ in
        .init(town: stay.town, days: stay.days)
      }
    }
  }
}

/// The output of `check`, `migrate` and `activate` for a stage that computes a value from the whole log.
@Suite struct ActivateVerbTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "trips", verbs: MaintenanceCommand<FoldedTrips>.verbs))
  }

  private func seed(_ towns: String...) async throws {
    let store = try EventStore(at: URL(filePath: folder.store), plan: FirstTrips.self)
    try await store.append(towns.map { .stopped(.init(town: $0)) }, to: "trip")
  }

  @Test
  func `the check and a dry run name the verb that a fold needs first`()
    async throws
  {
    try await seed("Ghent", "Ghent", "Bruges")
    let check = await run("check", "--store", folder.store)
    #expect(check.status == 1)
    #expect(check.output.contains("FoldedTrips, versions 1.0.0 to 3.0.0: does not open the store\n"))
    #expect(check.output.contains("; it has to be activated first: run 'activate'\n"))
    let rehearsal = await run("migrate", folder.store, "--dry-run")
    #expect(rehearsal.status == 65)
    #expect(rehearsal.errors.contains("requiresActivation: ") && rehearsal.errors.contains("run 'activate'"))
    #expect(await run("activate", folder.store).status == 0)
    #expect(await run("check", "--store", folder.store).status == 0)
    #expect(await run("migrate", folder.store, "--dry-run").status == 0)
  }

  @Test func `an entry that cannot be read ends an activation or is listed`()
    async throws
  {
    try await seed("Ghent", "", "Ghent")
    let refused = await run("activate", folder.store)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("activate --quarantine") && refused.errors.contains("position 2"))
    let done = await run("activate", folder.store, "--quarantine")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.lines.count { $0.hasPrefix("passed over: position 2, stream 'trip'") } == 1)
    #expect(done.lines.last == "it is active now: older programs append nothing any more")
    let again = try await run("activate", folder.store, "--json").objects()
    #expect((again.first?["passedOver"] as? [String]) == [])
  }

  @Test func `a pass that sets entries aside activates past them`() async throws {
    try await seed("Ghent", "", "Ghent")
    #expect(await run("migrate", folder.store).status == 1)
    let done = await run("migrate", folder.store, "--quarantine")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.output.contains("quarantined  1\n"))
    #expect(await run("verify", folder.store).status == 0)
  }

  @Test func `an unfinished pass is shown by info`() async throws {
    try await seed("Ghent")
    let options = { () -> StoreOptions in
      var options = StoreOptions()
      options.activating = true
      return options
    }()
    let store = try EventStore(at: URL(filePath: folder.store), plan: FoldedTrips.self, options: options)
    for _ in 0..<40 { try await store.append([.stayed(.init(town: "Lille", days: 1))], to: "trip") }
    var pass = MigrationOptions()
    // So slow that it is still copying when this busy process stops it.
    pass.rate = 1
    let running = try store.migrate(pass)
    for await progress in running.progress where progress.done > 0 && progress.phase == .copying { break }
    running.stop()
    await #expect(throws: AnnalsError.self) { try await running.report() }
    let info = await run("info", folder.store)
    #expect(info.output.contains("pass        a migration pass to version 3.0.0 builds generation 2"))
    let object = try await run("info", folder.store, "--json").objects().first
    #expect((object?["pass"] as? [String: Any])?["generation"] as? Int == 2)
    #expect(await run("migrate", folder.store).status == 0)
    #expect(await !run("info", folder.store).output.contains("pass  "))
  }
}
