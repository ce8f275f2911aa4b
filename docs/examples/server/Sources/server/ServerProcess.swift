import Foundation

/// A server that runs as a process of its own, as the others on one machine would.
final class ServerProcess {
  private let process = Process()
  private let (requests, answers) = (Pipe(), Pipe())

  init(_ version: String, _ store: URL) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = [version, store.path]
    process.standardInput = requests
    process.standardOutput = answers
    try process.run()
  }

  /// Sends a request and waits for its answer, a line.
  func ask(_ request: String) throws -> String {
    try requests.fileHandleForWriting.write(contentsOf: Data("\(request)\n".utf8))
    return try answer()
  }

  /// Waits for the next line of the server.
  func answer() throws -> String {
    var answer = Data()
    while let byte = try answers.fileHandleForReading.read(upToCount: 1), byte != Data([10]), !byte.isEmpty {
      answer += byte
    }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Ends the server: its input ends.
  func end() throws {
    try requests.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
