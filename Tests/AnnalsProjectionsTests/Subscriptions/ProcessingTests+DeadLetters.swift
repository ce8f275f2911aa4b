import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Entries that a consumer puts aside.
extension ProcessingTests {
  @Test("if allowed, it sets entries aside after repeated failures, and can retry them")
  func letters() async throws {
    try await append(7)
    let handled = Handled(refusing: [2, 5])
    let options = ProcessingOptions(poison: .deadLetter(after: 3, pause: .milliseconds(1)))
    try await run(handled, options)
    #expect(await handled.take() == [1, 2, 2, 2, 3, 4, 5, 5, 5, 6, 7])
    #expect(try store.checkpoint(of: "mailer")?.position == 7)
    let letters = try store.deadLetters("mailer")
    #expect(letters.map(\.position) == [2, 5])
    #expect(
      letters.allSatisfy { $0.attempts == 3 && !$0.isUnreadable && $0.path.isEmpty && $0.stream == "a" })
    #expect(letters.allSatisfy { !$0.reason.contains("secret") && $0.reason.contains("Refused") })
    #expect(try store.log.consumers().first?.deadLetters == 2)
    #expect(try store.deadLetters("other").isEmpty)
    // One of them can be handled by now.
    await handled.refuse([5])
    let count = try await store.retryDeadLetters("mailer") { entry in
      try await handled.handle(entry.position)
    }
    #expect(count == 1)
    #expect(await handled.take() == [2, 5])
    let rest = try store.deadLetters("mailer")
    #expect(rest.map(\.position) == [5])
    #expect(rest.first?.attempts == 4)
    try store.log.remove(rest, of: "mailer")
    #expect(try store.deadLetters("mailer").isEmpty)
  }

  @Test("an entry that the plan cannot read stops it, or is put aside at once")
  func unreadable() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for payload in [try Payload(["parcel": "p"]), try Payload(["parcel": 7]), try Payload(["parcel": "q"])] {
      try await log.append(
        [NewEntry(type: "Shipped", version: SchemaVersion(1, 0, 0), payload: payload)], to: "order-1")
    }
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    var options = ProcessingOptions(endsAtHead: true)
    let handled = Handled()
    let error = await #expect(throws: AnnalsError.self) {
      try await store.process("mailer", options: options) { element in
        try await handled.handle(element.entry.position)
      }
    }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 2)
    #expect(try store.checkpoint(of: "mailer")?.position == 1)
    options.poison = .deadLetter(after: 5)
    try await store.process("mailer", options: options) { element in
      try await handled.handle(element.entry.position)
    }
    #expect(await handled.take() == [1, 3])
    let letter = try #require(try store.deadLetters("mailer").first)
    #expect(letter.isUnreadable && letter.position == 2 && letter.attempts == 1)
    // It still cannot be read.
    #expect(try await store.retryDeadLetters("mailer") { _ in } == 0)
    #expect(try store.deadLetters("mailer").first?.attempts == 2)
  }

  @Test("a letter can be retried in front of an entry that the plan cannot read")
  func beforeUnreadable() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for payload in [try Payload(["parcel": "p"]), try Payload(["parcel": 7])] {
      try await log.append(
        [NewEntry(type: "Shipped", version: SchemaVersion(1, 0, 0), payload: payload)], to: "order-1")
    }
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let options = ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
    try await store.process("mailer", options: options) { _ in throw Refused() }
    #expect(try store.deadLetters("mailer").map(\.position) == [1, 2])
    #expect(try await store.retryDeadLetters("mailer") { _ in } == 1)
    #expect(try store.deadLetters("mailer").map(\.position) == [2])
  }

  @Test("one task retries at a time, and letters removed meanwhile do not come back")
  func retryingTwice() async throws {
    try await append(2)
    let options = ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
    try await store.process("mailer", options: options) { _ in throw Refused() }
    let letters = try store.deadLetters("mailer")
    #expect(letters.count == 2)
    var given: [Position] = []
    let count = try await store.retryDeadLetters("mailer") { [store] entry in
      given.append(entry.position)
      let error = await #expect(throws: AnnalsError.self) {
        try await store.retryDeadLetters("mailer") { _ in }
      }
      #expect(error?.code == .busy && error?.message.contains("retries") == true)
      try store.log.remove(letters, of: "mailer")
      throw Refused()
    }
    #expect(count == 0 && given == [1])
    #expect(try store.deadLetters("mailer").isEmpty)
    #expect(try store.log.consumers().first?.deadLetters == 0)
    // Nothing is handled again that somebody else has handled.
    #expect(try await store.retryDeadLetters("mailer", letters) { _ in Issue.record("it is gone") } == 0)
  }

  @Test("parts of a split are put aside one by one, and the checkpoint never parts an entry")
  func parts() async throws {
    let place = try TemporaryStore()
    let log = try EventStore(at: place.url, plan: FirstMarketPlan.self)
    try await log.append(
      [.placed(.init(lines: ["a b", "c"], total: 1)), .shipped(.init(parcel: "p"))], to: "s")
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    var words: [String] = []
    let options = ProcessingOptions(poison: .deadLetter(after: 1), interval: 1, endsAtHead: true)
    try await store.process("words", to: [\.wordAdded], options: options) { element in
      guard case .wordAdded(let added) = element.entry.event else { return }
      #expect(try store.checkpoint(of: "words")?.position.rawValue ?? 0 == 0)
      words.append(added.word)
      if added.word == "b" { throw Refused() }
    }
    #expect(words == ["a", "b", "c"])
    #expect(try store.deadLetters("words").map(\.path) == [[1, 1]])
    words = []
    try await store.retryDeadLetters("words") { entry in
      if case .wordAdded(let added) = entry.event { words.append(added.word) }
    }
    #expect(words == ["b"])
  }
}
