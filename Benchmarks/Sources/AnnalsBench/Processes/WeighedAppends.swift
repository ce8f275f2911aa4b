import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends events, each to a new stream, and looks at the anonymous memory of the process meanwhile.
struct WeighedAppends: Command {
  /// The hidden command that does it: the directory and the number of events follow.
  static let command = "weigh-new-streams"
  private static let answer = "weight"
  /// How many events a call has.
  private static let batch = 1_000

  let directory: URL
  let entries: Int

  /// What the hidden command's arguments ask for.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 2, let entries = Int(words[1]) else {
      throw WrongUsage(description: "\(Self.command) is not for people")
    }
    directory = URL(fileURLWithPath: words[0], isDirectory: true)
    self.entries = entries
  }

  /// Does it in another process.
  ///
  /// - Returns: The peak of the process's anonymous memory, in MiB.
  static func run(in directory: URL, entries: Int) throws -> Double {
    let end = try ChildProcess([command, directory.path, "\(entries)"]).wait()
    let text = try String(contentsOf: directory.appendingPathComponent(answer), encoding: .utf8)
    guard end == .exited(0), let kibibytes = Double(text) else {
      throw WrongWork(description: "appends in another process ended otherwise: \(end)")
    }
    return kibibytes / 1024
  }

  /// Does it in this process.
  func run() async throws {
    var options = StoreOptions()
    // What a flush takes has nothing to do with it.
    options.durability = .relaxed
    let log = try EventLog(at: AnnalsSubject.place(in: directory), options: options)
    let peak = try await AnonymousMemory.peak {
      var random = SplitMix64(seed: RoundRobin.seed)
      var next = 0
      while next < entries {
        let batch = try AnnalsSubject.prepare(
          (next..<min(next + Self.batch, entries)).map {
            SampleEvent(stream: $0, index: UInt32(truncatingIfNeeded: $0), random: &random)
          })
        try await log.append { call in
          for item in batch { call.append(item.events, to: item.stream) }
        }
        next += batch.count
      }
    }
    try String(peak).write(
      to: directory.appendingPathComponent(Self.answer), atomically: true, encoding: .utf8)
  }
}
