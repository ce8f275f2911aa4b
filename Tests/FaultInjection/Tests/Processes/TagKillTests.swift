import Annals
import FaultPrograms
import Foundation
import Testing

/// Processes that append tagged events under conditions while others compact the log, each killed at random
/// moments and begun again.
@Suite(.serialized) struct TagKillTests {
  private static let perRound = 60
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_TAG_KILLS", usual: perRound), perRound: perRound)

  @Test(arguments: rounds)
  func `for every event of killed writers, the query asserted is empty from the known position to its own`(
    seed: UInt64
  ) throws {
    let place = try TemporaryStore()
    try place.create()
    let store = place.url.path
    let writers = Dictionary(uniqueKeysWithValues: (1...3).map { ($0, place.path("writer\($0)")) })
    // How long calls take depends on the disk, and each life needs time for some.
    let begun = Journal.now
    let first = try Child.run("tag", store, place.path("writer1"), "1", "\(seed)", "20")
    #expect(try first.wait() == .exit(0), "\(first.text())")
    let call = (Journal.now - begun) / 20_000
    var herd = try Herd(
      writers.sorted { $0.key < $1.key }
        .map { ["tag", store, $0.value, "\($0.key)", "SEED", "1000000"] }
        + [["tag-compact", store, "1000000"]], delay: 0...max(40_000, 8 * call),
      seed: seed)
    try herd.run(kills: Self.perRound)
    #expect(herd.ends == [])
    for (number, journal) in writers {
      let child = try Child.run("tag", store, journal, "\(number)", "\(seed)", "10")
      #expect(try child.wait() == .exit(0), "writer \(number): \(child.text())")
    }
    let history = try TagHistory(writers)
    try check(place.url, history, seed)
    let last = try Child.run("tag-compact", store, "1")
    #expect(try last.wait() == .exit(0), "\(last.text())")
    let generation = try check(place.url, history, seed)
    #expect(herd.kills >= Self.perRound && herd.early < herd.kills)
    #expect(history.acknowledged > Self.perRound / 2)
    #expect(history.matched > 0)
    #expect(generation > 1)
    print(
      "tags, seed \(seed): \(herd.kills) kills, \(herd.early) before the store was open; \(history.acknowledged) calls acknowledged, \(history.matched) refused by a match, \(history.conflicts) by a stream, \(history.open) without an answer; generation \(generation)"
    )
  }

  /// Compares the log with the journals and with itself.
  ///
  /// - Returns: The number of the generation in use.
  @discardableResult
  private func check(_ url: URL, _ history: TagHistory, _ seed: UInt64) throws -> UInt64 {
    let report = try EventLog.verify(url)
    #expect(report.isClean, "seed \(seed): \(report.findings)")
    let log = try EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never))
    try log.read { snapshot in
      var entries: [LogEntry] = []
      var cursor = try snapshot.entries()
      while let entry = try cursor.next() { entries.append(entry) }
      #expect(history.problems(with: entries) == [], "seed \(seed)")
      checkControls(history, entries)
      var random = SeededGenerator(seed: seed)
      for _ in 0..<60 { try compare(snapshot, entries, using: &random, "seed \(seed)") }
    }
    return UInt64(try EventLog.inspect(url).generation)
  }

  /// Compares a query in a random range with all entries.
  private func compare(
    _ snapshot: borrowing LogSnapshot, _ entries: [LogEntry], using random: inout SeededGenerator,
    _ at: Comment
  ) throws {
    let query = TagChoice.query(using: &random)
    let (one, other) = (
      UInt64.random(in: 0...UInt64(entries.count), using: &random),
      UInt64.random(in: 0...UInt64(entries.count), using: &random)
    )
    let (low, high) = (min(one, other), max(one, other))
    let expected = entries.filter {
      $0.position.rawValue >= low && $0.position.rawValue <= high && TagHistory.matches($0, query)
    }.map(\.position)
    for backwards in [false, true] {
      var found: [Position] = []
      var read = try snapshot.entries(
        matching: query, from: Position(backwards ? high : low), through: Position(backwards ? low : high),
        backwards: backwards)
      while let entry = try read.next() { found.append(entry.position) }
      #expect(found == (backwards ? expected.reversed() : expected), "\(at): \(query), \(low) to \(high)")
    }
  }

  /// Checks that the comparison sees each way in which a store could be wrong.
  private func checkControls(_ history: TagHistory, _ entries: [LogEntry]) {
    var swapped = entries
    swapped.swapAt(0, entries.count - 1)
    #expect(history.problems(with: entries.dropLast()) != [], "the last event is lost, and nobody noticed")
    #expect(history.problems(with: entries + [entries[0]]) != [], "an event is twice, and nobody noticed")
    #expect(history.problems(with: swapped) != [], "events are exchanged, and nobody noticed")
    var untagged = entries
    if let index = entries.firstIndex(where: { !$0.tags.isEmpty }) {
      untagged.remove(at: index)
      #expect(history.problems(with: untagged) != [], "a tagged event is lost, and nobody noticed")
    }
    let wrong = history.problems(with: entries) { _ in nil }
    #expect(wrong.contains { $0.hasSuffix("matches") }, "conditions did not hold, and nobody noticed")
  }
}
