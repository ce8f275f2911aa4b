import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The output of `explain`.
@Suite struct ExplainVerbTests {
  private func explain(_ position: Int, _ words: String...) async throws -> CommandRun {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    return await CommandRun(
      ["explain", store, "\(position)"] + words,
      Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs))
  }

  @Test func `an event is shown as stored, after each stage, and now`() async throws {
    let run = try await explain(1)
    #expect(run.status == 0)
    #expect(
      run.output == """
        position  1
        stream    park/1, revision 0
        time      2024-01-01T00:00:00.000000Z
        id        00000000-0000-4000-8000-000000000007
        metadata  {"user":"7"}

        stored, \(run.size) bytes
          kind 1: ParkOpened, version 1.0.0, by shape
            (name: text, city: text)
          ParkOpened {"city":"Nantes","name":"Mill"}

        1.0.0 -> 1.1.0
          ParkOpened: read in its new shape
            ~ name -> title: text
            + country: text = "FR"
          ParkOpened {"city":"Nantes","title":"Mill","country":"FR"}

        1.1.0 -> 2.0.0
          ParkOpened: carried

        now, version 2.0.0
          ParkOpened {"city":"Nantes","title":"Mill","country":"FR"}

        """)
  }

  @Test func `the parts of a split are distinguished by their paths`() async throws {
    let run = try await explain(2)
    #expect(run.status == 0)
    #expect(
      run.output.hasSuffix(
        """
        1.0.0 -> 1.1.0
          TreesPlanted: carried
          TreesPlanted {"kind":"oak","count":2}

        1.1.0 -> 2.0.0
          TreesPlanted: Split

        now, version 2.0.0
          [0] TreePlanted {"kind":"oak"}
          [1] TreePlanted {"kind":"oak"}

        """))
  }

  @Test func `a dropped event says why, and that nothing is left`() async throws {
    let run = try await explain(3)
    #expect(run.status == 0)
    #expect(
      run.output.hasSuffix(
        """
        1.1.0 -> 2.0.0
          Inspected: Drop, inspections are kept elsewhere

        now, version 2.0.0
          nothing: no event of it is delivered

        """))
  }

  @Test func `a stage that fails is the last, with the reason`() async throws {
    let run = try await explain(5)
    #expect(run.status == 1)
    #expect(run.errors == "")
    #expect(
      run.output.hasSuffix(
        """
        1.1.0 -> 2.0.0
          Visited: Upcast
            + visitors: int64
            - people: int64

        fails: ruleFailed: position 5, stream 'park/2', revision 0: 'Visited' of version 1.0.0: the rule for 'Visited' in stage 1.1.0 to 2.0.0 threw NobodyCame

        """))
  }

  @Test func `a change of the log says who made it, and why`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    _ = await CommandRun("erase", store, "--position", "1", "--by", "jane", "--because", "request 4711")
    _ = await CommandRun("close", store, "park/2", "--because", "sold")
    let erased = await CommandRun(for: ParkPlan.self, "explain", store, "1")
    #expect(erased.status == 0 && erased.output.hasSuffix("  not delivered, erased: request 4711\n"))
    let erasure = await CommandRun(for: ParkPlan.self, "explain", store, "6")
    #expect(erasure.status == 0 && erasure.output.hasSuffix("  a change of the log by jane: request 4711\n"))
    let closing = await CommandRun(for: ParkPlan.self, "explain", store, "7")
    #expect(closing.status == 0 && closing.output.hasSuffix("  a change of the log: sold\n"))
    let lines = try await CommandRun(for: ParkPlan.self, "explain", store, "6", "--json").objects()
    #expect(lines.count == 1 && lines.first?["removed"] as? String == "system")
    #expect(lines.first?["by"] as? String == "jane" && (lines.first?["kinds"] as? [Any])?.isEmpty == true)
    #expect(await CommandRun(for: ParkPlan.self, "report", store, "--entry", "6").status == 0)
  }

  @Test func `programs get a line for each step`() async throws {
    let run = try await explain(2, "--json")
    #expect(run.status == 0)
    let lines = try run.objects()
    #expect(lines.map { $0["step"] as? String } == ["stored", "read", "stage", "stage", "now"])
    #expect(lines.first?["stream"] as? String == "park/1")
    #expect((lines.first?["data"] as? [String: Any])?["count"] as? Int == 2)
    #expect(
      run.lines[3]
        == #"{"step":"stage","from":"1.1.0","to":"2.0.0","crossings":[{"path":[],"type":"TreesPlanted","outcome":"split","into":["TreePlanted"],"class":"custom","fields":[]}],"events":[{"path":[0],"type":"TreePlanted","data":{"kind":"oak"}},{"path":[1],"type":"TreePlanted","data":{"kind":"oak"}}]}"#
    )
    let failing = try await explain(5, "--json").objects()
    #expect(failing.last?["step"] as? String == "failure")
    #expect(failing.last?["error"] as? String == "ruleFailed")
  }

  @Test(arguments: ["0", "-1", "x", "1.5", ""])
  func `a position that is none is wrong usage`(position: String) async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    #expect(await CommandRun(for: ParkPlan.self, "explain", store, "--", position).status == 64)
  }

  @Test(arguments: ["6", "99999999999999999999999"])
  func `a position beyond the end is refused with the last one`(position: String) async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(for: ParkPlan.self, "explain", store, position)
    #expect(run.status == 64)
    #expect(run.errors.contains("the log has the positions 1 to 5"))
  }

  @Test func `an event that the plan has no way for is explained up to there`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let run = await CommandRun(for: ParkPlan.self, "explain", store, "1")
    #expect(run.status == 1)
    #expect(run.output.contains(#"  T {"n":1}"#))
    #expect(run.output.contains("fails: noPath: position 1: a 'T' of version 2.0.0 cannot be read"))
  }

  @Test func `an entry of a version newer than the plan is reported as such`() async throws {
    let folder = try TemporaryDirectory()
    let store = try EventStore(at: URL(filePath: folder.store), plan: ParkPlan.self)
    try await store.append([.treePlanted(.init(kind: "elm"))], to: "park/1")
    let run = await CommandRun(for: ParkFirst.self, "explain", folder.store, "1")
    #expect(run.status == 1)
    #expect(run.output.contains("fails: newerSchema: "))
  }
}

extension CommandRun {
  /// The number of bytes that an explanation gives for the entry; its layout is up to the format.
  fileprivate var size: String {
    lines.first { $0.hasPrefix("stored, ") }.map { String($0.dropFirst(8).prefix { $0.isNumber }) } ?? ""
  }
}
