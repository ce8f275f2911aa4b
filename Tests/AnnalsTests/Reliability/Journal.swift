import Foundation
import Testing

/// A file to which a process appends notes of its work, so that its parent can read them after a kill.
///
/// A written line is in the system's memory, which survives the end of a process.
struct Journal {
  private let handle: FileHandle

  /// Opens the journal at `path`, or begins it.
  init(path: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(fileURLWithPath: path))
    }
    handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
  }

  /// Adds a line.
  func note(_ line: String) throws {
    try handle.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The lines of the journal at `path`, none where it was not begun.
  static func lines(path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}

/// Runs the body of a process and reports its error, which the end of a process does not.
func telling(_ body: () async throws -> Void) async {
  do { try await body() } catch { Issue.record("\(error)") }
}
