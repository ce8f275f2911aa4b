import Foundation
import Testing

import AnnalsTestSupport
@testable import GitHistory

/// A git repository for one test.
final class TemporaryRepository: Sendable {
  private let folder: TemporaryDirectory
  let path: String

  /// The path of `git`; `nil` if it is not installed.
  static let git: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/git" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.url.appending(path: "repository").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try git("init", "--quiet")
    try git("symbolic-ref", "HEAD", "refs/heads/trunk")
  }

  /// A path next to the repository.
  func beside(_ name: String) -> String {
    folder.url.appending(path: name).path
  }

  /// The output of `git`, run in the repository without any user's configuration.
  @discardableResult
  func git(_ arguments: String..., input: [UInt8] = []) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.git))
    process.arguments = ["-C", path] + arguments
    process.environment = [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C",
    ]
    let source = folder.url.appending(path: "input-\(UUID().uuidString)")
    try Data(input).write(to: source)
    let output = Pipe()
    process.standardInput = try FileHandle(forReadingFrom: source)
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "git \(arguments)")
    return text
  }

  /// Adds commits to the branch `trunk`, in the language of `git fast-import`.
  func add(_ commits: [ImportedCommit]) throws {
    try git("fast-import", "--quiet", "--force", input: commits.flatMap(\.bytes))
  }
}

/// A commit in the language of `git fast-import`.
struct ImportedCommit {
  var branch = "trunk"
  var author = "Ann Author <ann@example.org>"
  var time = "1577927045 +0200"
  var message: [UInt8] = Array("a message\n".utf8)
  /// Lines with the commit's parents and changes.
  var lines: [[UInt8]]

  init(
    branch: String = "trunk", author: String = "Ann Author <ann@example.org>",
    time: String = "1577927045 +0200",
    message: [UInt8] = Array("a message\n".utf8), _ lines: [[UInt8]]
  ) {
    self.branch = branch
    self.author = author
    self.time = time
    self.message = message
    self.lines = lines
  }

  /// A line that adds or modifies the file at `path`, given as git quotes it, with `content`.
  static func file(_ path: String, _ content: String) -> [UInt8] {
    Array("M 100644 inline \(path)\ndata \(content.utf8.count)\n\(content)".utf8)
  }

  var bytes: [UInt8] {
    var bytes = Array(
      "commit refs/heads/\(branch)\ncommitter \(author) \(time)\ndata \(message.count)\n".utf8)
    bytes += message + [0x0a]
    for line in lines { bytes += line + [0x0a] }
    return bytes + [0x0a]
  }
}
