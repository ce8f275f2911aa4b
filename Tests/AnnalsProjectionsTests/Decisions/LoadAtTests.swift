import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// States of the past.
@Suite struct LoadAtTests {
  @Test(arguments: RunLength.seeds(3))
  func `At every revision and position, a stream has the state that a plain fold up to there gives`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self, options: .relaxedCommits)
    var generator = SeededGenerator(seed: seed)
    let streams: [StreamName] = ["a", "b", "c"]
    /// Each entry of the log: its stream, and the state after it.
    var entries: [(stream: StreamName, state: Vault.State)] = []
    var states: [StreamName: Vault.State] = [:]
    for _ in 0..<60 {
      let stream = streams[Int.random(in: 0..<3, using: &generator)]
      var events: [VaultV1.Event] = []
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let amount = Int.random(in: 1...9, using: &generator)
        events.append(.deposited(.init(amount: amount)))
        states[stream, default: Vault.initial].balance += amount
        states[stream, default: Vault.initial].entries += 1
        entries.append((stream, states[stream] ?? Vault.initial))
      }
      try await store.append(events, to: stream)
      // Snapshots are kept at different lengths.
      if Int.random(in: 0..<4, using: &generator) == 0 { _ = try store.load(Vault.self, from: stream) }
    }
    for stream in streams {
      let own = entries.filter { $0.stream == stream }.map(\.state)
      for revision in 0..<own.count + 2 {
        let loaded = try store.load(Vault.self, from: stream, at: .revision(Revision(UInt64(revision))))
        let last = min(revision, own.count - 1)
        #expect(loaded.state == own[last] && loaded.revision == Revision(UInt64(last)), "seed \(seed)")
      }
      for position in 0..<entries.count + 2 {
        let past = entries.prefix(position).filter { $0.stream == stream }.map(\.state)
        let loaded = try store.load(Vault.self, from: stream, at: .position(Position(UInt64(position))))
        #expect(loaded.state == past.last ?? Vault.initial, "seed \(seed)")
        #expect(loaded.revision == past.indices.last.map { Revision(UInt64($0)) }, "seed \(seed)")
      }
    }
    let none = try store.load(Vault.self, from: "none", at: .position(20))
    #expect(none.state == Vault.initial && none.revision == nil && none.folded == 0)
  }

  @Test func `A snapshot is used from its revision on, never before, and never replaced by an older state`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
    try await store.append((0..<20).map { .deposited(.init(amount: $0)) }, to: "a")
    #expect(try store.load(Vault.self, from: "a").folded == 20)
    try await store.append((20..<40).map { .deposited(.init(amount: $0)) }, to: "a")
    func folded(_ point: StreamPoint) throws -> Int {
      try store.load(Vault.self, from: "a", at: point).folded
    }
    #expect(try folded(.revision(18)) == 19)
    #expect(try folded(.revision(19)) == 0)
    #expect(try folded(.revision(25)) == 6)
    #expect(try folded(.position(20)) == 0)
    #expect(try folded(.position(19)) == 19)
    // The state of the past kept no snapshot.
    #expect(try store.load(Vault.self, from: "a").folded == 20)
    #expect(try store.load(Vault.self, from: "a").folded == 0)
    #expect(try folded(.revision(39)) == 0)
    #expect(try folded(.revision(38)) == 39)
  }

  @Test func `An entry that a rule drops is a point like any other`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
      try await store.append(
        [
          .deposited(.init(amount: 1)), .inspected(.init(by: "x")), .inspected(.init(by: "y")),
          .deposited(.init(amount: 2)),
        ], to: "a")
    }
    let store = try EventStore(at: place.url, plan: VaultPlan.self)
    let loaded = try store.load(CentVault.self, from: "a", at: .revision(2))
    #expect(loaded.revision == 2 && loaded.state == .init(balance: 100, entries: 1))
    #expect(try store.load(CentVault.self, from: "a", at: .position(4)).state.balance == 300)
  }

  @Test func `Entries after the point are not read, so one that cannot be read does not matter`() async throws
  {
    let place = try TemporaryStore()
    let version = SchemaVersion(1, 0, 0)
    do {
      let log = try place.open()
      for number in 0..<15 {
        let payload = number == 7 ? try Payload(["amount": "x"]) : try Payload(["amount": 1])
        try await log.append([NewEntry(type: "Deposited", version: version, payload: payload)], to: "a")
      }
    }
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
    #expect(try store.load(Vault.self, from: "a", at: .revision(6)).state.balance == 7)
    let error = #expect(throws: AnnalsError.self) {
      try store.load(Vault.self, from: "a", at: .revision(7))
    }
    #expect(error?.code == .malformed && error?.details.revision ?? 7 == 7)
  }

  @Test func `Truncated entries are in no state of the past`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
    try await store.append((0..<30).map { _ in .deposited(.init(amount: 1)) }, to: "a")
    _ = try store.load(Vault.self, from: "a")
    try await store.truncate("a", before: 10)
    #expect(try store.load(Vault.self, from: "a", at: .revision(9)).revision == nil)
    let loaded = try store.load(Vault.self, from: "a", at: .revision(14))
    #expect(loaded.state.balance == 5 && loaded.revision == 14)
    #expect(try store.load(Vault.self, from: "a", at: .position(10)).state == Vault.initial)
    #expect(try store.load(Vault.self, from: "a", at: .position(11)).state.balance == 1)
  }
}
