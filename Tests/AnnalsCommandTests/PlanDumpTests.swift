import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output of `dump --as`.
@Suite struct PlanDumpTests {
  private let opened =
    #"{"position":1,"stream":"park/1","revision":0,"type":"ParkOpened","version":"1.0.0","time":"2024-01-01T00:00:00.000000Z","id":"00000000-0000-4000-8000-000000000007","metadata":{"user":"7"},"data":{"city":"Nantes","name":"Mill"}}"#

  @Test func `without a version a dump has the stored events`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "dump", store)
    #expect(run.status == 0)
    #expect(run.lines.count == 5)
    #expect(run.output == (await CommandRun("dump", store).output))
  }

  @Test func `events at the version of the store are dumped as stored`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", "1.0.0")
    #expect(run.output == (await CommandRun("dump", store).output))
  }

  @Test(arguments: ["2.0.0", "2", "current"])
  func
    `events at the current version are in today's shape, each part with its path, and nothing of what is dropped`(
      version: String
    ) async throws
  {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as=\(version)")
    #expect(run.errors == "")
    #expect(run.status == 0)
    let place = #""stream":"park/1","revision""#
    let time = #""version":"2.0.0","time":"2024-01-01T00:00:00.000000Z""#
    #expect(
      run.lines == [
        #"{"position":1,\#(place):0,"type":"ParkOpened",\#(time),"id":"00000000-0000-4000-8000-000000000007","metadata":{"user":"7"},"data":{"city":"Nantes","title":"Mill","country":"FR"}}"#,
        #"{"position":2,\#(place):1,"type":"TreePlanted",\#(time),"path":[0],"data":{"kind":"oak"}}"#,
        #"{"position":2,\#(place):1,"type":"TreePlanted",\#(time),"path":[1],"data":{"kind":"oak"}}"#,
        #"{"position":4,\#(place):3,"type":"Visited",\#(time),"data":{"visitors":12}}"#,
      ])
  }

  @Test func `a version between has the shapes of that version`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", "1.1.0")
    #expect(run.status == 0)
    #expect(run.lines.count == 5)
    #expect(run.lines.first?.hasSuffix(#""data":{"city":"Nantes","title":"Mill","country":"FR"}}"#) == true)
    #expect(run.lines.last?.contains(#""version":"1.1.0""#) == true)
  }

  @Test func `an event on which a rule fails ends the dump after the events before it`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", "2.0.0")
    #expect(run.status == 1)
    #expect(run.lines.count == 4)
    #expect(run.errors.hasPrefix("parks: ruleFailed: position 5, stream 'park/2', revision 0: 'Visited'"))
  }

  @Test func `an unknown version is refused with a list of the plan's versions`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    for version in ["3.0.0", "x", ""] {
      let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", version)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(
        run.errors.hasPrefix(
          "parks: wrongUse: --as needs a version of the plan (1.0.0, 1.1.0, 2.0.0) or 'current', not '\(version)'\n"
        ))
    }
  }

  @Test func `a store of another plan is refused before the first line`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", "2.0.0")
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("parks: noPath: "))
  }

  @Test func `events that are newer than the version are refused before the first line`() async throws {
    let folder = try TemporaryDirectory()
    let store = try EventStore(at: URL(filePath: folder.store), plan: ParkPlan.self)
    try await store.append([.treePlanted(.init(kind: "elm"))], to: "park/1")
    let run = await CommandRun(for: ParkPlan.self, "dump", folder.store, "--as", "1.0.0")
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(
      run.errors.hasPrefix(
        "parks: newerSchema: version 1.0.0 of the plan cannot read all stored events:\n"))
    let line =
      "- 'TreePlanted' of version 2.0.0, 1 events, the first at position 1: versions from 2.0.0 on can read the events: use one of them ('--as 2.0.0')"
    #expect(run.errors.contains(line))
  }

  @Test func `an event that a pass made is refused below its version, even with equal name and shape`()
    async throws
  {
    let folder = try TemporaryDirectory()
    let url = URL(filePath: folder.store)
    try await EventStore(at: url, plan: FirstMemoPlan.self).append([.noted(.init(text: "a"))], to: "memos")
    let migrated = await CommandRun(for: MemoPlan.self, "migrate", folder.store)
    #expect(migrated.status == 0)
    let now = await CommandRun(for: MemoPlan.self, "dump", folder.store, "--as", "2.0.0")
    #expect(now.output.contains(#""data":{"text":"new a"}"#))
    let run = await CommandRun(for: MemoPlan.self, "dump", folder.store, "--as", "1.0.0")
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("parks: newerSchema: "))
    #expect(run.errors.contains("'Noted' of version 2.0.0, 1 events, the first at position 1"))
    #expect(run.errors.contains("versions from 2.0.0 on can read the events"))
    let older = await CommandRun(for: FirstMemoPlan.self, "dump", folder.store, "--as", "current")
    #expect(older.status == 65)
    #expect(older.errors.contains("2.0.0 is the lowest version that can read the events: use the program"))
  }

  @Test func `many entries without readable events are skipped`() async throws {
    let folder = try TemporaryDirectory()
    let store = try EventStore(at: URL(filePath: folder.store), plan: ParkFirst.self)
    let inspections = (0..<20_000).map { _ in ParksV1.Event.inspected(.init(by: "A")) }
    try await store.append(inspections, to: "park/1")
    try await store.append([.visited(.init(people: 1))], to: "park/1")
    let run = await CommandRun(for: ParkPlan.self, "dump", folder.store, "--as", "2.0.0")
    #expect(run.status == 0)
    #expect(run.lines.count == 1)
    #expect(run.lines.first?.hasPrefix(#"{"position":20001,"#) == true)
  }

  @Test func `a closed pipe ends it without a word`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "dump", store, "--as", "1.0.0", limit: 0)
    #expect(run.status == 0)
    #expect(run.errors == "")
  }

  @Test func `a full output disk is reported`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(
      for: ParkPlan.self, "dump", store, "--as", "1.0.0", limit: 0,
      refusal: .failed(SystemError(code: ENOSPC)))
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("parks: diskFull: "))
  }
}

@Schema(1, 0, 0) private enum Memos1 {
  @Record fileprivate struct Noted { var text: String }
}
@Schema(2, 0, 0) private enum Memos2 {
  @Record fileprivate struct Noted { var text: String }
}
private enum FirstMemoPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Memos1, Memos1> {}
}
private enum MemoPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Memos1, Memos2> {
    MigrationStage.custom(fromVersion: Memos1.self, toVersion: Memos2.self) {
      Upcast(\.noted, to: \.noted) { old, _ in .init(text: "new \(old.text)") }
    }
  }
}
