import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// The ends of decisions: each of them ends the turn.
@Suite struct DecisionEndTests {
  struct Refused: Error {}

  private let place: TemporaryStore
  private let store: EventStore<VaultPlanV1>
  private var turns: DecisionTurns { store.log.core.decisionTurns }

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: VaultPlanV1.self)
  }

  private func head() throws -> Position? {
    try store.read { snapshot throws(AnnalsError) in try snapshot.head() }
  }

  @Test func `A decision that throws ends its turn, stores nothing, and is not made again`() async throws {
    var made = 0
    await #expect(throws: Refused.self) {
      try await store.decide(Vault.self, on: ["a", "b"]) { _ -> DecidedEvents<VaultV1.Event> in
        made += 1
        throw Refused()
      }
    }
    await #expect(throws: Refused.self) {
      try await store.decide(Total(), matching: .all) { _ -> [VaultV1.Event] in
        made += 1
        throw Refused()
      }
    }
    #expect(made == 2 && turns.count == 0)
    #expect(try head() == nil)
    try await store.decide(Vault.self, on: "b", timeout: .seconds(5)) { _ in [.deposited(.init(amount: 1))] }
    #expect(try head() == 1)
  }

  @Test func `A decision without events ends its turn, and has no position`() async throws {
    try await store.append([.deposited(.init(amount: 1))], to: "a")
    let one = try await store.decide(Vault.self, on: "a") { _ in [] }
    let several = try await store.decide(Vault.self, on: ["a", "a"]) { _ in ["a": []] }
    let matching = try await store.decide(Total(), matching: .all) { _ -> [VaultV1.Event] in [] }
    for done in [one, several, matching] {
      #expect(done.positions == [] && done.revisions == [] && !done.wasRepeated)
    }
    #expect(turns.count == 0)
    #expect(try head() == 1)
  }

  @Test func `A decision that appends to its own stream conflicts in each attempt, and ends`() async throws {
    let error = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: "a", attempts: 3) { _ in
        try store.append([.deposited(.init(amount: 1))], to: "a")
        return [.deposited(.init(amount: 100))]
      }
    }
    #expect(error?.code == .conflict && turns.count == 0)
    #expect(try store.load(Vault.self, from: "a").state.balance == 3)
  }

  @Test func `Without time a decision is made if its turn is free, and otherwise it is busy`() async throws {
    for timeout in [Duration.zero, .seconds(-1)] {
      let done = try await store.decide(Vault.self, on: "a", timeout: timeout) { _ in
        [.deposited(.init(amount: 1))]
      }
      #expect(done.positions.count == 1)
    }
    let held = try await turns.take([.stream("a")], within: nil, by: ContinuousClock())
    for timeout in [Duration.zero, .seconds(-1)] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.decide(Vault.self, on: ["b", "a"], timeout: timeout) { _ in [:] }
      }
      #expect(error?.code == .busy)
    }
    _ = consume held
    #expect(turns.count == 0)
  }

  @Test func `A query without alternatives folds nothing, and nothing is a conflict`() async throws {
    try await store.append([.deposited(.init(amount: 7))], to: "a")
    var made = 0
    let done = try await store.decide(Total(), matching: EventQuery(items: []), to: "a") { total in
      made += 1
      #expect(total.sum == 0)
      try store.append([.deposited(.init(amount: 1))], to: "a")
      return [.deposited(.init(amount: 2))]
    }
    #expect(made == 1 && done.positions == [3] && turns.count == 0)
  }

  @Test func `Turns of stores at two places are independent`() async throws {
    let otherPlace = try TemporaryStore()
    let other = try EventStore(at: otherPlace.url, plan: VaultPlanV1.self)
    let held = try await turns.take([.stream("a")], within: nil, by: ContinuousClock())
    let done = try await other.decide(Vault.self, on: "a", timeout: .seconds(60)) { _ in
      [.deposited(.init(amount: 1))]
    }
    #expect(done.positions == [1])
    _ = consume held
  }

  @Test func `A task that was cancelled before it decides makes no decision`() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await store.decide(Vault.self, on: "a") { _ in
        Issue.record("the decision was made")
        return [.deposited(.init(amount: 1))]
      }
    }
    task.cancel()
    let error = await #expect(throws: AnnalsError.self) { try await task.value }
    #expect(error?.code == .cancelled && turns.count == 0)
    #expect(try head() == nil)
  }
}

/// The sum of all amounts.
private struct Total: DecisionModel {
  var sum = 0
  mutating func apply(_ entry: Entry<VaultV1.Event>) {
    if case .deposited(let deposit) = entry.event { sum += deposit.amount }
  }
}
