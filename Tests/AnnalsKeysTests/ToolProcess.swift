import Foundation

/// A run of KeysTool.
final class ToolProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// The program, next to the test bundle; `nil` if it was not built.
  static let program: URL? = {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    let program = URL(filePath: bundle).deletingLastPathComponent().appendingPathComponent("KeysTool")
    return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
  }()

  init(_ program: URL, _ arguments: [String]) throws {
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Waits for the end, and returns whether a signal ended it, and its status.
  func end() -> (isKilled: Bool, status: Int32) {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return (process.terminationReason == .uncaughtSignal, process.terminationStatus)
  }

  /// The next line that it prints.
  func line() -> String {
    var bytes: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Asks for the next line.
  func ask() throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    return line()
  }
}
