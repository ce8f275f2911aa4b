import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

@Schema(1, 0, 0) enum VaultV1 {
  @Record struct Deposited { var amount: Int }
  @Record struct Withdrawn { var amount: Int }
  @Record struct Inspected { var by: String }
}

@Schema(2, 0, 0) enum VaultV2 {
  typealias Withdrawn = VaultV1.Withdrawn
  @Record struct Deposited { var cents: Int }
}

enum VaultPlanV1: SchemaMigrationPlan {
  static var stages: MigrationChain<VaultV1, VaultV1> {}
}

enum VaultPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<VaultV1, VaultV2> {
    MigrationStage.custom(fromVersion: VaultV1.self, toVersion: VaultV2.self) {
      Upcast(\.deposited, to: \.deposited) { old, _ in .init(cents: old.amount * 100) }
      Drop(\.inspected, reason: "nobody asks")
    }
  }
}

enum Vault: Aggregate {
  typealias Event = VaultV1.Event
  @Record struct State: Equatable { var balance: Int; var entries: Int }

  static let name = "vault"
  static let version = 1
  static var initial: State { State(balance: 0, entries: 0) }
  static var snapshotInterval: Int? { 10 }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    state.entries += 1
    switch entry.event {
    case .deposited(let deposit): state.balance += deposit.amount
    case .withdrawn(let withdrawal): state.balance -= withdrawal.amount
    case .inspected: break
    }
  }
}

/// The same state under another fold.
enum DoubleVault: Aggregate {
  typealias Event = VaultV1.Event
  typealias State = Vault.State

  static let name = "vault"
  static let version = 2
  static var initial: State { Vault.initial }
  static var snapshotInterval: Int? { 10 }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    Vault.apply(entry, to: &state)
    Vault.apply(entry, to: &state)
  }
}

enum CentVault: Aggregate {
  typealias Event = VaultV2.Event
  typealias State = Vault.State

  static let name = "vault"
  static let version = 1
  static var initial: State { Vault.initial }
  static var snapshotInterval: Int? { 10 }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    state.entries += 1
    switch entry.event {
    case .deposited(let deposit): state.balance += deposit.cents
    case .withdrawn(let withdrawal): state.balance -= withdrawal.amount
    }
  }
}

