import Annals
import AnnalsLog
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// Inline projections that are new, raised or gone come into force over machines whose writers never pause.
@Suite(.serialized) struct InlineRolloutTests {
  /// What the writers know of their calls.
  private final class Load: Sendable {
    private let state = Mutex(
      (stored: [Int: UInt64](), refused: Set<Int>(), counts: [Int](repeating: 0, count: 6), isOver: false))
    /// The codes of failed calls, of programs of each release.
    let codes = Mutex<[Int: Set<AnnalsError.Code>]>([:])
    /// Whether streams may be cleared.
    let clears = Atomic(false)

    var isOver: Bool { state.withLock { $0.isOver } }
    var stored: [Int: UInt64] { state.withLock { $0.stored } }
    var refused: Set<Int> { state.withLock { $0.refused } }
    var counts: [Int] { state.withLock { $0.counts } }
    func end() { state.withLock { $0.isOver = true } }

    /// Makes random calls by whichever program the machine has.
    func write(_ writer: Int, _ machine: SeatMachine, seed: UInt64) async throws {
      var random = SeededGenerator(seed: seed &* 1_000 + UInt64(writer))
      var mark = writer * 100_000
      while !isOver {
        guard let program = machine.program else {
          try await Task.sleep(for: .milliseconds(1))
          continue
        }
        mark += 1
        let mayClear = program.release > 1 && clears.load(ordering: .acquiring)
        let draw = Int.random(in: 0..<10, using: &random)
        let kind: SeatWish.Kind =
          draw < 4
          ? .book("s\(Int.random(in: 0..<150, using: &random))") : draw < 6 && mayClear ? .clear : .note
        let stream = StreamName("w\(Int.random(in: 0..<5, using: &random))")
        do throws(AnnalsError) {
          let appended = try await program.append(SeatWish(kind: kind, mark: mark), stream)
          state.withLock { $0.stored[mark] = appended.positions.first?.rawValue ?? 0 }
        } catch {
          codes.withLock { _ = $0[program.release, default: []].insert(error.code) }
          let isVerdict = [.rejected, .superseded].contains(error.code)
          if isVerdict { state.withLock { _ = $0.refused.insert(mark) } }
          if error.code != .rejected { try await Task.sleep(for: .milliseconds(2)) }
        }
        state.withLock { $0.counts[writer] += 1 }
      }
    }

    /// Waits until writers of these machines have made more calls.
    func progress(_ machines: [Int], by count: Int = 6) async throws {
      let before = counts
      let writers = (0..<6).filter { machines.contains($0 % 3) }
      try await waitUntil {
        let now = counts
        return writers.allSatisfy { now[$0] >= before[$0] + count }
      }
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CLUSTER_INLINE_ROLLOUTS", usual: 6)))
  func `inline projections are added, raised and removed over machines under load`(seed: UInt64) async throws
  {
    print("inline roll-out with seed \(seed)")
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog(seed: seed)
    var random = SeededGenerator(seed: seed &* 31)
    var machines = (0..<3).map { SeatMachine(directory, "m\($0)", log.connect(.many)) }
    for machine in machines { try await machine.open(1) }
    let load = Load()
    let writing = machines
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { load.end() }
      for writer in 0..<6 { group.addTask { try await load.write(writer, writing[writer % 3], seed: seed) } }
      try await roll(writing, log, load, &random)
      load.end()
      try await group.waitForAll()
    }
    // One begins from nothing, and one from a backup of another machine.
    let empty = SeatMachine(directory, "m3", log.connect(.many))
    let copy = SeatMachine(directory, "m4", log.connect(.many))
    try need(writing[Int.random(in: 0..<3, using: &random)].program).log().backup(to: copy.url)
    for machine in [empty, copy] { try await machine.open(3) }
    machines += [empty, copy]
    try await check(machines, log, load)
  }

