import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// Each park is a stream by its name alone.
@Schema(1, 5, 0) enum ParksV15 {
  typealias ParkOpened = ParksV1.ParkOpened
  typealias TreesPlanted = ParksV1.TreesPlanted
  typealias Inspected = ParksV1.Inspected
  typealias Visited = ParksV1.Visited
}

/// Visits have their place.
@Schema(1, 6, 0) enum ParksV16 {
  typealias ParkOpened = ParksV15.ParkOpened
  typealias TreesPlanted = ParksV15.TreesPlanted
  typealias Inspected = ParksV15.Inspected
  @Record struct Visited: Equatable {
    var people: Int
    var place: String
  }
}

enum MovedParkPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParksV1, ParksV16> {
    MigrationStage.custom(fromVersion: ParksV1.self, toVersion: ParksV15.self) {
      Streams { events, origin in
        if case .inspected = events.first { return .dropped(reason: "kept elsewhere") }
        return .moves(to: StreamName("park \(origin.stream.text.dropFirst(5))"))
      }
    }
    MigrationStage.custom(fromVersion: ParksV15.self, toVersion: ParksV16.self) {
      Upcast(\.visited, to: \.visited) { old, origin in .init(people: old.people, place: origin.stream.text) }
    }
  }
}

/// Verbs with a plan that moves streams.
@Suite struct StreamVerbTests {
  private let folder: TemporaryDirectory
  private let store: String

  init() async throws {
    folder = try TemporaryDirectory()
    store = try await folder.parks()
  }

  private func run(_ words: String...) async -> CommandRun {
    await CommandRun(words, Command(name: "parks", verbs: MaintenanceCommand<MovedParkPlan>.verbs))
  }

  @Test func `migrate runs as many passes as it takes, and reports each`() async throws {
    let run = await run("migrate", store)
    #expect(run.status == 0 && run.errors == "")
    #expect(run.lines.filter { $0.contains("is in use: 5 entries") }.count == 2)
    #expect(run.output.contains("dropped      1 'Inspected': kept elsewhere\n"))
    #expect(run.lines.filter { $0.hasPrefix("moved ") } == ["moved        4"])
    #expect(try EventLog.inspect(URL(filePath: store)).generation == 3)
    let dump = await self.run("dump", store, "--as", "current")
    #expect(dump.status == 0 && dump.lines.count == 4)
    #expect(dump.output.contains(#""stream":"park 2","revision":0"#))
    #expect(dump.output.contains(#""place":"park 2""#))
    #expect(await self.run("verify", store).status == 0)
    let again = await self.run("migrate", store)
    #expect(again.output == "nothing to do: none of the 5 entries has to be rewritten\n")
  }

  @Test func `each pass has an archive of its own`() async throws {
    let archive = folder.path("lost.jsonl")
    #expect(await run("migrate", store, "--archive", archive, "--hold").status == 0)
    #expect(await run("accept", store).status == 0)
    let first = try String(contentsOfFile: archive, encoding: .utf8).split(separator: "\n")
    #expect(first.count == 1 && first.allSatisfy { $0.contains(#""dropped":["kept elsewhere"]"#) })
    // The first pass is over, and its archive has the name.
    let taken = await run("migrate", store, "--archive", archive)
    #expect(taken.status == 73 && taken.errors.contains("'\(archive)' is there already"), "\(taken.errors)")
    #expect(await run("migrate", store, "--archive", archive + ".2").status == 0)
    let all = folder.path("all.jsonl")
    let other = try TemporaryDirectory()
    #expect(await run("migrate", try await other.parks(), "--archive", all).status == 0)
    #expect(try String(contentsOfFile: all, encoding: .utf8).split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: URL(filePath: all + ".2")).isEmpty)
  }

  @Test func `with --json each pass is one object`() async throws {
    let run = await run("migrate", store, "--json")
    #expect(run.status == 0 && run.lines.count == 2)
    for line in run.lines {
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }
  }

  @Test func `a dry run ends with the first pass and changes nothing`() async throws {
    let run = await run("migrate", store, "--dry-run")
    #expect(run.status == 0)
    #expect(run.lines.first == "5 entries can be migrated; nothing was changed")
    #expect(try EventLog.inspect(URL(filePath: store)).generation == 1)
  }

  @Test func `a held pass is accepted before the next one`() async throws {
    #expect(await run("migrate", store, "--hold").output.contains("held: 'accept'"))
    #expect(try EventLog.inspect(URL(filePath: store)).generation == 2)
    #expect(await run("migrate", store).status == 75)
    #expect(await run("accept", store).status == 0)
    #expect(await run("migrate", store).status == 0)
    #expect(try EventLog.inspect(URL(filePath: store)).generation == 3)
  }

  @Test func `a migration to a version leads over the passes before it`() async throws {
    #expect(await run("migrate", store, "--to", "1.5.0").status == 0)
    #expect(try EventLog.inspect(URL(filePath: store)).generation == 2)
    #expect(await run("rollback", store).status == 0)
    #expect(await run("migrate", store, "--to", "1.0.0").output.hasPrefix("nothing to do"))
  }

  @Test func `before the pass older versions are dumped, and the others say what to run`() async throws {
    #expect(await run("dump", store, "--as", "1.0.0").lines.count == 5)
    let refused = await run("dump", store, "--as", "current")
    #expect(refused.status == 65 && refused.errors.contains("requiresPass: "))
    #expect(refused.errors.contains("run 'migrate'"))
    let explained = await run("explain", store, "4")
    #expect(explained.status == 1 && explained.output.contains("moves entries to other streams"))
  }

  @Test func `check shows the stage and its needs`() async throws {
    let check = await run("check", "--store", store)
    #expect(check.status == 1)
    #expect(check.output.contains("scope store, moves streams"))
    #expect(
      check.output.contains("stage 1.0.0 -> 1.5.0: 5 events pass it, scope store; it moves streams"))
    #expect(await run("check", "--store", store, "--json").output.contains(#""needsPass":true"#))
    _ = await run("migrate", store)
    #expect(await run("check", "--store", store).status == 0)
  }
}