@Suite struct AggregateTests {
  @Test func `Loads and decisions hash the plan once for each type of state`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self, options: .relaxedCommits)
    #expect(store.reach.stateMarkCount == 0)
    for number in 1...30 {
      try await store.decide(Vault.self, on: "v") { _ in [.deposited(.init(amount: number))] }
      #expect(try store.load(Vault.self, from: "v").state.entries == number)
      #expect(try store.load(DoubleVault.self, from: "v").state.entries == 2 * number)
    }
    #expect(store.reach.stateMarkCount == 1)
  }

  struct Overdrawn: Error {}

  private func open(_ place: TemporaryStore) throws -> EventStore<VaultPlanV1> {
    try EventStore(at: place.url, plan: VaultPlanV1.self)
  }

  @Test(
    "with snapshots and without, at every length, a stream has the state that a plain fold gives",
    arguments: 1...5 as ClosedRange<UInt64>)
  func equalsPlainFold(seed: UInt64) async throws {
    let place = try TemporaryStore()
    var store: EventStore<VaultPlanV1>? = try open(place)
    var generator = SeededGenerator(seed: seed)
    var expected: [StreamName: Vault.State] = [:]
    var mostFolded = 0
    for _ in 0..<120 {
      let stream = StreamName("vault-\(Int.random(in: 0..<3, using: &generator))")
      var events: [VaultV1.Event] = []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let amount = Int.random(in: 1...9, using: &generator)
        var state = expected[stream] ?? Vault.initial
        state.entries += 1
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
          state.balance -= amount
          events.append(.withdrawn(.init(amount: amount)))
        case 1: events.append(.inspected(.init(by: "x")))
        default:
          state.balance += amount
          events.append(.deposited(.init(amount: amount)))
        }
        expected[stream] = state
      }
      try await store?.append(events, to: stream)
      if Int.random(in: 0..<10, using: &generator) == 0 {
        store = nil
        store = try open(place)
      }
      guard let loaded = try store?.load(Vault.self, from: stream) else { continue }
      #expect(loaded.state == expected[stream], "seed \(seed)")
      #expect(loaded.revision?.rawValue == expected[stream].map { UInt64($0.entries - 1) }, "seed \(seed)")
      mostFolded = max(mostFolded, loaded.folded)
    }
    // A stream has some hundred entries, and no load has read more than an interval and a call.
    #expect(mostFolded < 2 * 10 + 4, "seed \(seed)")
  }

  @Test("a snapshot of another version of the fold, or of another plan, is passed over")
  func staleSnapshots() async throws {
    let place = try TemporaryStore()
    do {
      let store = try open(place)
      for _ in 0..<30 { try await store.append([.deposited(.init(amount: 1))], to: "a") }
      #expect(try store.load(Vault.self, from: "a").folded == 30)
      #expect(try store.load(Vault.self, from: "a").folded == 0)
      let doubled = try store.load(DoubleVault.self, from: "a")
      #expect(doubled.folded == 30 && doubled.state.balance == 60)
    }
    let store = try EventStore(at: place.url, plan: VaultPlan.self)
    #expect(try store.load(CentVault.self, from: "a").state.balance == 3000)
    #expect(try store.load(CentVault.self, from: "a").folded == 0)
  }

  @Test("entries that a rule drops are of no state, and the revision counts them")
  func dropped() async throws {
    let place = try TemporaryStore()
    do {
      let store = try open(place)
      try await store.append([.deposited(.init(amount: 1)), .inspected(.init(by: "x"))], to: "a")
    }
    let store = try EventStore(at: place.url, plan: VaultPlan.self)
    let loaded = try store.load(CentVault.self, from: "a")
    #expect(loaded.revision == 1 && loaded.state == .init(balance: 100, entries: 1))
    try await store.decide(CentVault.self, on: "a") { _ in [.withdrawn(.init(amount: 1))] }
    #expect(try store.load(CentVault.self, from: "a").revision == 2)
  }

  @Test("a snapshot taken of entries that the log has lost is ignored")
  func aheadOfTheLog() async throws {
    let (place, other) = (try TemporaryStore(), try TemporaryStore())
    do {
      let store = try open(place)
      for _ in 0..<15 { try await store.append([.deposited(.init(amount: 1))], to: "a") }
    }
    try FileManager.default.copyItem(at: place.url, to: other.url)
    do {
      let store = try open(place)
      for _ in 0..<15 { try await store.append([.deposited(.init(amount: 1))], to: "a") }
      #expect(try store.load(Vault.self, from: "a").state.balance == 30)
    }
    // The copied log is older than the snapshots that are placed next to it.
    try FileManager.default.copyItem(
      at: place.url.appendingPathComponent("views"), to: other.url.appendingPathComponent("views"))
    let store = try open(other)
    #expect(try store.load(Vault.self, from: "a").state.balance == 15)
    try await store.append((0..<20).map { _ in .withdrawn(.init(amount: 1)) }, to: "a")
    #expect(try store.load(Vault.self, from: "a").state.balance == -5)
  }

  @Test("competing decisions are made again, and none is lost or made on an old state")
  func competing() async throws {
    let place = try TemporaryStore()
    let store = try open(place)
    try await store.append([.deposited(.init(amount: 50))], to: "a")
    let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<60 {
        group.addTask {
          do {
            try await store.decide(Vault.self, on: "a", attempts: 1000) { state in
              guard state.balance > 0 else { throw Overdrawn() }
              return [.withdrawn(.init(amount: 1))]
            }
            return false
          } catch is Overdrawn {
            return true
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused == 10)
    #expect(try store.load(Vault.self, from: "a").state == .init(balance: 0, entries: 51))
  }

  @Test(
    "a caller that is overtaken every time gets an error, and nothing is appended for a decision without events"
  )
  func bounded() async throws {
    let place = try TemporaryStore()
    let store = try open(place)
    #expect(try await store.decide(Vault.self, on: "new") { _ in [] as [VaultV1.Event] }.positions.isEmpty)
    #expect(try store.read { snapshot throws(AnnalsError) in try snapshot.head() } == nil)
    // Each attempt is overtaken by an append that the decision itself makes.
    var made = 0
    let error = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: "a", attempts: 3) { _ -> [VaultV1.Event] in
        made += 1
        try store.append([.deposited(.init(amount: 1))], to: "a")
        return [.withdrawn(.init(amount: 1))]
      }
    }
    #expect(error?.code == .conflict && made == 3)
    let wrong = await #expect(throws: AnnalsError.self) {
      try await store.decide(Vault.self, on: "a", attempts: 0) { _ in [] as [VaultV1.Event] }
    }
    #expect(wrong?.code == .wrongUse)
  }

  @Test("a store that passes over entries neither keeps snapshots nor uses any")
  func passingOver() async throws {
    let place = try TemporaryStore()
    let version = SchemaVersion(1, 0, 0)
    do {
      let log = try place.open()
      for number in 0..<15 {
        let payload = number == 3 ? try Payload(["amount": "x"]) : try Payload(["amount": 1])
        try await log.append([NewEntry(type: "Deposited", version: version, payload: payload)], to: "a")
      }
    }
    var options = StoreOptions()
    options.unreadable = .quarantine { _ in }
    do {
      let store = try EventStore(at: place.url, plan: VaultPlanV1.self, options: options)
      #expect(try store.load(Vault.self, from: "a").state.balance == 14)
      #expect(try store.load(Vault.self, from: "a").folded == 14)
    }
    let error = #expect(throws: AnnalsError.self) { try open(place).load(Vault.self, from: "a") }
    #expect(error?.code == .malformed && error?.details.position == 4)
  }

  @Test("a file of snapshots that is damaged or missing costs time alone")
  func damaged() async throws {
    let place = try TemporaryStore()
    do {
      let store = try open(place)
      for _ in 0..<15 { try await store.append([.deposited(.init(amount: 1))], to: "a") }
      _ = try store.load(Vault.self, from: "a")
    }
    let file = place.url.appendingPathComponent("views/snapshots.mdb")
    let whole = try Data(contentsOf: file)
    for left in [100, 0] {
      try whole.prefix(left).write(to: file)
      #expect(try open(place).load(Vault.self, from: "a").state.balance == 15)
      // The file was created again.
      #expect(try open(place).load(Vault.self, from: "a").folded == 0)
    }
    try FileManager.default.removeItem(at: file)
    #expect(try open(place).load(Vault.self, from: "a").folded == 15)
    #expect(try open(place).load(Vault.self, from: "a").folded == 0)
  }
}
