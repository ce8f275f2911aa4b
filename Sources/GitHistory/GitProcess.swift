import Foundation

/// A running `git`.
struct GitProcess {
  /// Its standard output.
  let output: FileHandle
  private let process = Process()
  /// Its standard error goes to an unnamed file, because a pipe that is not read would block it.
  private let errors: FileHandle

  /// Starts `executable`.
  init(_ executable: URL, _ arguments: [String]) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "githistory-\(UUID().uuidString)")
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown)
    }
    errors = try FileHandle(forUpdating: file)
    try FileManager.default.removeItem(at: file)
    let pipe = Pipe()
    output = pipe.fileHandleForReading
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = errors
    try process.run()
  }

  /// Waits for the end and returns the exit status; for a signal it is 128 plus the number.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// Waits for the end, and throws unless it succeeded.
  func mustSucceed() throws {
    let status = wait()
    guard status == 0 else {
      throw Failure(.inputOutput, "git failed with status \(status): \(try complaint())")
    }
  }

  /// Returns the last line of its standard error.
  func complaint() throws -> String {
    try errors.seek(toOffset: 0)
    let text = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").last.map { String($0).printable } ?? "it does not say why"
  }

  /// Ends the process if it is still running.
  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
