import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
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
    let idle = try AnonymousMemory.kibibytes()
    let run = try store.migrate()
    let peak = try await AnonymousMemory.peak { _ = try await run.report() }
    try String(max(peak - idle, 0)).write(
      to: directory.appendingPathComponent(Self.answer), atomically: true, encoding: .utf8)
  }
}
