import Annals
import FaultPrograms
import Testing

/// Stores whose power is cut at every moment, on disks that keep any part of the unsynchronised data.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct PowerCutTests {
  /// The number of images to examine in all.
  private static let total = RunLength.count("ANNALS_POWER_CUTS", usual: 1_000)
  /// The number of recordings in a round: one caller, four callers, relaxed.
  private static let recordings = 3
  /// The largest number of images from one recording, which has some thousands.
  private static let perRecording = min(3_000, (total + recordings - 1) / recordings)
  private static let rounds = RunLength.seeds(
    (total + recordings * perRecording - 1) / (recordings * perRecording))
  private static let calls = 60
  /// The number of first cuts in each round that a second one follows.
  private static let pairs = min(100, max(1, total / 125))

  private func cut(_ workload: Workload) throws {
    let outcome = try PowerCut(workload).run(images: Self.perRecording)
    print(
      "power cuts, \(workload.durability), seed \(workload.seed), \(workload.tasks) tasks: \(outcome.images) of \(outcome.possible) images at \(outcome.moments) moments, \(outcome.findings.count) findings"
    )
    #expect(outcome.findings == [])
    // The cuts really came while calls were under way.
    #expect(outcome.moments > 2 * Self.calls / workload.tasks)
    #expect(outcome.images == min(Self.perRecording, outcome.possible))
  }

  @Test(arguments: rounds, [1, 4]) func `no answered call is lost, and every other is whole or absent`(
    seed: UInt64, tasks: Int
  ) throws {
    // Calls that are made at once share commits, so they give fewer moments.
    try cut(Workload(seed: seed, calls: 0..<(tasks == 1 ? 1 : 2) * Self.calls, tasks: tasks))
  }

  @Test(arguments: rounds) func `of relaxed commits at most the last one is lost`(
    seed: UInt64
  ) throws {
    try cut(Workload(seed: seed, calls: 0..<Self.calls, durability: .relaxed))
  }

  @Test(arguments: rounds)
  func `a second cut, in a process that continues after the first, loses nothing either`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let first = try PowerCut(Workload(seed: seed, calls: 0..<12))
    var images = 0
    for _ in 0..<Self.pairs {
      let start = try #require(first.left(using: &random))
      let second = try PowerCut(Workload(seed: seed, calls: 12..<18), after: start)
      let outcome = try second.run(images: 20)
      #expect(outcome.findings == [])
      images += outcome.images
    }
    print("second power cuts, seed \(seed): \(images) images after \(Self.pairs) first ones")
    #expect(images > Self.pairs * 10)
  }

  @Test func `of a leftover the lock is removed last, so that the rest is still known for one`() throws {
    let (root, leftover) = (1 as Inode, 2 as Inode)
    var disk = Disk(root: root)
    disk.perform(.create(leftover, in: root, name: ".orders.annals.7.tmp", isDirectory: true))
    for (number, name) in ["open.lock", "queue.lock", "write.lock"].enumerated() {
      disk.perform(.create(Inode(number) + 3, in: leftover, name: name, isDirectory: false))
    }
    let image = disk.image(taking: disk.pending.map { _ in .whole }, keepsLocks: true)
    let knowledge = Examination.Knowledge(must: CallSet([]), may: CallSet([]), isHistory: true)
    let start = PowerCut.Start(image: image, disk: disk, knowledge: knowledge)
    let cut = try PowerCut(Workload(seed: 1, calls: 0..<3), after: start)
    let removed = cut.recording.operations.compactMap {
      if case .remove(_, _, let name) = $0 { name } else { nil as String? }
    }
    #expect(removed == ["queue.lock", "write.lock", "open.lock", ".orders.annals.7.tmp"])
    #expect(try cut.run().findings == [])
  }

  /// The creator of a store may have been killed before the store's name was on the disk.
  @Test func `each open for writing waits for the store's name`() throws {
    let recording = try PowerCut(Workload(seed: 1, calls: 0..<6)).recording
    // There are three sessions of two calls each.
    var waits = 0
    var waitsBeforeCall: [Int] = []
    for operation in recording.operations {
      if operation == .synchronize(recording.root) { waits += 1 }
      if case .note(.begin) = operation { waitsBeforeCall.append(waits) }
    }
    #expect(waitsBeforeCall == [1, 1, 2, 2, 3, 3])
  }
}
