import FaultPrograms
import Foundation

/// The program that can end another one at any of its system calls.
enum Strace {
  /// Its path; `nil` if it is not installed, or may not trace a process.
  static let path: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    let path = folders.split(separator: ":").map { $0 + "/strace" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path else { return nil }
    do {
      let end = try Child([path, "-f", "-o", "/dev/null", "-e", "trace=fsync", Child.program, "nothing"])
        .wait(10)
      // The fault program knows no such verb.
      return end == .exit(1) ? path : nil
    } catch {
      return nil
    }
  }()

  struct Missing: Error {}

  /// Runs the fault program, and kills it when one of its threads makes its `count`th call of `name`.
  static func kill(at name: String, _ count: Int, _ arguments: String...) throws -> Child {
    guard let path else { throw Missing() }
    let end = "inject=\(name):signal=SIGKILL:when=\(count)"
    return try Child(
      [path, "-f", "-o", "/dev/null", "-e", "trace=\(name)", "-e", end, Child.program] + arguments)
  }

  /// The points at which the fault program makes one of these calls: the name, and its count within the
  /// thread.
  ///
  /// - Parameter place: The path in the first call of interest after the start of the program.
  static func points(
    _ names: [String], from place: String, trace: String, _ arguments: String...
  ) throws -> [String: Set<Int>] {
    guard let path else { throw Missing() }
    let child = try Child(
      [path, "-f", "-s", "300", "-o", trace, "-e", "trace=" + names.joined(separator: ","), Child.program]
        + arguments)
    guard try child.wait(20) == .exit(0) else { throw Missing() }
    var counts: [String: Int] = [:]
    var points: [String: Set<Int>] = [:]
    var hasBegun = false
    for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
      let words = line.split(maxSplits: 1) { $0 == " " }
      guard words.count == 2, let end = words[1].firstIndex(of: "(") else { continue }
      // The second half of a call that another thread's came between has no such name.
      let name = words[1][..<end].trimmingCharacters(in: .whitespaces)
      guard names.contains(name) else { continue }
      if line.contains(place) { hasBegun = true }
      counts[words[0] + name, default: 0] += 1
      if hasBegun { points[name, default: []].insert(counts[words[0] + name, default: 0]) }
    }
    return points
  }
}
