import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// Two versions of a schema are rolled out over three machines while writers append.
@Suite(.serialized) struct RollingDeploymentTests {
  /// What the writers know: the marks that each has appended, by stream.
  private final class Load: Sendable {
    private let state = Mutex((appended: [Int](repeating: 0, count: 6), isOver: false))
    /// The codes of failed calls, of programs of each version.
    let refusals = Mutex<[SchemaVersion: Set<AnnalsError.Code>]>([:])

    var isOver: Bool { state.withLock { $0.isOver } }
    var appended: [Int] { state.withLock { $0.appended } }
    func end() { state.withLock { $0.isOver = true } }
    func note(_ mark: Int, by writer: Int) { state.withLock { $0.appended[writer] = mark } }

    /// Appends 1, 2, 3, … by whichever program the machine has. A mark is repeated with its id until the
    /// verdict on it is known.
    func write(_ writer: Int, _ machine: RollingMachine) async throws {
      var mark = 1
      var id = UUID()
      while !isOver {
        guard let program = machine.program else {
          try await Task.sleep(for: .milliseconds(1))
          continue
        }
        do throws(AnnalsError) {
          _ = try await program.append(mark, id, StreamName("w\(writer)"))
          note(mark, by: writer)
          mark += 1
          id = UUID()
        } catch {
          refusals.withLock { _ = $0[program.version, default: []].insert(error.code) }
          try await Task.sleep(for: .milliseconds(2))
        }
      }
    }

    /// Waits until writers of these machines have appended more.
    func progress(_ machines: [Int], by count: Int = 5) async throws {
      let before = appended
      let writers = (0..<6).filter { machines.contains($0 % 3) }
      try await waitUntil {
        let now = appended
        return writers.allSatisfy { now[$0] >= before[$0] + count }
      }
    }
  }

  private static let newer = SchemaVersion(2, 0, 0)

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CLUSTER_ROLLOUTS", usual: 6)))
  func `versions roll over three machines under load, and one that missed it returns`(
    seed: UInt64
  ) async throws {
    print("rolling deployment with seed \(seed)")
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog(seed: seed)
    var random = SeededGenerator(seed: seed &* 31)
    let machines = (0..<3).map { RollingMachine(directory, "m\($0)", log.connect(.many)) }
    for machine in machines { try await machine.openOlder() }
    let load = Load()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { load.end() }
      for writer in 0..<6 { group.addTask { try await load.write(writer, machines[writer % 3]) } }
      try await roll(machines, load, &random)
      load.end()
      try await group.waitForAll()
    }
    try await check(machines, log, load)
  }

  /// Replaces the programs of two machines, activates, and lets the third return with the older program.
  private func roll(
    _ machines: [RollingMachine], _ load: Load, _ random: inout SeededGenerator
  ) async throws {
    var order = [0, 1, 2]
    order.shuffle(using: &random)
    let (upgraded, missed) = ([order[0], order[1]], order[2])
    try await load.progress([0, 1, 2])
    let isAway = Bool.random(using: &random)
    for index in upgraded {
      try await machines[index].openNewer()
      try await load.progress([0, 1, 2])
    }
    // Both versions append, and all of it is stored in the older one.
    let program = try need(machines[upgraded[0]].program)
    #expect(try program.store().versions() == [SchemaVersion(1, 0, 0)])
    let refusal = #expect(throws: AnnalsError.self) { _ = try program.activate(false) }
    #expect(refusal?.code == .busy)
    if isAway {
      machines[missed].close()
      // It says that it has ended, or its lease does.
      try await waitUntil { try Self.isActivated(program, superseding: false) }
    } else {
      #expect(try Self.isActivated(program, superseding: true))
    }
    try await load.progress(upgraded)
    if isAway { try await machines[missed].openOlder() }
    let old = try need(machines[missed].program)
    try await waitUntil { old.status()?.isStopped == true }
    #expect(old.status()?.problem?.code == .newerSchema)
    #expect(old.status()?.needs == Self.newer)
    // What it has can be read, and other programs see what it waits for.
    let stopped = try old.store()
    #expect(try stopped.versions() == [SchemaVersion(1, 0, 0)])
    let info = try EventLog.inspect(machines[missed].url)
    #expect(info.cluster?.neededVersion == Self.newer)
    #expect(info.cluster?.applied == old.status()?.applied)
    await #expect(throws: AnnalsError.self) { _ = try await old.append(1, UUID(), "late") }
    try await load.progress(upgraded)
    try await machines[missed].openNewer()
    try await load.progress([0, 1, 2])
  }

  /// Activates; `false` while older programs count as running.
  private static func isActivated(_ program: RollingProgram, superseding: Bool) throws -> Bool {
    do throws(AnnalsError) {
      return try program.activate(superseding).isActivated
    } catch {
      guard error.code == .busy else { throw error }
      return false
    }
  }

  private func check(_ machines: [RollingMachine], _ log: MemoryLog, _ load: Load) async throws {
    let programs = try machines.map { try need($0.program) }
    // Copies may still come in late.
    try await waitUntil {
      programs.allSatisfy { ($0.status()?.applied ?? 0) >= UInt64(log.messages.count) }
    }
    let lines = try programs[0].store().lines()
    let sum = load.appended.reduce(0) { $0 + $1 * ($1 + 1) / 2 }
    for (machine, program) in zip(machines, programs) {
      #expect(program.status()?.isStopped == false)
      #expect(try program.store().lines() == lines)
      #expect(program.status()?.hash == programs[0].status()?.hash)
      // Nothing of the older version came after the activation, on any machine.
      #expect(try program.store().versions() == [SchemaVersion(1, 0, 0), Self.newer])
      #expect(try await program.total(Position(UInt64(lines.count))) == sum * 16)
      #expect(try EventLog.inspect(machine.url).cluster?.needsProgram == false)
      let findings = try EventLog.verify(machine.url).findings
      #expect(findings.isEmpty)
    }
    #expect(lines.count == load.appended.sum())
    // A program that ends answers its calls with these codes. The activation refuses only the older version.
    let refusals = load.refusals.withLock { $0 }
    let ended: Set<AnnalsError.Code> = [.unavailable, .readOnly]
    #expect(refusals[Self.newer, default: []].isSubset(of: ended))
    #expect(
      refusals[SchemaVersion(1, 0, 0), default: []].isSubset(of: ended.union([.superseded, .newerSchema])))
  }
}
