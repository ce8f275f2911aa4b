import Foundation

/// The program of one machine, as a process of its own.
final class MachineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ url: URL, _ servers: [String]) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = [url.path] + servers
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = line()
  }

  /// Sends a request and returns the answer.
  func ask(_ request: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
    return line()
  }

  /// Ends the program as a crash does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func line() -> String {
    var bytes: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
