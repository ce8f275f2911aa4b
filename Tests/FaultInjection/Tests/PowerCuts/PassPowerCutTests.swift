import Annals
import FaultPrograms
import Foundation
import Testing

/// Stores whose power is cut at every moment of passes, switches, a rollback and a removal.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct PassPowerCutTests {
  /// The number of images to examine in all.
  private static let total = RunLength.count("ANNALS_PASS_POWER_CUTS", usual: 300)
  /// The most images of one recording.
  private static let perRecording = min(1_250, total / 2)
  private static let rounds = RunLength.seeds((total + 2 * perRecording - 1) / (2 * perRecording))
  private static let calls = 36

  private func cut(_ seed: UInt64, _ passes: Passes) throws -> PowerCut {
    try PowerCut(Workload(seed: seed, calls: 0..<Self.calls, passes: passes))
  }

  /// The places in the recording where marks of unfinished generations were written, with their texts.
  private func marks(_ cut: PowerCut) -> [(place: Int, text: String)] {
    cut.recording.operations.enumerated().compactMap { place, operation in
      guard case .write(_, _, let bytes, _) = operation, bytes.count < 200 else { return nil }
      let text = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.map(String.init)
      return text == "synced" || text == "unsynced" ? (place, text ?? "") : nil
    }
  }

  @Test(arguments: rounds, [Passes.synced, .unsynced])
  func `the old generation or the new one is in use, with every answered call, and a pass goes on`(
    seed: UInt64, passes: Passes
  ) throws {
    let cut = try cut(seed, passes)
    let outcome = try cut.run(images: Self.perRecording)
    print(
      "power cuts of \(passes) passes, seed \(seed): \(outcome.images) of \(outcome.possible) images at \(outcome.moments) moments, \(outcome.resumed) passes resumed, \(outcome.findings.count) findings"
    )
    #expect(outcome.findings == [])
    #expect(outcome.images == min(Self.perRecording, outcome.possible))
    #expect(outcome.resumed > 0)
    // The pass alongside appends really did not wait for the disk.
    #expect(marks(cut).contains { $0.text == "unsynced" } == (passes == .unsynced))
  }

  @Test func `a file that was not flushed is caught if a pass resumes it after another start`() throws {
    var images = 0
    // The scheduler decides how many appends happen during a pass, so another recording may be needed.
    for seed in UInt64(1)...5 {
      let cut = try cut(seed, .unsynced)
      let marks = marks(cut)
      let begin = try #require(marks.firstIndex { $0.text == "unsynced" })
      let end = marks[begin...].first { $0.text == "synced" }?.place ?? cut.recording.operations.count
      // After the first batches, when pages are reused that were never flushed to the disk.
      let late = marks[begin].place + (end - marks[begin].place) / 2
      let outcome = try cut.run(findings: 1, during: late..<end, resumption: .here)
      images += outcome.images
      guard outcome.findings.isEmpty else {
        print("not waited for: caught after \(images) images of \(seed) recordings")
        return
      }
    }
    Issue.record("what was not waited for was found in order in \(images) images")
  }

  @Test func `a CURRENT that names a generation before the switch to it is caught`() throws {
    var early = Int.max
    let cut = try cut(1, .synced).recorded { recording in
      var copy = recording
      var operations = recording.operations
      let renames = operations.indices.filter {
        if case .rename(_, _, _, "CURRENT") = operations[$0] { true } else { false }
      }
      // The first is the creation's.
      guard renames.count > 1, case .rename(let file, let directory, _, _) = operations[renames[1]],
        case let targets = operations.prefix(renames[1]).compactMap({
          if case .create(let inode, _, "log-000002.mdb", _) = $0 { inode } else { nil as Inode? }
        }), let target = targets.last,
        let begin = operations.prefix(renames[1]).lastIndex(where: {
          if case .create(file, _, _, _) = $0 { true } else { false }
        }),
        let end = operations[renames[1]...].firstIndex(of: .synchronize(directory)),
        // The commit with which the new generation says that it can be used.
        let live = operations.prefix(begin).lastIndex(where: {
          if case .write(target, _, _, true) = $0 { true } else { false }
        })
      else { return recording }
      let replacement = Array(operations[begin...end])
      operations.removeSubrange(begin...end)
      operations.insert(contentsOf: replacement, at: live)
      early = live
      copy.operations = operations
      return copy
    }
    try #require(early < .max)
    let outcome = try cut.run(findings: 1, during: early..<Int.max)
    #expect(!outcome.findings.isEmpty)
  }
}
