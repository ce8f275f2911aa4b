import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output of `check` for a plan, its lock file, and stores.
@Suite struct CheckVerbTests {
  @Test func `a plan by itself is reported, stage by stage`() async throws {
    let run = await CommandRun(for: ParkPlan.self, "check")
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.lines.first == "ParkPlan: 1.0.0, 1.1.0, 2.0.0")
    #expect(run.output.contains("ParksV11 1.1.0 -> ParksV2 2.0.0: custom, scope record\n"))
    #expect(run.output.contains("  - Inspected  Drop, inspections are kept elsewhere"))
  }

  @Test func `a lock file is written once and then compared with`() async throws {
    let folder = try TemporaryDirectory()
    let lock = folder.path("Parks.lock")
    let missing = await CommandRun(for: ParkPlan.self, "check", "--lock", lock)
    #expect(missing.status == 1)
    #expect(missing.output.contains("error: there is no lock file 'Parks.lock' yet"))
    #expect(!FileManager.default.fileExists(atPath: lock))
    #expect(await CommandRun(for: ParkPlan.self, "check", "--lock", lock, "--update").status == 0)
    #expect(FileManager.default.fileExists(atPath: lock))
    #expect(await CommandRun(for: ParkPlan.self, "check", "--lock", lock).status == 0)
  }

  @Test func `a missing released version is found, and the file stays as it is`() async throws {
    let folder = try TemporaryDirectory()
    let lock = folder.path("Parks.lock")
    #expect(await CommandRun(for: ParkPlan.self, "check", "--lock", lock, "--update").status == 0)
    let before = try Data(contentsOf: URL(filePath: lock))
    let run = await CommandRun(for: ParkFirst.self, "check", "--lock", lock, "--update")
    #expect(run.status == 1)
    #expect(run.output.contains("version 1.1.0 was released, and the plan does not have it any more"))
    #expect(try Data(contentsOf: URL(filePath: lock)) == before)
  }

  @Test func `updating needs a file, and a damaged file is bad data`() async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun(for: ParkPlan.self, "check", "--update").status == 64)
    let lock = try folder.write("Parks.lock", "no lock\n")
    #expect(await CommandRun(for: ParkPlan.self, "check", "--lock", lock).status == 65)
    let root = await CommandRun(for: ParkPlan.self, "check", "--lock", "/")
    #expect(root.status == 74)
    #expect(root.errors.contains("reading the lock file '/' failed: it is no regular file"))
  }

  @Test func `a store that the plan opens is shown with the stages that its events pass`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "check", "--store", store)
    #expect(run.status == 0)
    #expect(
      run.output.hasSuffix(
        """

        ParkPlan, versions 1.0.0 to 2.0.0: opens the store
          ParkOpened 1.0.0: 1 events, the first at position 1, through 1.1.0, 2.0.0
          TreesPlanted 1.0.0: 1 events, the first at position 2, through 1.1.0, 2.0.0
          Inspected 1.0.0: 1 events, the first at position 3, through 1.1.0, 2.0.0
          Visited 1.0.0: 2 events, the first at position 4, through 1.1.0, 2.0.0
        stage 1.0.0 -> 1.1.0: 5 events pass it
        stage 1.1.0 -> 2.0.0: 5 events pass it
        oldest 1.0.0: events of this store need it

        """))
  }

  // Promise P34.
  @Test func `a store without older events says where the plan may begin`() async throws {
    let folder = try TemporaryDirectory()
    let store = try EventStore(at: URL(filePath: folder.store), plan: ParkPlan.self)
    try await store.append([.treePlanted(.init(kind: "elm"))], to: "park/1")
    let run = await CommandRun(for: ParkPlan.self, "check", "--store", folder.store)
    #expect(run.status == 0)
    #expect(run.output.contains("oldest 1.0.0: this store has no events below 2.0.0"))
    let json = try await CommandRun(for: ParkPlan.self, "check", "--store", folder.store, "--json").objects()
    #expect(json.last?["raisable"] as? String == "2.0.0")
    #expect(json.last?["opens"] as? Bool == true)
    #expect(await CommandRun(for: ParkNewest.self, "check", "--store", folder.store).status == 0)
  }

  @Test func `a plan that begins too late names the events it cannot read`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkNewest.self, "check", "--store", store)
    #expect(run.status == 1)
    #expect(run.errors == "")
    #expect(run.output.contains("ParkNewest, versions 2.0.0 to 2.0.0: does not open the store\n"))
    #expect(
      run.output.contains(
        "  Visited 1.0.0: 2 events, the first at position 4\n    error: the plan begins at version 2.0.0"))
    let json = try await CommandRun(for: ParkNewest.self, "check", "--store", store, "--json").objects()
    #expect(json.last?["raisable"] is NSNull)
  }

  @Test func `events without a version are reported to wait for activation`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(
      "lines", #"{"stream":"park/1","type":"Visited","data":{"people":3}}"# + "\n")
    #expect(await CommandRun("import", folder.store, file).status == 0)
    let run = await CommandRun(for: ParkAdopting.self, "check", "--store", folder.store)
    #expect(run.status == 1)
    #expect(run.output.contains("1 events without a version: run 'activate' to take them"))
    var options = StoreOptions()
    options.activating = true
    _ = try EventStore(at: URL(filePath: folder.store), plan: ParkAdopting.self, options: options)
    #expect(await CommandRun(for: ParkAdopting.self, "check", "--store", folder.store).status == 0)
    let explained = await CommandRun(for: ParkAdopting.self, "explain", folder.store, "1")
    #expect(explained.status == 0)
    #expect(explained.output.contains("kind 1: Visited, no version, by name\n"))
    #expect(explained.output.contains("\nread at 1.0.0\n  Visited {\"people\":3}\n"))
    #expect(explained.output.hasSuffix("now, version 2.0.0\n  Visited {\"visitors\":3}\n"))
  }

  @Test func `a missing store is reported after the plan's report`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun(for: ParkPlan.self, "check", "--store", folder.store)
    #expect(run.status == 66)
    #expect(run.lines.first == "ParkPlan: 1.0.0, 1.1.0, 2.0.0")
  }

  @Test func `programs get a line for each record of each stage and each finding`() async throws {
    let lines = try await CommandRun(for: ParkPlan.self, "check", "--json").objects()
    #expect(lines.first?["versions"] as? [String] == ["1.0.0", "1.1.0", "2.0.0"])
    let dropped = lines.first { $0["outcome"] as? String == "dropped" }
    #expect(dropped?["record"] as? String == "Inspected")
    #expect(dropped?["reason"] as? String == "inspections are kept elsewhere")
    #expect(lines.contains { $0["severity"] as? String == "note" })
  }
}
