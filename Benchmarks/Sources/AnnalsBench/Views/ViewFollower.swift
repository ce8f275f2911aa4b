import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Folds a view until it is killed.
struct ViewFollower: Command {
  /// The hidden command that does it: the store follows.
  static let command = "follow-until-killed"

  let store: URL

  /// What the hidden command's arguments ask for.
  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 1 else { throw WrongUsage(description: "\(Self.command) is not for people") }
    store = URL(fileURLWithPath: words[0], isDirectory: true)
  }

  /// Does it in this process.
  func run() async throws {
    let store = try EventStore(at: store, plan: Only<Stored>.self)
    let view = try store.view(StreamCounts.self)
    while true {
      try await Task.sleep(for: .seconds(1))
      withExtendedLifetime(view) {}
    }
  }
}
