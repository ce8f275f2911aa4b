import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster
@testable import ClusterTool

/// Random histories of eight writers on three machines while servers and programs are killed, servers are
/// paused and connections are cut.
///
/// Tests/Scripts/cluster-histories.sh runs many of them.
@Suite(
  .enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)),
  .enabled(if: MachineProcess.program != nil, "the program ClusterTool is not next to the test bundle"),
  .serialized)
struct ClusterFaultTests {
  /// The seconds with faults. Before and after them, servers and machines start and catch up.
  private static let seconds = RunLength.count("ANNALS_CLUSTER_SECONDS", usual: 25)

  @Test(.timeLimit(.minutes(30)))
  func `each acknowledged append is stored once, and all machines are equal, regardless of faults`()
    async throws
  {
    let program = try #require(MachineProcess.program)
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let record = try FaultRecord(seed: RunLength.seed)
    let field = try FaultField(directory, program)
    print("cluster faults with seed \(RunLength.seed)")
    var findings: [String] = []
    do { try await run(field, record, &findings) } catch { findings.append("the run ended early: \(error)") }
    if !findings.isEmpty || record.keepsFiles { try record.keep(field, findings) }
    for finding in findings.prefix(20) { Issue.record(Comment(rawValue: finding)) }
  }

  private func run(_ field: FaultField, _ record: FaultRecord, _ findings: inout [String]) async throws {
    let log = try JetStreamLog(field.servers.address("rooms"), creates: true)
    _ = try await log.last(within: .seconds(60))
    try await field.start()
    var generator = SeededGenerator(seed: RunLength.seed)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(Int.random(in: 500...1_500, using: &generator)))
      try await field.disturb(log, &generator)
    }
    for (machine, status) in field.finish().enumerated() where status != 0 {
      findings.append("machine \(machine) ended with status \(status)")
    }
    findings += try Self.differences(field.urls)
    try await check(field, log, record, &findings)
    await log.close()
  }

  /// Compares the files as they are: one machine may be ahead of another, but not differ.
  private static func differences(_ urls: [URL]) throws -> [String] {
    let lines = try urls.map { try RoomMachine.lines(at: $0) }
    return (1..<lines.count).compactMap { other in
      zip(lines[0], lines[other]).first { $0 != $1 }
        .map { "machine \(other) differs: \($0) | \($1)" }
    }
  }

  /// Opens the stores again here, lets them catch up, and compares.
  private func check(
    _ field: FaultField, _ log: JetStreamLog, _ record: FaultRecord, _ findings: inout [String]
  ) async throws {
    let shared = ClusterLog.jetStream(servers: field.servers.addresses, name: "rooms")
    let machines = field.urls.map { RoomMachine($0, shared) }
    for machine in machines { try await machine.open() }
    let last = try await log.last(within: .seconds(60))
    for (index, machine) in machines.enumerated() {
      do {
        // Servers that have just started may not answer yet.
        try await waitUntil {
          guard let status = try machine.member.status else { return false }
          return status.applied >= last && status.problem == nil || status.isStopped
        }
      } catch {
        findings.append("machine \(index) did not catch up: \(error)")
      }
      if let problem = try machine.member.status?.problem { findings.append("machine \(index): \(problem)") }
    }
    let lines = try machines[0].lines()
    for (index, machine) in machines.enumerated() {
      if try machine.lines() != lines { findings.append("machine \(index) has other entries") }
      if try machine.member.status?.hash != machines[0].member.status?.hash {
        findings.append("machine \(index) has another hash")
      }
      findings += try EventLog.verify(machine.url).findings.map { "machine \(index): \($0)" }
    }
    let (places, doubled) = try machines[0].marks()
    findings += doubled.map { "stored twice: \($0)" }
    let calls = field.lines.calls
    try record.write(calls, machines)
    findings += HistoryJudge(places: places).faults(of: calls)
    if try !machines[0].hasNoRoomTwice() { findings.append("a room is booked twice") }
    let stored = calls.filter { $0.outcome == .stored }.count
    let unknown = calls.filter { $0.outcome == .unknown }.count
    print(
      "\(field.faults) faults, \(calls.count) calls: \(stored) stored, \(unknown) unknown, "
        + "\(calls.count - stored - unknown) refused; \(last) messages, \(lines.count) entries")
    #expect(stored > 100)
    #expect(calls.contains { $0.outcome == .refused })
  }
}
