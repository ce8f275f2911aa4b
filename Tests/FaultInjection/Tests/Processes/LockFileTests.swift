import Annals
import FaultPrograms
import Foundation
import LMDB
import Testing

/// Lock files that are removed, replaced or cut off while processes write.
@Suite(.serialized) struct LockFileTests {
  /// An operation on a lock file.
  enum Attack: String, CaseIterable, Sendable {
    case remove, replace, cutOff

    func run(_ path: String) throws {
      switch self {
      case .remove: try FileManager.default.removeItem(atPath: path)
      case .replace:
        try Data().write(to: URL(fileURLWithPath: path + ".new"))
        guard unsafe rename(path + ".new", path) == 0 else {
          throw SystemFailure(call: "rename", errno: errno)
        }
      case .cutOff:
        guard unsafe truncate(path, 0) == 0 else { throw SystemFailure(call: "truncate", errno: errno) }
      }
    }
  }

  private static let files = ["log-000001.mdb-lock", "write.lock", "queue.lock", "open.lock"]
  private static let rounds = RunLength.seeds(RunLength.count("ANNALS_LOCKS", usual: 24), perRound: 1)

  /// The result of a round.
  private struct Outcome {
    var problems: [String]
    var ends: [Child.End?]
    var history: History
  }

  /// Lets two processes write, attacks, and starts a third one.
  private func round(
    seed: UInt64, _ files: [String], _ attack: Attack, without guards: EnvironmentOptions.Guards
  ) throws -> Outcome {
    let temporary = try TemporaryStore()
    try temporary.create()
    let store = temporary.url.path
    var random = SeededGenerator(seed: seed)
    func begin(_ writer: Int, _ count: Int) throws -> Child {
      let child = try Child.run(
        "write", store, temporary.path("writer\(writer)"), "\(writer)", "\(seed &+ UInt64(writer))",
        "\(count)",
        "\(guards.rawValue)")
      return child
    }
    let old = try [begin(1, 1_000_000), begin(2, 1_000_000)]
    for child in old { #expect(child.speaks(within: 10)) }
    usleep(UInt32.random(in: 0..<20_000, using: &random))
    for file in files { try attack.run(store + "/" + file) }
    let new = try begin(3, 8)
    var ends = [try new.wait(20)]
    usleep(20_000)
    // Processes that must notice the attack get the time for it, even on a busy machine.
    let stops = guards.isEmpty && attack != .cutOff
    ends += try old.map { stops ? try $0.wait(10) : try $0.kill() }
    // After all of them, the store is opened again and takes appends.
    let last = try begin(4, 3)
    let end = try last.wait(20)
    if guards.isEmpty { #expect(end == .exit(0), "\(files) \(attack), seed \(seed): \(last.text())") }
    let writers = Dictionary(uniqueKeysWithValues: (1...4).map { ($0, temporary.path("writer\($0)")) })
    let history = try History(writers: writers, watchers: [])
    return Outcome(problems: try temporary.problems(with: history), ends: ends, history: history)
  }

  @Test(arguments: rounds) func `no lock file is lost in silence, and nothing with it`(seed: UInt64) throws {
    let file = Self.files[Int(seed) % Self.files.count]
    let attack = Attack.allCases[Int(seed) / Self.files.count % Attack.allCases.count]
    let outcome = try round(seed: seed, [file], attack, without: [])
    #expect(outcome.problems == [], "\(attack) \(file)")
    let told = Set(outcome.history.failures.keys)
    #expect(told.isSubset(of: ["lockFileDamaged", "outcomeUnknown"]), "\(attack) \(file): \(told)")
    if attack != .cutOff {
      // The two that were at work both stopped.
      #expect(
        outcome.history.failures.values.sum() >= 2, "\(attack) \(file): \(outcome.history.failures)")
      #expect(outcome.ends.dropFirst().allSatisfy { $0 == .exit(1) }, "\(attack) \(file): \(outcome.ends)")
    }
    print("locks, seed \(seed): \(attack) \(file): \(outcome.history.failures), \(outcome.ends)")
  }

  @Test(arguments: rounds) func `all lock files are not lost in silence, and nothing with them`(seed: UInt64)
    throws
  {
    let outcome = try round(seed: seed, Self.files, seed % 2 == 0 ? .remove : .replace, without: [])
    #expect(outcome.problems == [])
    #expect(Set(outcome.history.failures.keys).isSubset(of: ["lockFileDamaged", "outcomeUnknown"]))
    #expect(outcome.history.failures.values.sum() >= 2)
  }

  @Test func `without the guards a removed lock file loses acknowledged calls`() throws {
    var losses = 0
    for seed in UInt64(1)...5 {
      do {
        let outcome = try round(seed: seed, ["log-000001.mdb-lock"], .remove, without: .all)
        if !outcome.problems.isEmpty { losses += 1 }
      } catch let error as AnnalsError where error.code == .damaged {
        // Two writers at once also leave links that a reader refuses.
        losses += 1
      }
    }
    #expect(losses > 0)
    print("locks without guards: \(losses) of 5 rounds lost something")
  }
}
