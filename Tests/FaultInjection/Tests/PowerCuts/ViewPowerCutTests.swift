import Annals
import FaultPrograms
import Foundation
import Testing

/// Stores with a view, whose power is cut at every moment of its build, its catching up, a switch, and a
/// start from older rows. Each image is examined as in another run of the system.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct ViewPowerCutTests {
  /// The number of images to examine in all.
  private static let total = RunLength.count("ANNALS_VIEW_POWER_CUTS", usual: 48)
  /// The largest number of images from one recording, which has some thousands.
  private static let perRecording = min(1_000, total / 2)
  private static let rounds = RunLength.seeds((total + 2 * perRecording - 1) / (2 * perRecording))
  private static let calls = 50
  /// The number of first cuts in each round that a second one follows, and the largest number of images of
  /// each.
  private static let pairs = (cuts: min(40, max(2, total / 50)), images: 10)

  /// A workload as it is recorded for the first round.
  private static let recorded = (
    full: Result { try PowerCut(workload(RunLength.seed, .full)) },
    relaxed: Result { try PowerCut(workload(RunLength.seed, .relaxed)) }
  )

  private static func workload(_ seed: UInt64, _ durability: StoreOptions.Durability) -> Workload {
    Workload(seed: seed, calls: 0..<calls, durability: durability, views: .all)
  }

  private func cut(_ seed: UInt64, _ durability: StoreOptions.Durability = .full) throws -> PowerCut {
    guard seed == RunLength.seed else { return try PowerCut(Self.workload(seed, durability)) }
    return try (durability == .full ? Self.recorded.full : Self.recorded.relaxed).get()
  }

  @Test(arguments: rounds, [StoreOptions.Durability.full, .relaxed])
  func
    `a view has the rows of a fresh fold, whatever of its file was lost, and shows none that the log does not give`(
      seed: UInt64, durability: StoreOptions.Durability
    ) throws
  {
    let cut = try cut(seed, durability)
    // A first build, two raised versions and a requested rebuild. Each was built without waiting for the
    // disk, and in several commits if it read the log.
    let windows = ViewMoments(cut.recording).unsynced
    #expect(windows.count == 4)
    #expect(windows.prefix(3).allSatisfy { $0.commits.count > 3 }, "\(windows)")
    let first = try #require(windows.first?.moments)
    let early = try cut.run(images: Self.perRecording / 4, during: first)
    let outcome = try cut.run(images: Self.perRecording - early.images)
    print(
      "power cuts of views, \(durability), seed \(seed): \(early.images) of \(early.possible) images of the first build, \(outcome.images) of \(outcome.possible) at all \(outcome.moments) moments, rows at once in \(outcome.resumed), views ahead in \(outcome.ahead), \(early.findings.count + outcome.findings.count) findings"
    )
    #expect(early.findings == [])
    #expect(outcome.findings == [])
    #expect(early.images + outcome.images == Self.perRecording)
    // A file that was not flushed was never resumed.
    #expect(early.resumed == 0)
    #expect(outcome.resumed > 0)
  }

  @Test(arguments: rounds)
  func `a second cut, while the remains of the first are removed and rebuilt, leaves the same`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let first = try cut(seed)
    var images = 0
    for _ in 0..<Self.pairs.cuts {
      let start = try #require(first.left(using: &random))
      let calls = Self.calls..<Self.calls + 6
      let second = try PowerCut(Workload(seed: seed, calls: calls, views: .last), after: start)
      let outcome = try second.run(images: Self.pairs.images)
      #expect(outcome.findings == [])
      images += outcome.images
    }
    print("second power cuts of views, seed \(seed): \(images) images after \(Self.pairs.cuts) first ones")
    #expect(images == Self.pairs.cuts * Self.pairs.images)
  }

  @Test func `a view that is called synced before the disk has it is caught`() throws {
    try catches("called synced too early") { cut in
      let moments = ViewMoments(cut.recording)
      let first = try #require(moments.unsynced.first?.moments)
      let careless = cut.recorded { recording in
        recording.withoutSynchronizing { moments.files.contains($0) }
      }
      // The waits that were left out have moved everything after them forwards.
      let left = cut.recording.operations.prefix(first.upperBound).count {
        if case .synchronize(let file) = $0 { moments.files.contains(file) } else { false }
      }
      // After the flush of the mark, its new name and the flush of that.
      let begin = first.upperBound + 4 - left
      return try careless.run(findings: 1, during: begin..<begin + 200)
    }
  }

  /// Requires that a run finds something. The scheduler and the disk decide which writes fall together, so
  /// another recording may be needed.
  private func catches(_ fault: String, _ run: (PowerCut) throws -> PowerCut.Outcome) throws {
    var images = 0
    for round in 0..<5 {
      let outcome = try run(cut(RunLength.seed + UInt64(round)))
      images += outcome.images
      guard outcome.findings.isEmpty else {
        print("a view that is \(fault): caught after \(images) images of \(round + 1) recordings")
        return
      }
    }
    Issue.record("a view that is \(fault) was found in order in \(images) images")
  }
}
