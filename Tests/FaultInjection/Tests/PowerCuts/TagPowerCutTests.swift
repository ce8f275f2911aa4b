import Annals
import FaultPrograms
import Testing

/// Stores with tagged events, appended under conditions, whose power is cut at every moment.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct TagPowerCutTests {
  /// The number of images to examine in all.
  private static let total = RunLength.count("ANNALS_TAG_POWER_CUTS", usual: 100)
  /// The number of recordings in a round: one caller, four callers, relaxed, with passes.
  private static let recordings = 4
  /// The largest number of images from one recording, which has some thousands.
  private static let perRecording = min(2_000, (total + recordings - 1) / recordings)
  private static let rounds = RunLength.seeds(
    (total + recordings * perRecording - 1) / (recordings * perRecording))
  private static let calls = 60

  @Test(arguments: rounds)
  func `tags lead to exactly the entries that a power cut leaves, and each call is there at most once`(
    seed: UInt64
  ) throws {
    let workloads = [
      Workload(seed: seed, calls: 0..<Self.calls, isTagged: true),
      Workload(seed: seed, calls: 0..<2 * Self.calls, tasks: 4, isTagged: true),
      Workload(seed: seed, calls: 0..<Self.calls, durability: .relaxed, isTagged: true),
      Workload(seed: seed, calls: 0..<Self.calls, passes: .synced, isTagged: true),
    ]
    for workload in workloads {
      let outcome = try PowerCut(workload).run(images: Self.perRecording)
      print(
        "power cuts on tags, \(workload.durability), passes \(workload.passes), seed \(seed), \(workload.tasks) tasks: \(outcome.images) of \(outcome.possible) images at \(outcome.moments) moments, \(outcome.findings.count) findings"
      )
      #expect(outcome.findings == [])
      #expect(outcome.moments > Self.calls)
      #expect(outcome.images == min(Self.perRecording, outcome.possible))
    }
  }

  @Test func `entries without their tags are a finding`() throws {
    // The examiner expects the same calls with tags, which this recording does not have.
    let cut = try PowerCut(Workload(seed: 1, calls: 0..<12))
    let outcome = try cut.examined(as: Workload(seed: 1, calls: 0..<12, isTagged: true)).run(images: 60)
    #expect(outcome.findings.contains { $0.contains("its tags") })
  }
}
