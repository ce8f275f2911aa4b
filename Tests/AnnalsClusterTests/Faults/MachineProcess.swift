import Foundation
import Synchronization

@testable import ClusterTool

/// A machine of a cluster as a program of its own, which a test can kill.
final class MachineProcess {
  /// The program, next to the test bundle; `nil` if it was not built.
  static let program: URL? = {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    let program = URL(filePath: bundle).deletingLastPathComponent().appendingPathComponent("ClusterTool")
    return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
  }()

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let lines: Lines

  /// The calls of all programs of a test.
  final class Lines: Sendable {
    private let state: Mutex<(calls: [RecordedCall], ready: Int)> = Mutex(([], 0))
    var calls: [RecordedCall] { state.withLock { $0.calls } }
    var ready: Int { state.withLock { $0.ready } }

    func add(_ line: Substring) {
      if let call = RecordedCall(line) {
        state.withLock { $0.calls.append(call) }
      } else if line == "ready" {
        state.withLock { $0.ready += 1 }
      }
    }
  }

  /// Starts a program with writers whose marks begin after `mark`.
  init(_ program: URL, _ store: URL, _ servers: [String], writers: Int, mark: Int, _ lines: Lines) throws {
    self.lines = lines
    // Servers that the test starts must not have them, or the other ends would never end.
    for handle in [input, output].flatMap({ [$0.fileHandleForReading, $0.fileHandleForWriting] }) {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    process.executableURL = program
    process.arguments = [store.path, servers.joined(separator: ","), "rooms", "\(writers)", "\(mark)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let reading = output.fileHandleForReading
    let thread = Thread {
      var rest = ""
      while let data = try? reading.read(upToCount: 1 << 16), !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
        for line in parts.dropLast() { lines.add(line) }
        rest = String(parts.last ?? "")
      }
    }
    thread.start()
  }

  /// Ends the program as a crash does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks the writers to end, and returns the exit status.
  func finish() -> Int32 {
    try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    let end = ContinuousClock.now + .seconds(60)
    while process.isRunning, ContinuousClock.now < end { usleep(10_000) }
    if process.isRunning { kill() }
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
