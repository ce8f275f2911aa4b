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

/// Appends to a store and is killed right after the last append, so that nothing is cleared away at a close.
struct KilledFilling: Command {
  /// The hidden command that does it: subject, directory, streams and entries follow.
  static let command = "fill-and-be-killed"

  let subject: any Subject.Type
  let directory: URL
  let streams: Int
  let entries: Int

  /// How many entries are appended at a time.
  private static let batch = 1_000

  /// What the hidden command's arguments ask for.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 4, let subject = Roster.subjects.first(where: { $0.name == words[0] }),
      let streams = Int(words[2]), let entries = Int(words[3])
    else { throw WrongUsage(description: "\(Self.command) is not for people") }
    self.subject = subject
    directory = URL(fileURLWithPath: words[1], isDirectory: true)
    self.streams = streams
    self.entries = entries
  }

  /// Does it in another process, and waits for its end.
  static func run<S: Subject>(_: S.Type, in directory: URL, streams: Int, entries: Int) throws {
    let child = try ChildProcess([command, S.name, directory.path, "\(streams)", "\(entries)"])
    let end = try child.wait()
    guard end == .killed(SIGKILL) else {
      throw WrongWork(description: "a process that was to be killed ended otherwise: \(end)")
    }
  }

  /// Does it in this process, which ends by it.
  func run() async throws {
    try await fill(subject)
  }

  private func fill<S: Subject>(_: S.Type) async throws {
    let subject = try S(openingIn: directory)
    // Another order than that of the filling before.
    var events = RoundRobin(streams: streams, seed: RoundRobin.seed + 1)
    var left = entries
    while left > 0 {
      let count = min(left, Self.batch)
      try await subject.append(S.prepare(events.batch(of: count)))
      left -= count
    }
    // Here and not by the parent, so that nothing is cleared away between the last append and the kill.
    kill(getpid(), SIGKILL)
  }
}
