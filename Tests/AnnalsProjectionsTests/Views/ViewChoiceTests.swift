import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The choice among the files of a view.
struct ViewChoiceTests {
  private let outline: ProjectionOutline
  private let inputs: ProjectionInputs
  private static let log = UUID()

  init() throws {
    outline = try ProjectionOutline(Tallies.CountsV2.self)
    inputs = ProjectionInputs(try CompiledPlan(Tallies.Plan.self), cases: Tallies.CountsV2.events.cases)
  }

  private func file(
    _ number: UInt64, version: Int = 2, isReady: Bool = true, _ agreement: CheckpointAgreement = .agrees,
    definition: String? = nil, inputs text: String? = nil, isReadable: Bool = true,
    successor: UInt64? = nil, plan: SchemaVersion? = nil
  ) -> ViewChoice.Candidate {
    ViewChoice.Candidate(
      facts: ViewFacts(
        number: number, name: "counts", version: version, definition: definition ?? outline.text,
        inputs: text ?? inputs.text, plan: plan, isReady: isReady, checkpoint: nil, gate: 0,
        successor: successor,
        isCarrying: false),
      agreement: agreement, isReadable: isReadable)
  }

  private func choose(
    _ candidates: [ViewChoice.Candidate], noted: String? = nil, isOpen: Bool = false
  ) throws(AnnalsError) -> ViewChoice {
    try ViewChoice(
      outline, inputs, oldest: nil, newest: SchemaVersion(2, 0, 0), candidates, noted: noted, isOpen: isOpen)
  }

  @Test("a first build, one that goes on, and one that is done")
  func building() throws {
    let first = try choose([])
    #expect(first.serving == nil && first.building == .new && first.reason == nil)
    let going = try choose([file(3, isReady: false)])
    #expect(going.serving == nil && going.building == .going(on: 3))
    let done = try choose([file(3)])
    #expect(done.serving == 3 && done.building == .none && done.discarded.isEmpty)
    let lost = try choose([], noted: "its file was missing")
    #expect(lost.building == .new && lost.reason == "its file was missing")
  }

  @Test(
    "of two files of one version the later one counts, as after a crash between the two steps of a switch")
  func twoReady() throws {
    let choice = try choose([file(1), file(2)])
    #expect(choice.serving == 2 && choice.building == .none && choice.discarded == [1])
    let beside = try choose([file(1), file(2, isReady: false)])
    #expect(beside.serving == 1 && beside.building == .going(on: 2))
    let left = try choose([file(1, isReady: false), file(2)])
    #expect(left.serving == 2 && left.building == .none && left.discarded == [1])
    let twice = try choose([file(1, isReady: false), file(2, isReady: false)])
    #expect(twice.building == .going(on: 2) && twice.discarded == [1])
  }

  @Test("a version below serves until this one is built, if it can be read, and goes then")
  func lowerVersions() throws {
    let older = file(1, version: 1, definition: "table Word\nshape ")
    let choice = try choose([older])
    #expect(choice.serving == 1 && choice.building == .new && choice.outlived.isEmpty)
    #expect(try choose([file(1, version: 1, isReadable: false)]).serving == nil)
    #expect(try choose([file(1, version: 1, .differs)]).serving == nil)
    let done = try choose([older, file(2)])
    #expect(done.serving == 2 && done.outlived == [1])
    let stale = try choose([older, file(2, inputs: "")])
    #expect(stale.serving == 2 && stale.building == .new && stale.outlived.isEmpty)
  }

  @Test("a view of another log, ahead of this one, or of other inputs is rebuilt, and a reason given")
  func reasons() throws {
    for (agreement, words) in [
      (CheckpointAgreement.otherLog, "another log"), (.ahead(of: 7), "ends at position 7"),
      (.differs, "another entry"),
    ] {
      let choice = try choose([file(4, agreement)])
      #expect(choice.serving == nil && choice.building == .new && choice.discarded == [4])
      #expect(choice.reason?.contains(words) == true)
    }
    let changed = try choose([file(4, inputs: "")])
    #expect(changed.serving == 4 && changed.building == .new)
    #expect(changed.reason?.contains("'Said'") == true)
    let goesOn = try choose([file(4, inputs: ""), file(5, isReady: false)])
    #expect(goesOn.serving == 4 && goesOn.building == .going(on: 5))
  }

