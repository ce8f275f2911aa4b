import Foundation

/// A running `git`.
struct GitProcess {
  /// What it prints.
  let output: FileHandle
  private let process = Process()
  /// What it complains of goes to a file without a name: a pipe that nobody empties would stop it.
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

  /// Waits for the end and gives the exit status; that of a signal is 128 and its number.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// Waits for the end, which must be a good one.
  func mustSucceed() throws {
    let status = wait()
    guard status == 0 else {
      throw Failure(.inputOutput, "git failed with status \(status): \(try complaint())")
    }
  }

  /// The last line of what it complained of.
  func complaint() throws -> String {
    try errors.seek(toOffset: 0)
    let text = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").last.map { String($0).printable } ?? "it does not say why"
  }

  /// Ends it, if it still runs.
  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
