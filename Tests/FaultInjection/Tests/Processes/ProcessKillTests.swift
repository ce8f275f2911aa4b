import Annals
import FaultPrograms
import Foundation
import Testing

/// Several processes on one store, each killed at random moments and begun again.
@Suite(.serialized) struct ProcessKillTests {
  private static let perRound = 300
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_KILLS", usual: perRound), perRound: perRound)

  @Test(arguments: rounds)
  func `three writers and two readers that are killed lose nothing, repeat nothing and agree on the order`(
    seed: UInt64
  ) throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let store = temporary.url.path
    let writers = [1: temporary.path("writer1"), 2: temporary.path("writer2"), 3: temporary.path("writer3")]
    let watchers = [temporary.path("watcher1"), temporary.path("watcher2")]
    // How long calls take depends on the disk, and each life needs time for some.
    let begun = Journal.now
    let first = try Child.run("write", store, temporary.path("writer1"), "1", "\(seed)", "20", "0")
    #expect(try first.wait() == .exit(0), "\(first.text())")
    let call = (Journal.now - begun) / 20_000
    var herd = try Herd(
      writers.map { ["write", store, $0.value, "\($0.key)", "SEED", "1000000", "0"] }
        + watchers.map { ["watch", store, $0] }, delay: 0...max(30_000, 6 * call),
      seed: seed)
    try herd.run(kills: Self.perRound)
    #expect(herd.ends == [])

    // The killed processes block nobody. Each writer repeats the call in which it was killed, and makes more.
    for (number, journal) in writers {
      let child = try Child.run("write", store, journal, "\(number)", "\(seed)", "10", "0")
      #expect(try child.wait() == .exit(0), "writer \(number): \(child.text())")
    }

    let history = try History(writers: writers, watchers: watchers)
    let content = try StoreContent(temporary.url)
    #expect(try history.problems(with: content) == [])
    #expect(history.failures == [:])
    #expect(try EventLog.verify(temporary.url).isClean)
    try checkControls(history, content)

    // The kills really came, at all stages, and the processes really met.
    #expect(herd.kills >= Self.perRound)
    #expect(herd.early > Self.perRound / 60)
    #expect(herd.early < herd.kills)
    #expect(history.acknowledged > Self.perRound / 4)
    #expect(history.conflicts > Self.perRound / 30)
    #expect(history.sights.count > Self.perRound)
    print(
      "processes, seed \(seed): \(herd.kills) kills, \(herd.early) before the store was open; \(history.acknowledged) calls acknowledged, \(history.conflicts) refused, \(content.entries.count) entries, \(history.sights.count) snapshots"
    )
  }

  /// Checks that the comparison sees each way in which a store could be wrong.
  private func checkControls(_ history: History, _ content: StoreContent) throws {
    let last = try #require(content.entries.indices.last)
    var controls: [(String, StoreContent)] = []
    func add(_ name: String, _ change: (inout StoreContent) -> Void) {
      var changed = content
      change(&changed)
      controls.append((name, changed))
    }
    add("the last call is lost") { $0.entries.removeLast() }
    add("an entry is there twice") { $0.entries.append($0.entries[last]) }
    add("two entries are exchanged") { $0.entries.swapAt(0, last) }
    add("a payload is another") { $0.entries[last / 2].payload = nil }
    add("a revision is another") { $0.entries[last / 2].revision += 1 }
    add("a head is another") { $0.heads["shared0"] = [0, 1, 1] }
    add("the census is another") { $0.census["Noted", default: 0] += 1 }
    for (name, changed) in controls {
      #expect(try history.problems(with: changed) != [], "\(name), and nobody noticed")
    }
  }
}
