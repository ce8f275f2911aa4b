import FaultPrograms
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// Passes, rollbacks and removals that are killed at random moments alongside a writer, which is sometimes
/// killed too.
@Suite(.serialized) struct PassStormTests {
  private static let perRound = 20
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_PASS_KILLS", usual: 40), perRound: perRound)
  /// The codes with which each program may be refused.
  private static let refusals: Set = ["appendsSuspended", "busy", "wrongUse", "storeReplaced"]

  /// The result of a round.
  private struct Tally {
    var kills: [String: Int] = [:]
    var writerKills = 0
    var ended: [String: Int] = [:]
  }

  /// The words of the next program.
  private func words(_ random: inout SeededGenerator, isHeld: Bool) -> [String] {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...1: ["generations", "discard"]
    case 2...(isHeld ? 10 : 3): ["generations", "rollback"]
    case 4...(isHeld ? 19 : 4): ["generations", "accept"]
    case 5...7: ["pass", "compact", "hold"]
    case 8...9: ["pass", "compact", "restart"]
    case 10...12: ["pass", "compact", "slow"]
    default: ["pass", "compact"]
    }
  }

  @Test(arguments: rounds)
  func `work that is killed at random moments is finished by the next process, and nothing is lost`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let trial = try await PassTrial()
    let store = trial.temporary.url.path
    // The length of a pass depends on the machine. Kills come at all its moments, and sometimes after its
    // end.
    let begin = Journal.now
    _ = try PassTrial(copying: trial).finish()
    let patience = UInt32(clamping: (Journal.now - begin) / 1_000)
    var tally = Tally()
    var writer = try trial.writer(1)
    // Every other round begins after the plan's own pass, with everything that can happen then.
    var isMigrated = seed % 2 == 0
    if isMigrated { _ = try trial.finish() }
    while tally.kills.values.sum() < Self.perRound {
      var isHeld = false
      if case .appendsSuspended = try state(trial) { isHeld = true }
      var words = words(&random, isHeld: isHeld)
      // Until the plan's own pass is done the unfinished one is of the plan.
      if !isMigrated { words = ["pass"] + (Bool.random(using: &random) ? ["slow"] : []) }
      let child = try Child([Child.program, words[0], store] + words.dropFirst())
      let isReady = child.speaks()
      if !isReady { Issue.record("\(words) did not begin") }
      usleep(UInt32.random(in: 0..<(words[0] == "pass" ? patience : 20_000), using: &random))
      let name = words[0] == "pass" ? "pass" : words[1]
      if try child.kill() == .signal(SIGKILL) {
        tally.kills[name, default: 0] += 1
        try trial.checkReading("killed: \(words)", writers: [1])
      } else {
        let text = child.text().drop { $0 == "!" }
        let parts = text.split { $0.isWhitespace }
        tally.ended[name, default: 0] += 1
        if parts.first == "refused" {
          #expect(Self.refusals.contains(String(parts[1])), "\(words): \(text)")
        } else {
          #expect(["done", "nothing", "rolled", "discarded", "accepted"].contains(parts.first), "\(text)")
          if words[0] == "pass" { isMigrated = true }
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        #expect(try writer.kill() == .signal(SIGKILL), "\(writer.text())")
        tally.writerKills += 1
        writer = try trial.writer(1)
      }
    }
    try finish(trial, writer, seed)
    print("passes, seed \(seed): killed \(tally.kills), \(tally.writerKills) writers; ended \(tally.ended)")
  }

  private func state(_ trial: PassTrial) throws -> StoreMeta.State {
    let options = StoreOptions(access: .readOnly, creation: .never)
    return try StoreOpening(
      directory: try StorePlace(trial.temporary.url).open(options), options: options
    ).run().file.meta.state
  }

  /// Lets everything come to its end.
  private func finish(_ trial: PassTrial, _ writer: Child, _ seed: UInt64) throws {
    let store = trial.temporary.url.path
    let accepting = try Child.run("generations", store, "accept")
    #expect(try accepting.wait() == .exit(0), "\(accepting.text())")
    for words in [["pass"], ["pass", "compact"]] {
      let child = try Child([Child.program, words[0], store] + words.dropFirst())
      #expect(try child.wait() == .exit(0), "\(child.text())")
    }
    try writer.kill()
    let again = try trial.writer(1, calls: 3)
    #expect(try again.wait() == .exit(0), "seed \(seed): \(again.text())")
    #expect(try trial.finish("compact").first == "done")
    let discarding = try Child.run("generations", store, "discard")
    #expect(try discarding.wait() == .exit(0), "\(discarding.text())")
    try trial.checkReading("seed \(seed)", writers: [1])
    try trial.checkOrder("seed \(seed)")
    let logs = try FileManager.default.contentsOfDirectory(atPath: store).filter { $0.hasSuffix(".mdb") }
    #expect(logs.count == 1, "seed \(seed): \(logs)")
    let done = try Journal.lines(path: trial.journal(1)).filter { $0[0] == "done" }
    #expect(done.count > 20)
  }
}
