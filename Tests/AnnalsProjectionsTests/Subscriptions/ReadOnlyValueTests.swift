import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// A store that is open for reading only, in a process that also has it open for writing.
@Suite struct ReadOnlyValueTests {
  let place: TemporaryStore
  let store: EventStore<FirstMarketPlan>
  let reading: EventStore<FirstMarketPlan>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: FirstMarketPlan.self, options: .relaxedCommits)
    reading = try EventStore(
      at: place.url, plan: FirstMarketPlan.self, options: StoreOptions(access: .readOnly))
  }

  /// Expects that a call is refused.
  private func refused(_ body: () async throws -> Void) async {
    let error = await #expect(throws: AnnalsError.self) { try await body() }
    #expect(error?.code == .readOnly)
  }

  @Test func `it changes no consumer`() async throws {
    try await store.append((1...3).map { .pinged(.init(number: $0)) }, to: "a")
    // Without the file, and with it.
    for isThere in [false, true] {
      if isThere {
        let options = ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
        try await store.process("mailer", options: options) { _ in throw ProcessingTests.Refused() }
      }
      await refused {
        try await reading.process("mailer", options: ProcessingOptions(endsAtHead: true)) { _ in
          Issue.record("nothing is handled")
        }
      }
      await refused { try await reading.retryDeadLetters("mailer") { _ in } }
      await refused { try reading.log.remove(try reading.deadLetters("mailer"), of: "mailer") }
      await refused { try reading.log.forget(consumer: "mailer") }
      let letters = isThere ? 3 : 0
      #expect(try reading.deadLetters("mailer").count == letters)
      #expect(try reading.log.consumers().map(\.name) == (isThere ? ["mailer"] : []))
    }
    let checkpoint = try #require(try reading.checkpoint(of: "mailer"))
    await refused { try reading.log.keep(checkpoint, of: "other") }
    #expect(try store.log.consumers().map(\.name) == ["mailer"])
  }

  @Test func `it uses snapshots of aggregates, and keeps none`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self, options: .relaxedCommits)
    let reading = try EventStore(
      at: place.url, plan: VaultPlanV1.self, options: StoreOptions(access: .readOnly))
    try await store.append((1...15).map { .deposited(.init(amount: $0)) }, to: "a")
    for _ in 1...2 { #expect(try reading.load(Vault.self, from: "a").folded == 15) }
    #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("views").path))
    #expect(try store.load(Vault.self, from: "a").folded == 15)
    #expect(try reading.load(Vault.self, from: "a").folded == 0)
  }
}
