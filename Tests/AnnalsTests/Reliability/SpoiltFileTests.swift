import Foundation
import Testing

@testable import Annals

/// Damaged files: no process dies of a signal, and nothing reads as something else.
@Suite(.serialized) struct SpoiltFileTests {
  private static let perChild = 20
  private static let flips = RunLength.seeds(
    RunLength.count("ANNALS_FLIPS", usual: 200) / 2, perRound: perChild)
  /// One round for every hundred flips of each kind.
  private static let others = RunLength.seeds(
    max(1, RunLength.count("ANNALS_FLIPS", usual: 200) / 200) * perChild, perRound: perChild)

  /// What became of the damages of one round.
  private struct Tally {
    var counts: [String: Int] = [:]
    var wrong: [String] = []

    init(path: String) throws {
      for line in try Journal.lines(path: path) where !line.hasPrefix("begin") {
        counts[String(line.prefix { $0 != " " }), default: 0] += 1
        if line.hasPrefix("wrong") { wrong.append(line) }
      }
    }
  }

  /// Tries `perChild` damages in a child, and those after a fatal damage in a further one.
  private func run(_ kind: Damage.Kind, seed: UInt64) async throws -> Tally {
    let place = try TemporaryStore()
    try await Specimen.create(at: DamageTrial.original(in: place.directory))
    let journal = place.directory.appendingPathComponent("journal").path
    var next = 0
    while next < Self.perChild {
      await #expect(processExitsWith: .success) {
        [
          folder = place.directory.path as String, journal = journal as String,
          kind = kind.rawValue as String,
          seed = seed as UInt64, next = next as Int
        ]
        in
        let kind = try #require(Damage.Kind(rawValue: kind))
        try await SpoiltFileTests.child(
          URL(fileURLWithPath: folder), journal: journal, kind, seed: seed, from: next)
      }
      let begun = try Journal.lines(path: journal).filter { $0.hasPrefix("begin") }
      let done = try Journal.lines(path: journal).count - begun.count
      if done < begun.count {
        let last = try #require(begun.last)
        Issue.record("\(kind), seed \(seed): the process ended at: \(last)")
        try Journal(path: journal).note("died")
      }
      // A child that does not even begin would let this loop run forever.
      guard begun.count > next else { break }
      next = begun.count
    }
    let tally = try Tally(path: journal)
    #expect(tally.wrong.isEmpty, "\(kind), seed \(seed)")
    print("\(kind), seed \(seed): \(tally.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    return tally
  }

  private static func child(
    _ folder: URL, journal: String, _ kind: Damage.Kind, seed: UInt64, from next: Int
  ) async throws {
    let journal = try Journal(path: journal)
    let trial = try DamageTrial(folder: folder, copy: "spoilt \(next).annals")
    let file = DamageTrial.original(in: folder).appendingPathComponent(Specimen.file)
    let size = try Data(contentsOf: file).count
    var random = SeededGenerator(seed: seed)
    for number in 0..<perChild {
      let damage = Damage(kind, size: size, using: &random)
      if number < next { continue }
      try journal.note("begin \(number): \(damage)")
      switch try await trial.run(damage) {
      case .detected: try journal.note("detected")
      case .harmless: try journal.note("harmless")
      case .older: try journal.note("older \(damage)")
      case .wrong(let what): try journal.note("wrong \(damage): \(what)")
      }
    }
  }

  @Test(arguments: [Damage.Kind.flip, .headerFlip])
  func `a flipped bit, anywhere or in the header of a page, is found or harmless`(
    kind: Damage.Kind
  ) async throws {
    // The file differs from run to run, and the bytes that one seed hits may all be out of use.
    var detected = 0
    for seed in Self.flips { detected += try await run(kind, seed: seed).counts["detected", default: 0] }
    #expect(detected > 0, "no flip hit a byte in use")
  }

  @Test(arguments: others, [Damage.Kind.truncation, .zeroedPage, .swappedPages, .tornSector])
  func `lost, zeroed, swapped and torn pages are found or harmless`(
    seed: UInt64, kind: Damage.Kind
  ) async throws {
    let tally = try await run(kind, seed: seed)
    #expect(tally.counts["detected", default: 0] > 0, "nothing in use was hit")
  }
}
