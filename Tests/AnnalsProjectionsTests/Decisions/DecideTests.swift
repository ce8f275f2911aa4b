import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Decisions on one stream and on several.
@Suite struct DecideTests {
  struct Refused: Error {}

  private let place: TemporaryStore
  private let store: EventStore<VaultPlanV1>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: VaultPlanV1.self)
  }

  private func balance(_ stream: StreamName) throws -> Int {
    try store.load(Vault.self, from: stream).state.balance
  }

  private func transfer(_ amount: Int, from: StreamName, to: StreamName) async throws -> Appended {
    try await store.decide(Vault.self, on: [from, to]) { accounts in
      guard try accounts[from].balance >= amount else { throw Refused() }
      return [from: [.withdrawn(.init(amount: amount))], to: [.deposited(.init(amount: amount))]]
    }
  }

  @Test func `A decision on two streams appends to both, in its order`() async throws {
    try await store.append([.deposited(.init(amount: 50))], to: "account/a")
    let appended = try await transfer(30, from: "account/a", to: "account/b")
    #expect(appended.positions == [2, 3] && appended.revisions == [1, 0])
    #expect(try balance("account/a") == 20 && balance("account/b") == 30)
    await #expect(throws: Refused.self) { try await transfer(21, from: "account/a", to: "account/b") }
    #expect(try balance("account/a") == 20 && balance("account/b") == 30)
  }

  @Test func `All states of a decision are of one snapshot`() async throws {
    try await store.append([.deposited(.init(amount: 1_000))], to: "a")
    // Money moves between the accounts all the time; every decision sees all of it.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await store.append { call in
            call.append([.withdrawn(.init(amount: 1))], to: "a")
            call.append([.deposited(.init(amount: 1))], to: "b")
          }
        }
        group.addTask {
          try await store.decide(Vault.self, on: ["b", "a"]) { accounts in
            let total = try accounts["a"].balance + accounts["b"].balance
            #expect(total == 1_000)
            return [:]
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try balance("b") == 100)
  }

  @Test(arguments: ["read", "written"] as [StreamName])
  func `A change of any of the streams refuses the append, also of one that was only read`(
    changed: StreamName
  ) async throws {
    var attempts = 0
    try await store.decide(Vault.self, on: ["read", "written"]) { accounts in
      attempts += 1
      if attempts == 1 { try store.append([.deposited(.init(amount: 7))], to: changed) }
      let seen = try accounts["read"].balance
      return ["written": [.deposited(.init(amount: seen + 1))]]
    }
    #expect(attempts == 2)
    #expect(try balance("written") == (changed == "read" ? 8 : 7 + 1))
  }

  @Test func `A decision may have several parts and ids, and a repeated one is recognised`() async throws {
    let id = UUID()
    func decide() async throws -> Appended {
      try await store.decide(Vault.self, on: ["a", "b", "a"]) { _ in
        var events = DecidedEvents<VaultV1.Event>()
        events.append([NewEvent(.deposited(.init(amount: 1)), id: id)], to: "b")
        events.append([NewEvent(.deposited(.init(amount: 2)), id: id)], to: "a")
        return events
      }
    }
    #expect(try await decide().positions == [1, 2])
    let repeated = try await decide()
    #expect(repeated.wasRepeated && repeated.positions == [1, 2])
    try await store.decide(Vault.self, on: ["a", "b"]) { _ in
      ["a": [.deposited(.init(amount: 1))], "b": [], "a": [.withdrawn(.init(amount: 3))]]
    }
    #expect(try balance("a") == 0 && balance("b") == 1)
    #expect(try store.load(Vault.self, from: "a").revision == 2)
  }

  @Test func `A stream that the decision did not name is neither read nor written`() async throws {
    let unread = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: ["a", "b"]) { accounts in
        _ = try accounts["c"]
        return [:]
      }
    }
    let unwritten = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: ["a", "b"]) { _ in ["c": [.deposited(.init(amount: 1))]] }
    }
    let none = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: []) { _ in [:] }
    }
    #expect(unread?.code == .wrongUse && unread?.details.stream == "c")
    #expect(unwritten?.code == .wrongUse && unwritten?.details.stream == "c")
    #expect(none?.code == .wrongUse)
    #expect(try store.read { snapshot throws(AnnalsError) in try snapshot.head() } == nil)
  }

  @Test func `Names that look the same are different streams`() async throws {
    let (composed, decomposed) = (StreamName("caf\u{e9}"), StreamName("cafe\u{301}"))
    try await store.append([.deposited(.init(amount: 5))], to: composed)
    _ = try await transfer(2, from: composed, to: decomposed)
    #expect(try balance(composed) == 3 && balance(decomposed) == 2)
  }

  @Test func `Of sixty-four tasks that decide on one stream none fails within five attempts`() async throws {
    // Each task decides three times, and appends from elsewhere come between.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask {
          for _ in 0..<3 {
            try await store.decide(Vault.self, on: "a", attempts: 5) { state in
              [.deposited(.init(amount: state.entries + 1))]
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // Every decision was made on the state of its own place.
    let loaded = try store.load(Vault.self, from: "a").state
    #expect(loaded == .init(balance: 192 * 193 / 2, entries: 192))
    #expect(store.log.core.decisionTurns.count == 0)
  }

  @Test(arguments: [false, true])
  func `A decision in line folds only the entries since the one before, and snapshots are still kept`(
    isMixed: Bool
  ) async throws {
    let turns = store.log.core.decisionTurns
    let held = try await turns.take([.stream("a"), .stream("b")], within: nil, by: ContinuousClock())
    let tasks = (0..<40).map { number in
      Task {
        var folded = 0
        // Another fold with the same name and type of state is not confused with it.
        if isMixed, number % 8 == 7 {
          try await store.decide(DoubleVault.self, on: ["a"]) { states in
            let state = try states["a"]
            guard state.balance == state.entries else { throw Refused() }
            return [:]
          }
        } else {
          try await store.decide(Vault.self, on: ["a", "b"]) { states in
            folded = try states.loaded("a").folded
            let state = try states["a"]
            guard state.balance == state.entries else { throw Refused() }
            return ["a": [.deposited(.init(amount: 1))]]
          }
        }
        return folded
      }
    }
    try await waitUntil { turns.count == 41 }
    _ = consume held
    var folded: [Int] = []
    for task in tasks { folded.append(try await task.value) }
    let decisions = isMixed ? 35 : 40
    // Only a decision after the other fold does not have the state of the one before.
    #expect(folded.count { $0 > 1 } <= (isMixed ? 5 : 0))
    let loaded = try store.load(Vault.self, from: "a")
    #expect(loaded.state == .init(balance: decisions, entries: decisions))
    #expect(isMixed || loaded.folded < 20)
    #expect(turns.handedCount == 0 && turns.count == 0)
  }

  @Test func `A state of a moment ago is not used once entries that it includes are truncated`() async throws
  {
    try await store.append((0..<8).map { .deposited(.init(amount: $0)) }, to: "a")
    var recent = RecentStates<Vault>(wanted: ["a"])
    #expect(try store.load(from: ["a"], at: nil, &recent).loaded("a").folded == 8)
    #expect(try store.load(from: ["a"], at: nil, &recent).loaded("a").folded == 0)
    try await store.append([.deposited(.init(amount: 8))], to: "a")
    #expect(try store.load(from: ["a"], at: nil, &recent).loaded("a").folded == 1)
    try await store.truncate("a", before: 4)
    let loaded = try store.load(from: ["a"], at: nil, &recent).loaded("a")
    #expect(loaded.folded == 5 && loaded.state.balance == 4 + 5 + 6 + 7 + 8)
  }

  @Test func `In one process decisions that take turns need one attempt each`() async throws {
    let made = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        group.addTask {
          var made = 0
          // Another store at the same path shares the turns.
          let other = try EventStore(at: place.url, plan: VaultPlanV1.self)
          let streams: [StreamName] = number.isMultiple(of: 2) ? ["a", "b"] : ["b", "c"]
          try await (number.isMultiple(of: 3) ? other : store).decide(Vault.self, on: streams) { _ in
            made += 1
            return [streams[0]: [.deposited(.init(amount: 1))]]
          }
          return made
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(made == 40)
  }

  @Test func `A cancelled decision writes nothing, and the next in line goes on`() async throws {
    let turns = store.log.core.decisionTurns
    let held = try await turns.take([.stream("a")], within: nil, by: ContinuousClock())
    let waiting = Task {
      try await store.decide(Vault.self, on: "a") { _ in [.deposited(.init(amount: 1))] }
    }
    try await waitUntil { turns.count == 2 }
    let next = Task {
      try await store.decide(Vault.self, on: "a") { _ in [.deposited(.init(amount: 2))] }
    }
    try await waitUntil { turns.count == 3 }
    waiting.cancel()
    let error = await #expect(throws: AnnalsError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    let impatient = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: ["b", "a"], timeout: .milliseconds(5)) { _ in [:] }
    }
    #expect(impatient?.code == .busy)
    _ = consume held
    #expect(try await next.value.positions == [1])
    #expect(try balance("a") == 2)
  }
}
