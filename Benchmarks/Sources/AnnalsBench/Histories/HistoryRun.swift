import Annals
import History

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Several processes on one store, killed at random and followed by others, and the history of what they did.
struct HistoryRun: ~Copyable {
  private let store: URL
  private let directory: URL
  private let streams: Int
  /// When the processes begin nothing more, on the shared clock.
  private let end: UInt64
  private var random: SplitMix64
  private var started = 0
  private var lines: [(time: UInt64, line: HistoryLine)] = []
  /// How many processes were killed.
  private(set) var kills = 0
  /// What processes did that they should not.
  private(set) var failures: [String] = []

  /// How long a process may take for its last operation, in nanoseconds.
  private static let grace: UInt64 = 30_000_000_000

  /// A process that was started, and the file of what it does.
  private struct Running {
    let number: Int
    let log: String
    let child: ChildProcess
  }

  /// Creates the store in a directory that exists and is empty.
  init(streams: Int, seconds: Int, seed: UInt64, in directory: URL) throws {
    self.directory = directory
    self.streams = streams
    store = directory.appendingPathComponent("history.annals")
    random = SplitMix64(seed: seed)
    // Released at once: the store belongs to the other processes.
    _ = try EventLog(at: store, options: StoreOptions(creation: .always))
    end = SharedClock.now + UInt64(seconds) * 1_000_000_000
  }

  /// Runs this many processes at a time until the end, and then reads every stream once more.
  mutating func run(processes: Int) async throws {
    var running: [Running] = []
    for _ in 0..<processes { running.append(try start()) }
    while SharedClock.now < end, failures.isEmpty {
      try await Task.sleep(for: .milliseconds(Int.random(in: 50...300, using: &random)))
      let victim = Int.random(in: running.indices, using: &random)
      try running[victim].child.kill()
      try finish(running[victim], try running[victim].child.wait())
      running[victim] = try start()
    }
    for process in running { try finish(process, try await lastEnd(of: process)) }
    let last = next()
    try last.look()
    lines += try ProcessLog.lines(of: last.log)
  }

  /// All lines, in the order of the shared clock.
  var history: [HistoryLine] {
    // Of two lines with one time a beginning comes first: the operations then overlap, in any order.
    lines.sorted {
      ($0.time, $0.line.type == .invoke ? 0 : 1) < ($1.time, $1.line.type == .invoke ? 0 : 1)
    }.map(\.line)
  }

  private mutating func next() -> HistoryProcess {
    defer { started += 1 }
    return HistoryProcess(
      store: store, log: directory.appendingPathComponent("process-\(started).log").path, number: started,
      streams: streams, seed: random.next(), end: end)
  }

  /// Starts a process under a new number: the outcome of a killed process's last operation is unknown.
  private mutating func start() throws -> Running {
    let process = next()
    return Running(number: process.number, log: process.log, child: try ChildProcess(process.arguments))
  }

  private mutating func lastEnd(of process: Running) async throws -> ChildProcess.End {
    while SharedClock.now < end + Self.grace {
      if let end = try process.child.end() { return end }
      try await Task.sleep(for: .milliseconds(1))
    }
    failures.append("process \(process.number) did not end by itself")
    try process.child.kill()
    return try process.child.wait()
  }

  /// Takes the lines of a process that has ended; what it was at gets a line of its own.
  private mutating func finish(_ process: Running, _ end: ChildProcess.End) throws {
    let now = SharedClock.now
    switch end {
    case .exited(0): break
    case .exited(let status): failures.append("process \(process.number) ended with status \(status)")
    case .killed(SIGKILL): kills += 1
    case .killed(let signal): failures.append("process \(process.number) ended by signal \(signal)")
    }
    // One that was killed before it began has no file.
    guard FileManager.default.fileExists(atPath: process.log) else { return }
    lines += try ProcessLog.lines(of: process.log)
    guard var last = lines.last?.line, last.process == process.number, last.type == .invoke else { return }
    last.type = .info
    lines.append((now, last))
  }
}
