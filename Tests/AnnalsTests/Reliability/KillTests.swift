import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Processes killed at any moment of an append, an open or a creation.
@Suite(.serialized) struct KillTests {
  private static let perRound = 20
  private static let rounds = RunLength.seeds(RunLength.count("ANNALS_KILLS", usual: 20), perRound: perRound)

  /// What the journal of the victims says.
  private struct Account {
    /// How many calls a victim began.
    var begun: [Int: Int] = [:]
    /// The positions of a victim's answered calls.
    var positions: [Int: [[UInt64]]] = [:]

    init(path: String) throws {
      for line in try Journal.lines(path: path) {
        let words = line.split(separator: " ")
        let victim = Int(words[1]) ?? -1
        switch words[0] {
        case "begin": begun[victim, default: 0] += 1
        default: positions[victim, default: []].append(words.dropFirst(3).compactMap { UInt64($0) })
        }
      }
    }

    func answered(_ victim: Int) -> Int { positions[victim, default: []].count }
  }

  /// Compares the log with the notes of the victims up to `newest`.
  ///
  /// Every answered call is there, at its positions, whole and in order. At most one call that was begun and
  /// not answered follows, and then the entry that the parent appended.
  private func compare(_ log: EventLog, _ account: Account, newest: Int) throws {
    var entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }[...]
    for victim in 0...newest {
      var number = 0
      while let first = entries.first, first.id == Victim.Call(victim: victim, number: number).events[0].id {
        let call = Victim.Call(victim: victim, number: number).events
        let found = entries.prefix(call.count)
        #expect(found.map(\.id) == call.map(\.id), "victim \(victim), call \(number)")
        #expect(found.map(\.stream) == call.map(\.stream))
        #expect(found.map(\.isEndOfCall) == call.indices.map { $0 == call.count - 1 })
        if number < account.answered(victim) {
          #expect(found.map(\.position.rawValue) == account.positions[victim]?[number])
        }
        entries = entries.dropFirst(call.count)
        number += 1
      }
      #expect(number >= account.answered(victim), "victim \(victim): an answered call is lost")
      #expect(number <= account.begun[victim, default: 0], "victim \(victim): a call nobody made")
      #expect(number <= account.answered(victim) + 1, "victim \(victim): two calls without answers")
      #expect(entries.popFirst()?.stream == "parent")
    }
    #expect(entries.isEmpty)
  }

  @Test(arguments: rounds)
  func `acknowledged calls survive, and others are whole or absent`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    do { _ = try place.open() }
    let journal = place.directory.appendingPathComponent("journal").path
    var random = SeededGenerator(seed: seed)
    for victim in 0..<Self.perRound {
      let killed = random.next()
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          path = place.url.path as String, journal = journal as String, victim = victim as Int,
          killed = killed as UInt64
        ]
        in
        try await Victim.append(store: path, journal: journal, victim: victim, seed: killed)
      }
      let log = try place.open()
      try await log.append([.sized(1)], to: "parent")
      try compare(log, Account(path: journal), newest: victim)
      #expect(try EventLog.verify(place.url).isClean)
    }
    // The kills really came while calls were under way.
    let account = try Account(path: journal)
    let inside = (0..<Self.perRound).filter { account.begun[$0, default: 0] > account.answered($0) }
    #expect(inside.count > Self.perRound / 4)
    let answered = account.positions.values.map(\.count).sum()
    // How many it is depends on the disk.
    #expect(answered > 0)
    print(
      "appends, seed \(seed): \(Self.perRound) kills, \(inside.count) inside a call, \(answered) calls answered"
    )
  }

  @Test(arguments: rounds) func `a creation that is killed leaves a whole store or none`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let clock = ContinuousClock()
    var durations: [Duration] = []
    for _ in 0..<5 {
      durations.append(try clock.measure { _ = try place.open() })
      try FileManager.default.removeItem(at: place.url)
    }
    var limit = max(500, UInt32(durations.sorted()[2] / .microseconds(1)) * 3 / 2)
    var random = SeededGenerator(seed: seed)
    var (leftovers, kills) = (0, 0)
    while kills < Self.perRound || (leftovers == 0 && kills < 10 * Self.perRound) {
      kills += 1
      let delay = UInt32.random(in: 0..<limit, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, delay = delay as UInt32] in
        Victim.die(after: delay)
        let log = try EventLog(at: URL(fileURLWithPath: path))
        while true { try await log.append([.sized(1)], to: "a") }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
      let left = names.filter { $0.hasSuffix(".tmp") }.count
      leftovers += left
      // The machine may be faster or slower than it was when it was measured.
      if names.contains("orders.annals") {
        limit = max(50, limit / 4 * 3)
      } else if left == 0 {
        limit = limit / 3 * 4
      }
      // Either name means a whole store.
      if names.contains("orders.annals") {
        #expect(try EventLog.verify(place.url).isClean)
        try FileManager.default.removeItem(at: place.url)
      }
      do { try await place.open().append([.sized(1)], to: "a") }
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
      #expect(try EventLog.verify(place.url).isClean)
      try FileManager.default.removeItem(at: place.url)
    }
    // The kills really came in the midst of creations.
    #expect(leftovers > 0)
    print("creations, seed \(seed): \(kills) kills, \(leftovers) left something to remove")
  }
}
