import AnnalsTestSupport
import Foundation

@testable import AnnalsCluster

/// Three servers, three machines that reach them through proxies of their own, and what happens to them.
final class FaultField {
  private enum Fault: String, CaseIterable {
    case killLeader, killServer, pauseLeader, pauseServer, killMachine, cutMachine

    /// Those that the environment variable `ANNALS_CLUSTER_FAULTS` names, with commas between them; all of
    /// them without it.
    static let wanted: [Fault] = {
      let words = ProcessInfo.processInfo.environment["ANNALS_CLUSTER_FAULTS"]?.split(separator: ",")
      return words?.compactMap { Fault(rawValue: String($0)) } ?? allCases
    }()
  }

  let servers: NATSServers
  let urls: [URL]
  let lines = MachineProcess.Lines()
  /// The number of faults so far.
  private(set) var faults = 0
  private let program: URL
  private let proxies: [[LoopbackProxy]]
  private var machines: [MachineProcess] = []
  private var mark = 0

  init(_ directory: TemporaryDirectory, _ program: URL) throws {
    let servers = try NATSServers(3)
    self.servers = servers
    self.program = program
    proxies = try (0..<3).map { _ in try servers.ports.map { try LoopbackProxy(to: $0) } }
    for proxy in proxies.joined() { proxy.start() }
    urls = (0..<3).map { directory.url.appendingPathComponent("m\($0).annals") }
  }

  deinit { for proxy in proxies.joined() { proxy.close() } }

  /// Starts the programs of all machines, and waits until their writers are at work.
  func start() async throws {
    machines = try (0..<3).map { try start($0) }
    try await waitUntil { self.lines.ready >= 3 }
  }

  /// Starts the program of a machine; its marks are those of no other program.
  private func start(_ index: Int) throws -> MachineProcess {
    mark += 10_000_000
    return try MachineProcess(
      program, urls[index], proxies[index].map { "nats://127.0.0.1:\($0.port)" },
      writers: index == 2 ? 2 : 3, mark: mark, lines)
  }

  /// Ends the writers and their programs, and returns the exit statuses.
  func finish() -> [Int32] { machines.map { $0.finish() } }

  /// Causes one random fault, and ends it.
  func disturb(_ log: JetStreamLog, _ generator: inout SeededGenerator) async throws {
    faults += 1
    var index = Int.random(in: 0..<3, using: &generator)
    let pause = Duration.milliseconds(Int.random(in: 300...3_000, using: &generator))
    switch Fault.wanted.randomElement(using: &generator) ?? .killServer {
    case .killLeader:
      index = try await servers.leader(of: log)
      fallthrough
    case .killServer:
      servers.kill(index)
      try await Task.sleep(for: pause)
      try servers.start(index)
    case .pauseLeader:
      // Long enough for the others to elect another.
      index = try await servers.leader(of: log)
      servers.pause(index)
      try await Task.sleep(for: pause * 3)
      servers.resume(index)
    case .pauseServer:
      servers.pause(index)
      try await Task.sleep(for: pause)
      servers.resume(index)
    case .killMachine:
      machines[index].kill()
      machines[index] = try start(index)
    case .cutMachine:
      for proxy in proxies[index] { proxy.cut() }
      try await Task.sleep(for: pause)
      for proxy in proxies[index] { proxy.restore() }
    }
  }
}
