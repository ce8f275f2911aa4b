import Foundation

/// A program that was built with the tests, run with words and paths that need not be UTF-8.
struct SpawnedProgram {
  /// The exit status, or 128 plus the number of the signal that killed it.
  let status: Int32
  let output: String
  let errors: String

  /// The path of a built program; `nil` if it was not built.
  static func path(_ name: String) -> String? {
    guard let tool = BuiltTool.path else { return nil }
    let path = URL(filePath: tool).deletingLastPathComponent().appendingPathComponent(name).path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// Runs the program and waits for its end.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - folder: The working directory.
  ///   - closed: The descriptors, 0 to 2, that are closed when it starts.
  ///   - home: The value of `HOME`.
  init(
    _ program: String, _ words: [[UInt8]], in folder: TemporaryDirectory, closed: Set<Int32> = [],
    home: String = "/nonexistent"
  ) throws {
    let results = try TemporaryDirectory()
    let (output, errors) = (try results.write("output", ""), try results.write("errors", ""))
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // Foundation would pass no other words than UTF-8; the shell passes any bytes.
    let line = ([Array(program.utf8)] + words).map(Self.word).joined(separator: " ")
    let redirections = closed.sorted().map { $0 == 0 ? "0<&-" : "\($0)>&-" }.joined(separator: " ")
    process.arguments = ["-c", "exec \(line) \(redirections)"]
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    process.environment = ["PATH": path, "HOME": home]
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    try process.run()
    process.waitUntilExit()
    status =
      process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    self.output = String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
    self.errors = String(decoding: try Data(contentsOf: URL(filePath: errors)), as: UTF8.self)
  }

  /// Runs `annals`.
  static func annals(_ words: String..., in folder: TemporaryDirectory) throws -> SpawnedProgram {
    try SpawnedProgram(BuiltTool.path ?? "", words.map { Array($0.utf8) }, in: folder)
  }

  /// A word of any bytes for the shell.
  static func word(_ bytes: [UInt8]) -> String {
    let octal = bytes.map {
      "\\0" + String(repeating: "0", count: $0 < 8 ? 2 : $0 < 64 ? 1 : 0) + String($0, radix: 8)
    }
    return "\"$(printf %b '\(octal.joined())')\""
  }
}

extension TemporaryDirectory {
  /// The bytes of the names in the folder.
  func names() throws -> Set<[UInt8]> {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["find", ".", "-mindepth", "1", "-maxdepth", "1", "-printf", "%f\\0"]
    process.currentDirectoryURL = url
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Set(bytes.split(separator: 0).map { Array($0) })
  }
}