  /// Rolls the second release out, and lets one machine return with the first one. Then rolls the third out.
  private func roll(
    _ machines: [SeatMachine], _ log: MemoryLog, _ load: Load, _ random: inout SeededGenerator
  ) async throws {
    var order = [0, 1, 2]
    order.shuffle(using: &random)
    let missed = machines[order[2]]
    let isAway = log.seed.isMultiple(of: 2)
    try await load.progress([0, 1, 2])
    for index in order.prefix(2) {
      try await machines[index].open(2)
      try await load.progress([0, 1, 2])
    }
    let program = try need(machines[order[0]].program)
    // New projections count as absent until then.
    #expect(throws: AnnalsError.self) { _ = try program.rows() }
    if isAway { missed.close() }
    #expect(try program.activate(true).isActivated)
    #expect(try !program.activate(true).isActivated)
    load.clears.store(true, ordering: .releasing)
    try await load.progress([order[0], order[1]])
    // A machine may lose its program, and its file, at any moment.
    if Bool.random(using: &random) {
      let victim = machines[order[1]]
      victim.close()
      if Bool.random(using: &random) {
        try await waitUntil { (try? EventLog.inspect(victim.url)) != nil }
        // The program that ended may be removing a file of its own.
        try await waitUntil {
          (try? FileManager.default.removeItem(at: victim.url)) != nil
            || !FileManager.default.fileExists(atPath: victim.url.path)
        }
      }
      try await victim.open(2)
    }
    if isAway { try await missed.open(1) }
    let old = try need(missed.program)
    try await waitUntil { old.status()?.isStopped == true }
    #expect(old.status()?.problem?.code == .superseded)
    #expect(old.status()?.needs == SchemaVersion(2, 0, 0))
    #expect(try EventLog.inspect(missed.url).cluster?.neededVersion == SchemaVersion(2, 0, 0))
    // What it has can be read.
    #expect(try !old.rows().isEmpty)
    try await missed.open(2)
    try await load.progress([0, 1, 2])
    for index in order {
      try await machines[index].open(3)
      try await load.progress([0, 1, 2])
    }
    // The version is active, and only a projection goes.
    #expect(try !need(machines[order[1]].program).activate(true).isActivated)
    try await load.progress([0, 1, 2])
  }

  private func check(_ machines: [SeatMachine], _ log: MemoryLog, _ load: Load) async throws {
    let programs = try machines.map { try need($0.program) }
    // Copies may still come in late.
    try await waitUntil {
      programs.allSatisfy { ($0.status()?.applied ?? 0) >= UInt64(log.messages.count) }
    }
    let lines = try programs[0].log().lines()
    let rows = try programs[0].rows()
    #expect(!rows.isEmpty)
    for (machine, program) in zip(machines, programs) {
      #expect(program.status()?.isStopped == false)
      #expect(try program.log().lines() == lines)
      #expect(program.status()?.hash == programs[0].status()?.hash)
      #expect(try program.rows() == rows)
      #expect(try program.differences().isEmpty)
      let inForce = try program.log().inlineProjections().filter { $0.state == .live }
      #expect(inForce.map { "\($0.name) \($0.version)" } == ["bookings 2"])
      let findings = try EventLog.verify(machine.url).findings
      #expect(findings.isEmpty)
    }
    // The oracle decides every call of the log once more.
    let expected = ReferenceCluster(log.messages).events
    let events = try programs[0].log().plainEvents()
    #expect(events.count == expected.count)
    #expect(zip(events, expected).first { $0 != $1 } == nil)
    var places: [Int: UInt64] = [:]
    for (index, event) in events.enumerated() {
      if let mark = event.mark { places[Int(mark)] = UInt64(index + 1) }
    }
    for (mark, position) in load.stored { #expect(places[mark] == position) }
    for mark in load.refused { #expect(places[mark] == nil) }
    let codes = load.codes.withLock { $0 }
    let ended: Set<AnnalsError.Code> = [.unavailable, .readOnly, .rejected]
    // A program of the first release that starts when the store has events of the second one only reads.
    #expect(codes[1, default: []].isSubset(of: ended.union([.superseded, .newerSchema])))
    #expect(codes[2, default: []].isSubset(of: ended))
    #expect(codes[3, default: []].isSubset(of: ended))
  }
}
