import Testing

@testable import Annals
@testable import AnnalsSubscriptions

/// The place where a consumer without a checkpoint begins.
extension ProcessingTests {
  /// Handles entries after a position up to the end of the log.
  private func run(
    after position: Position, _ handled: Handled, _ options: ProcessingOptions = ProcessingOptions()
  ) async throws {
    var options = options
    options.endsAtHead = true
    try await store.process("mailer", startingAt: .after(position), options: options) { element in
      try await handled.handle(element.entry.position)
    }
  }

  @Test("a consumer that begins after a position beyond the end never gets entries up to it")
  func beyondTheEnd() async throws {
    let handled = Handled()
    try await append(5)
    try await run(after: 8, handled)
    #expect(try store.checkpoint(of: "mailer") == nil)
    try await append(2)
    try await run(after: 8, handled)
    #expect(try store.checkpoint(of: "mailer") == nil)
    try await append(1)
    try await run(after: 8, handled)
    #expect(try store.checkpoint(of: "mailer")?.position == 8)
    #expect(await handled.take() == [])
    try await append(2)
    try await run(after: 8, handled)
    #expect(await handled.take() == [9, 10])
    #expect(try store.checkpoint(of: "mailer")?.position == 10)
  }

  @Test("a dead letter after a position beyond the end stores its checkpoint")
  func beyondTheEndWithLetters() async throws {
    let handled = Handled(refusing: [4])
    try await append(1)
    let options = ProcessingOptions(poison: .deadLetter(after: 1))
    try await run(after: 3, handled, options)
    try await append(4)
    try await run(after: 3, handled, options)
    #expect(await handled.take() == [4, 5])
    #expect(try store.deadLetters("mailer").map(\.position) == [4])
    try await run(after: 3, handled, options)
    #expect(await handled.take() == [])
  }
}
