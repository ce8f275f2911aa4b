import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster
@testable import ClusterTool

/// Random histories of eight writers on three machines while servers and programs are killed, servers are
/// paused and connections are cut.
///
/// They run when asked for: on the oldest server, one run of fifteen ended with a difference between servers,
/// which the machines found as they should.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["ANNALS_CLUSTER_SECONDS"] != nil,
    "set ANNALS_CLUSTER_SECONDS to the seconds with faults, such as 45"),
  .enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)),
  .enabled(if: MachineProcess.program != nil, "the program ClusterTool is not next to the test bundle"),
  .serialized)
struct ClusterFaultTests {
  /// The seconds with faults.
  private static let seconds = RunLength.count("ANNALS_CLUSTER_SECONDS", usual: 45)

  private enum Fault: CaseIterable {
    case killLeader, killServer, pauseServer, killMachine, cutMachine
  }

  /// The three servers, and three machines that reach them through proxies of their own.
  private final class Field {
    let servers: NATSServers
    let proxies: [[LoopbackProxy]]
    let urls: [URL]
    let lines = MachineProcess.Lines()
    var machines: [MachineProcess] = []
    var mark = 0

    init(_ directory: TemporaryDirectory) throws {
      let servers = try NATSServers(3)
      self.servers = servers
      proxies = try (0..<3).map { _ in try servers.ports.map { try LoopbackProxy(to: $0) } }
      for proxy in proxies.joined() { proxy.start() }
      urls = (0..<3).map { directory.url.appendingPathComponent("m\($0).annals") }
    }

    deinit { for proxy in proxies.joined() { proxy.close() } }

    /// Starts the program of a machine; its marks are those of no other program.
    func start(_ index: Int, _ program: URL) throws -> MachineProcess {
      mark += 10_000_000
      return try MachineProcess(
        program, urls[index], proxies[index].map { "nats://127.0.0.1:\($0.port)" },
        writers: index == 2 ? 2 : 3, mark: mark, lines)
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `each acknowledged append is stored once, and all machines are equal, regardless of faults`()
    async throws
  {
    let program = try #require(MachineProcess.program)
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let field = try Field(directory)
    let log = try JetStreamLog(field.servers.address("rooms"), creates: true)
    _ = try await log.last(within: .seconds(60))
    field.machines = try (0..<3).map { try field.start($0, program) }
    try await waitUntil { field.lines.ready >= 3 }
    var generator = SeededGenerator(seed: RunLength.seed)
    print("cluster faults with seed \(RunLength.seed)")
    let end = ContinuousClock.now + .seconds(Self.seconds)
    var faults = 0
    while ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(Int.random(in: 500...1_500, using: &generator)))
      try await disturb(field, log, program, &generator)
      faults += 1
    }
    for machine in field.machines { #expect(machine.finish() == 0) }
    try Self.compare(field.urls)
    try await check(field, log, faults)
    await log.close()
  }

  private func disturb(
    _ field: Field, _ log: JetStreamLog, _ program: URL, _ generator: inout SeededGenerator
  ) async throws {
    var index = Int.random(in: 0..<3, using: &generator)
    let pause = Duration.milliseconds(Int.random(in: 300...3_000, using: &generator))
    switch Fault.allCases.randomElement(using: &generator) ?? .killServer {
    case .killLeader:
      index = try await field.servers.leader(of: log)
      fallthrough
    case .killServer:
      field.servers.kill(index)
      try await Task.sleep(for: pause)
      try field.servers.start(index)
    case .pauseServer:
      field.servers.pause(index)
      try await Task.sleep(for: pause)
      field.servers.resume(index)
    case .killMachine:
      field.machines[index].kill()
      field.machines[index] = try field.start(index, program)
    case .cutMachine:
      for proxy in field.proxies[index] { proxy.cut() }
      try await Task.sleep(for: pause)
      for proxy in field.proxies[index] { proxy.restore() }
    }
  }

  /// Compares the files as they are: one machine may be ahead of another, but not differ.
  private static func compare(_ urls: [URL]) throws {
    let lines = try urls.map { try RoomMachine.lines(at: $0) }
    for other in 1..<lines.count {
      let pairs = zip(lines[0], lines[other])
      guard let difference = pairs.first(where: { $0 != $1 }) else { continue }
      Issue.record("machine \(other) differs: \(difference.0) | \(difference.1)")
    }
  }

  /// Opens the stores again here, lets them catch up, and compares.
  private func check(_ field: Field, _ log: JetStreamLog, _ faults: Int) async throws {
    let shared = ClusterLog.jetStream(servers: field.servers.addresses, name: "rooms")
    let machines = field.urls.map { RoomMachine($0, shared) }
    for machine in machines { try await machine.open() }
    let last = try await log.last(within: .seconds(60))
    for machine in machines {
      try await waitUntil { (try machine.member.status?.applied ?? 0) >= last }
      #expect(try machine.member.status?.problem == nil)
    }
    let lines = try machines[0].lines()
    for machine in machines {
      #expect(try machine.lines() == lines)
      #expect(try machine.member.status?.hash == machines[0].member.status?.hash)
      let findings = try EventLog.verify(machine.url).findings
      #expect(findings.isEmpty)
    }
    let (places, doubled) = try machines[0].marks()
    #expect(doubled.prefix(20).isEmpty, "\(doubled.count) events are stored twice")
    let calls = field.lines.calls
    let found = HistoryJudge(places: places).faults(of: calls)
    #expect(found.prefix(20).isEmpty, "\(found.count) contradictions")
    #expect(try machines[0].hasNoRoomTwice())
    let stored = calls.filter { $0.outcome == .stored }.count
    let unknown = calls.filter { $0.outcome == .unknown }.count
    print(
      "\(faults) faults, \(calls.count) calls: \(stored) stored, \(unknown) unknown, "
        + "\(calls.count - stored - unknown) refused; \(last) messages, \(lines.count) entries")
    #expect(stored > 100)
    #expect(calls.contains { $0.outcome == .refused })
  }
}
