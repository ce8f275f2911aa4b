#if canImport(AnnalsKeys)
  import FaultPrograms
  import Testing

  /// Stores whose power is cut at every moment of making, rotating and dropping keys.
  @Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct KeyPowerCutTests {
    /// The number of images to examine in all.
    private static let total = RunLength.count("ANNALS_KEY_POWER_CUTS", usual: 60)
    /// The most images of one recording.
    private static let perRecording = min(1_000, total)
    private static let rounds = RunLength.seeds((total + perRecording - 1) / perRecording)
    private static let calls = 32

    @Test(arguments: rounds)
    func `a removal of keys that has returned holds in all files, and another one wholly or not at all`(
      seed: UInt64
    ) throws {
      let cut = try PowerCut(Workload(seed: seed, calls: 0..<Self.calls, lives: .forgetting))
      let outcome = try cut.run(images: Self.perRecording)
      print(
        "power cuts, keys, seed \(seed): \(outcome.images) of \(outcome.possible) images at \(outcome.moments) moments, \(outcome.findings.count) findings"
      )
      #expect(outcome.findings == [])
      #expect(outcome.moments > 2 * Self.calls)
      #expect(outcome.images == min(Self.perRecording, outcome.possible))
    }

    @Test func `a directory that was not waited for is caught`() throws {
      let cut = try PowerCut(Workload(seed: 1, calls: 0..<16, lives: .forgetting))
      let directories = cut.recording.directories
      let outcome = try cut.recorded { $0.withoutSynchronizing(directories.contains) }.run(findings: 1)
      #expect(!outcome.findings.isEmpty)
    }
  }
#endif
