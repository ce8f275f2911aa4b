import Annals
import FaultPrograms
import Foundation
import LMDB
import Testing

/// Processes that open and close one store all the time, while others fail or are killed during an open.
@Suite(.serialized) struct OpenRaceTests {
  private static let perRound = 500
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_OPENS", usual: perRound), perRound: perRound)

  /// The result of a storm.
  private struct Outcome {
    var problems: [String]
    /// How each process ended.
    var ends: [Child.End?]
    /// The number of opens that failed as intended.
    var failures: Int
    var history: History
  }

  /// Lets processes open, append and close, while others fail to open.
  private func storm(
    seed: UInt64, writers: [Int], opens: Int, failing: Int, without guards: EnvironmentOptions.Guards
  ) async throws -> Outcome {
    let temporary = try TemporaryStore()
    let store = temporary.url.path
    do {
      // The log is larger than the failing process may map.
      let log = try EventLog(at: temporary.url)
      let payload = try Payload(["text": .text(String(repeating: "x", count: 12 << 20))])
      try await log.append([NewEntry(type: "Large", version: nil, payload: payload)], to: "large")
    }
    let off = "\(guards.rawValue)"
    let storms = try writers.map {
      try Child.run(
        "storm", store, temporary.path("writer\($0)"), "\($0)", temporary.path("sights\($0)"),
        "\(seed &+ UInt64($0))",
        "\(opens / writers.count)", off)
    }
    let failing = try (0..<failing).map { _ in try Child.run("fail", store, temporary.path("stop"), off) }
    // Without guards some may wait forever.
    let patience = guards.isEmpty ? 600.0 : 40
    var ends = try storms.map { try $0.wait(patience) }
    try Data().write(to: URL(fileURLWithPath: temporary.path("stop")))
    ends += try failing.map { try $0.wait(60) }
    let history = try History(
      writers: Dictionary(uniqueKeysWithValues: writers.map { ($0, temporary.path("writer\($0)")) }),
      watchers: writers.map { temporary.path("sights\($0)") }, ignoring: 1)
    return Outcome(
      problems: try temporary.problems(with: history), ends: ends,
      failures: failing.reduce(0) { $0 + (Int($1.text().dropLast()) ?? 0) },
      history: history)
  }

  // The failing process reads its own size from /proc of Linux.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "needs /proc"), arguments: rounds
  )
  func `processes that open, append and close while others fail to open see and lose nothing wrong`(
    seed: UInt64
  ) async throws {
    let outcome = try await storm(
      seed: seed, writers: [1, 2, 3], opens: Self.perRound, failing: 2, without: [])
    #expect(outcome.problems == [])
    #expect(outcome.ends == Array(repeating: .exit(0), count: 5))
    #expect(outcome.history.failures == [:])
    #expect(outcome.failures > 5)
    #expect(outcome.history.sights.count >= Self.perRound / 3 * 3)
    print(
      "opens, seed \(seed): \(outcome.history.sights.count) opens, \(outcome.failures) that failed inside, \(outcome.history.acknowledged) calls acknowledged"
    )
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "needs /proc"))
  func `without the guards of opening the same processes lose acknowledged calls`() async throws {
    var (losses, rounds) = (0, 0)
    for seed in UInt64(1)...12 where losses == 0 {
      let outcome = try await storm(
        seed: seed, writers: [1], opens: 60, failing: 4, without: [.opening, .snapshot, .transactionID])
      rounds += 1
      if !outcome.problems.isEmpty { losses += 1 }
    }
    #expect(losses > 0)
    print("opens without guards: something was lost in round \(rounds)")
  }
}
