import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// What a program learns of a pass that another one runs.
@Suite struct MigrationStateTests {
  // Promise P157.
  @Test func `a store says whether a pass is unfinished, and whether its switch is held`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    #expect(try log.migrationState() == .idle)
    try generations.begin(1, to: 2)
    #expect(try log.migrationState() == .unfinished(generation: 2, version: nil))
  }

  // Promise P158.
  @Test func `a program that waits sees the state that a pass has reached`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    var states = log.migrationStates().makeAsyncIterator()
    #expect(try await states.next() == .idle)
    var options = MigrationOptions()
    options.isHolding = true
    _ = try await log.compact(options).report()
    #expect(try await states.next() == .appendsSuspended)
    let accepting = Task { try EventLog.accept(place.url) }
    #expect(try await states.next() == .idle)
    _ = try await accepting.value
    try await log.append([.placed(2)], to: "a", expecting: .revision(0))
  }

  @Test func `a loop over states ends with its task`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let count = Task {
      var count = 0
      for try await _ in log.migrationStates() { count += 1 }
      return count
    }
    count.cancel()
    #expect(try await count.value <= 1)
  }
}
