import FaultPrograms
import Testing

/// Stores whose power is cut at every moment of attaching, erasing, truncating, retaining and removing.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct LifePowerCutTests {
  /// The number of images to examine in all.
  private static let total = RunLength.count("ANNALS_LIFE_POWER_CUTS", usual: 24)
  /// The most images of one recording.
  private static let perRecording = min(1_000, total / 2)
  private static let rounds = RunLength.seeds((total + 2 * perRecording - 1) / (2 * perRecording))
  private static let calls = 48

  @Test(arguments: rounds, [Lives.attaching, .retiring])
  func `each answered change holds, no event lacks its content, and the rest is removed`(
    seed: UInt64, lives: Lives
  ) throws {
    let cut = try PowerCut(Workload(seed: seed, calls: 0..<Self.calls, lives: lives))
    let outcome = try cut.run(images: Self.perRecording)
    print(
      "power cuts, \(lives), seed \(seed): \(outcome.images) of \(outcome.possible) images at \(outcome.moments) moments, \(outcome.findings.count) findings"
    )
    #expect(outcome.findings == [])
    #expect(outcome.moments > 2 * Self.calls)
    #expect(outcome.images == min(Self.perRecording, outcome.possible))
  }

  @Test func `contents that were not waited for are caught`() throws {
    let cut = try PowerCut(Workload(seed: 1, calls: 0..<24, lives: .attaching))
    let contents = cut.recording.operations.reduce(into: Set<Inode>()) { contents, operation in
      if case .create(let file, _, let name, false) = operation, name.hasSuffix(".tmp"), name.count > 36 {
        contents.insert(file)
      }
    }
    #expect(!contents.isEmpty)
    let outcome = try cut.recorded { $0.withoutSynchronizing(contents.contains) }.run(findings: 1)
    #expect(!outcome.findings.isEmpty)
  }
}
