import Dispatch
import Foundation

/// A run of the program that faults are brought upon.
struct SubjectProcess {
  /// How a run ended.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The executable that was built with the tests, next to the test bundle.
  static let program: URL? = {
    do {
      let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let program = URL(filePath: bundle).deletingLastPathComponent().appendingPathComponent("FaultTool")
      return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
    } catch {
      return nil
    }
  }()

  /// The program cannot be run.
  struct NoProgram: Error {}

  /// A process of the program that is not started yet.
  ///
  /// - Parameter command: A command that runs the program, if one does.
  static func prepared(
    _ arguments: [String], under shims: [Shim?] = [], _ environment: [String: String] = [:],
    inside command: [String] = []
  ) throws
    -> Process
  {
    let paths = shims.compactMap { $0?.path }
    guard let program, paths.count == shims.count else { throw NoProgram() }
    let process = Process()
    process.executableURL = command.isEmpty ? program : URL(filePath: "/usr/bin/env")
    let words = ["subject"] + arguments
    process.arguments = command.isEmpty ? words : command + [program.path] + words
    process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { given, _ in given }
    if !paths.isEmpty { process.environment?["LD_PRELOAD"] = paths.joined(separator: ":") }
    return process
  }

  /// Runs the program to its end.
  ///
  /// - Returns: Its end, and its text on standard error.
  static func run(
    _ arguments: [String], under shims: [Shim?] = [], _ environment: [String: String] = [:],
    inside command: [String] = []
  )
    throws
    -> (end: End, errors: String)
  {
    let process = try prepared(arguments, under: shims, environment, inside: command)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    // Foundation's own wait checks only now and then.
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    ended.wait()
    return (end(of: process), String(decoding: text, as: UTF8.self))
  }

  static func end(of process: Process) -> End {
    process.terminationReason == .uncaughtSignal
      ? .signal(process.terminationStatus) : .exit(process.terminationStatus)
  }
}
