package import Annals
import Foundation

/// The work of a process whose power is cut. It creates a store, appends alone and together with others,
/// closes, and opens again.
package struct Workload: Sendable {
  /// The number of sessions. Each opens the store, appends and closes it.
  private static let sessions = 3
  /// Decides the appended events.
  package let seed: UInt64
  /// The calls.
  package let calls: Range<Int>
  /// The number of concurrent calls in every fourth round; 1 for one call after another.
  package let tasks: Int
  /// When a call is answered.
  package let durability: StoreOptions.Durability
  /// The operations on generations between the sessions.
  package let passes: Passes
  /// The operations on views.
  package let views: Views
  /// Whether events have tags, and each call is made on the condition that it is not in the log.
  package let isTagged: Bool
  /// The operations that end the lives of events.
  package let lives: Lives

  package init(
    seed: UInt64, calls: Range<Int>, tasks: Int = 1, durability: StoreOptions.Durability = .full,
    passes: Passes = .none, views: Views = .none, isTagged: Bool = false, lives: Lives = .none
  ) {
    self.isTagged = isTagged
    self.seed = seed
    self.calls = calls
    self.tasks = tasks
    self.durability = durability
    self.passes = passes
    self.views = views
    self.lives = lives
  }

  /// How the stores of all workloads are opened: heads of streams are merged every few calls.
  static func options(_ durability: StoreOptions.Durability) -> StoreOptions {
    var options = StoreOptions()
    options.entriesPerMerge = 12
    options.durability = durability
    return options
  }

  /// Runs all of it, and notes each call before it is made and after it was answered.
  func run(at url: URL, noting journal: CallJournal) async throws {
    if lives == .forgetting {
      #if canImport(AnnalsKeys)
        try await KeyWorkload(workload: self, url: url, journal: journal).run()
      #endif
    } else if lives != .none {
      try await LifeWorkload(workload: self, url: url, journal: journal).run()
    } else if views != .none {
      try await ViewWorkload(workload: self, url: url, journal: journal).run()
    } else if passes != .none {
      try await runWithPasses(at: url, noting: journal)
    } else {
      try await runAlone(at: url, noting: journal)
    }
  }

  /// Calls alone. With every second seed, each session finds a store of an earlier library.
  private func runAlone(at url: URL, noting journal: CallJournal) async throws {
    var next = calls.lowerBound
    for session in 1...Self.sessions {
      let end = calls.lowerBound + calls.count * session / Self.sessions
      try await append(next..<end, at: url, noting: journal)
      next = end
      if seed % 2 == 0 { try EarlierStore.make(url) }
    }
  }

  /// The same with migration passes, a rollback and a removal between.
  private func runWithPasses(at url: URL, noting journal: CallJournal) async throws {
    let third = calls.count / 3
    let (first, second) = (calls.lowerBound + third, calls.lowerBound + 2 * third)
    try await append(calls.lowerBound..<first, at: url, noting: journal)
    try await passes.switchAndReturn(url)
    switch passes {
    case .none, .synced:
      try await append(first..<second, at: url, noting: journal)
      try await passes.run(url)
    case .unsynced:
      try await passes.run(url) { try await append(first..<second, at: url, noting: journal, then: $0) }
    }
    try await Passes.discard(url)
    try await append(second..<calls.upperBound, at: url, noting: journal)
    try await passes.run(url)
  }

  /// One session; the store is closed when this returns.
  private func append(
    _ numbers: Range<Int>, at url: URL, noting journal: CallJournal,
    then whenDone: @escaping @Sendable () -> Void = {}
  ) async throws {
    let log = try EventLog(at: url, options: Self.options(durability))
    var rest = numbers
    while !rest.isEmpty {
      let isShared = tasks > 1 && rest.lowerBound % 4 == 0
      let round = rest.prefix(isShared ? tasks : 1)
      rest = rest.dropFirst(round.count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in round {
          group.addTask {
            let call = try Call(number, seed: seed, isTagged: isTagged)
            try journal.note(.begin(number))
            try await call.append(to: log)
            try journal.note(.done(number))
            whenDone()
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
