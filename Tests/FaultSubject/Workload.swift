package import Annals
import Foundation

/// What a process does whose power is cut: it creates a store, appends alone and beside others, closes, opens again.
package struct Workload: Sendable {
  /// How many sessions there are: opens with appends and a close behind them.
  private static let sessions = 3
  /// Decides what is appended.
  package let seed: UInt64
  /// The calls.
  package let calls: Range<Int>
  /// How many calls are made at the same time, every fourth time; 1 for one after another.
  package let tasks: Int
  /// When a call is answered.
  package let durability: StoreOptions.Durability

  package init(
    seed: UInt64, calls: Range<Int>, tasks: Int = 1, durability: StoreOptions.Durability = .full
  ) {
    self.seed = seed
    self.calls = calls
    self.tasks = tasks
    self.durability = durability
  }

  /// How the stores of all workloads are opened: heads of streams are merged every few calls.
  static func options(_ durability: StoreOptions.Durability) -> StoreOptions {
    var options = StoreOptions()
    options.entriesPerMerge = 12
    options.durability = durability
    return options
  }

  /// Does it all, and notes each call before it is made and after it was answered.
  func run(at url: URL, noting journal: Journal) async throws {
    var next = calls.lowerBound
    for session in 1...Self.sessions {
      let end = calls.lowerBound + calls.count * session / Self.sessions
      try await append(next..<end, at: url, noting: journal)
      next = end
    }
  }

  /// One session; the store is closed when this returns.
  private func append(_ numbers: Range<Int>, at url: URL, noting journal: Journal) async throws {
    let log = try EventLog(at: url, options: Self.options(durability))
    var rest = numbers
    while !rest.isEmpty {
      let isShared = tasks > 1 && rest.lowerBound % 4 == 0
      let round = rest.prefix(isShared ? tasks : 1)
      rest = rest.dropFirst(round.count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in round {
          group.addTask {
            let call = try Call(number, seed: seed)
            try journal.note(.begin(number))
            try await call.append(to: log)
            try journal.note(.done(number))
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
