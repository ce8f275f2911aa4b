import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a pass and looks at the anonymous memory of the process meanwhile.
struct WeighedPass: Command {
  /// The hidden command that does it: the directory follows.
  static let command = "weigh-a-pass"
  private static let answer = "weight"

  let directory: URL

  /// What the hidden command's arguments ask for.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 1 else { throw WrongUsage(description: "\(Self.command) is not for people") }
    directory = URL(fileURLWithPath: words[0], isDirectory: true)
  }

  /// Does it in another process.
  ///
  /// - Returns: What the pass took at its peak, in MiB.
  static func run(in directory: URL) throws -> Double {
    let end = try ChildProcess([command, directory.path]).wait()
    let text = try String(contentsOf: directory.appendingPathComponent(answer), encoding: .utf8)
    guard end == .exited(0), let kibibytes = Double(text) else {
      throw WrongWork(description: "a pass in another process ended otherwise: \(end)")
    }
    return kibibytes / 1024
  }

  /// Does it in this process.
  func run() async throws {
    let store = try EventStore(at: TypedLog.place(in: directory), plan: OneUpcast.self)
    let idle = try Self.anonymousKibibytes()
    let run = try store.migrate()
    let watch = Task {
      var peak = 0
      while !Task.isCancelled {
        peak = max(peak, try Self.anonymousKibibytes())
        usleep(1_000)
      }
      return peak
    }
    _ = try await run.report()
    watch.cancel()
    let peak = try await watch.value
    try String(max(peak - idle, 0)).write(
      to: directory.appendingPathComponent(Self.answer), atomically: true, encoding: .utf8)
  }

  /// What the process has of memory that is no file's, in KiB (`RssAnon`).
  private static func anonymousKibibytes() throws -> Int {
    let status: String
    do { status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8) } catch {
      throw Skipped(reason: "this system does not say how much memory a process has")
    }
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      if let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
        Int($0)
      }) {
        return number
      }
    }
    throw Skipped(reason: "this system does not tell anonymous memory apart")
  }
}