  @Test("a view that a newer plan has built from other inputs is read, and neither folded nor rebuilt")
  func newerPlan() throws {
    let (older, newer) = (SchemaVersion(1, 0, 0), SchemaVersion(3, 0, 0))
    let stale = try choose([file(4, inputs: "", plan: older)])
    #expect(stale.serving == 4 && stale.building == .new && stale.newer == nil)
    let held = try choose([file(4, inputs: "", plan: newer)])
    #expect(held.serving == 4 && held.building == .none && held.newer == newer && held.reason == nil)
    // A newer plan that gives the same rows is none to wait for.
    let same = try choose([file(4, plan: newer)])
    #expect(same.serving == 4 && same.building == .none && same.newer == nil)
    let equal = try choose([file(4, inputs: "", plan: SchemaVersion(2, 0, 0))])
    #expect(equal.building == .new && equal.newer == nil)
    // The files that a newer plan builds are left to it: next to the serving file, in place of a stale one,
    // and the first one.
    let beside = try choose([file(4), file(5, isReady: false, inputs: "", plan: newer)])
    #expect(
      beside.serving == 4 && beside.building == .none && beside.newer == nil && beside.discarded.isEmpty)
    let instead = try choose([
      file(4, inputs: "", plan: older), file(5, isReady: false, inputs: "", plan: newer),
    ])
    #expect(instead.serving == 4 && instead.building == .going(on: 5) && instead.newer == newer)
    let first = try choose([file(5, isReady: false, inputs: "", plan: newer)])
    #expect(first.serving == nil && first.building == .going(on: 5) && first.newer == newer)
    // One that the program was asked to build goes on.
    let asked = try choose([file(4, inputs: "", plan: newer), file(5, isReady: false, plan: older)])
    #expect(asked.building == .going(on: 5) && asked.newer == nil)
  }

  @Test("a file whose successor is gone is not read from any more")
  func lostSuccessor() throws {
    let lost = try choose([file(4, successor: 5)])
    #expect(lost.serving == nil && lost.building == .new && lost.discarded == [4])
    #expect(lost.reason == "the file that took its place is gone")
    let spoilt = try choose([file(4, successor: 5)], noted: "its file was damaged")
    #expect(spoilt.reason == "its file was damaged")
    let done = try choose([file(4, successor: 5), file(5)])
    #expect(done.serving == 5 && done.building == .none && done.discarded == [4] && done.reason == nil)
    let lower = try choose([file(2, version: 1), file(4, version: 1, successor: 5)])
    #expect(lower.serving == 2 && lower.building == .new)
  }

  @Test("a newer view, and tables that changed under one version, are refused")
  func refusals() throws {
    let newer = #expect(throws: AnnalsError.self) { _ = try choose([file(1, version: 3)]) }
    #expect(newer?.code == .superseded)
    #expect(try choose([file(1, version: 3, isReady: false)]).building == .new)
    #expect(try choose([file(1, version: 3), file(2)]).serving == 2)
    let changed = #expect(throws: AnnalsError.self) {
      _ = try choose([file(1, definition: "table Other\nshape ")])
    }
    #expect(changed?.code == .shapeChanged)
    let unread = try choose([file(1, isReady: false, definition: "table Other\nshape ")])
    #expect(unread.building == .new && unread.discarded == [1])
  }

  @Test("next to a newer version, a view goes on that was withdrawn, or that this process follows")
  func besideNewer() throws {
    let newer = file(5, version: 3)
    let building = file(6, version: 3, isReady: false)
    for others in [[newer], [file(5, version: 3, successor: 5)], [newer, building]] {
      #expect(throws: AnnalsError.self) { _ = try choose(others) }
      let withdrawn = try choose(others + [file(4, successor: 4)])
      #expect(withdrawn.serving == nil && withdrawn.building == .new && withdrawn.discarded == [4])
      #expect(withdrawn.reason?.contains("erased") == true)
      // The process that had begun to build it again was killed.
      let going = try choose(others + [file(7, isReady: false)])
      #expect(going.serving == nil && going.building == .going(on: 7))
      let open = try choose(others, isOpen: true)
      #expect(open.serving == nil && open.building == .new && open.discarded.isEmpty)
      let done = try choose(others + [file(7)])
      #expect(done.serving == 7 && done.building == .none && done.outlived.isEmpty)
    }
    // A file that another one has replaced, or that is of another log, is none to go on with.
    #expect(throws: AnnalsError.self) { _ = try choose([newer, file(4, successor: 7)]) }
    #expect(throws: AnnalsError.self) { _ = try choose([newer, file(4, .otherLog)]) }
  }

  @Test("a file's own description of its tables is read back, and read as a later version's")
  func definitions() throws {
    let stored = try #require(StoredProjection(ProjectionOutline(Tallies.Counts.self).text))
    #expect(stored.tables.map(\.name) == ["Word"])
    #expect(stored.tables[0].keys == [KeyOutline(name: "times", isUnique: false)])
    // A new optional field is converted.
    #expect(outline.reading(stored)?.conversions != nil)
    #expect(try ProjectionOutline(Tallies.Pauses.self).reading(stored) == nil)
    let mark = ViewMark(name: "zwölf Köpfe", version: 12, boot: "b", isSynced: false)
    #expect(try ViewMark(mark.encoded()) == mark)
    #expect(mark.isUsable(in: "b") && !mark.isUsable(in: "c") && !mark.isUsable(in: nil))
    var bytes = mark.encoded()
    bytes[3] ^= 1
    #expect(throws: FormatFailure.self) { _ = try ViewMark(bytes) }
  }
}
