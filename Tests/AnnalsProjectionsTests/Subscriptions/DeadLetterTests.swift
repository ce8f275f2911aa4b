import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Entries that a consumer has put aside, retried by programs of other versions and on other logs.
@Suite struct DeadLetterTests {
  struct Refused: Error {}

  /// The second version of the market, of a program whose rule throws.
  enum StrictPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<MarketV1, MarketV2> {
      MigrationStage.custom(fromVersion: MarketV1.self, toVersion: MarketV2.self) {
        Split(\.placed, into: [\.priced, \.lineAdded]) { _, _ in throw Refused() }
        Upcast(\.noted, to: \.noted) { old, origin in
          .init(text: old.text, place: origin.position.rawValue)
        }
        Drop(\.pinged, reason: "noise")
      }
    }
  }

  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func open<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ unreadable: StoreOptions.Unreadable = .fail
  ) throws -> EventStore<Plan> {
    var options = StoreOptions.relaxedCommits
    options.unreadable = unreadable
    return try EventStore(at: place.url, plan: plan, options: options)
  }

  /// Puts every selected entry aside.
  private func deadLetter<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>,
    to events: EventQuery<EventStore<Plan>.Event> = .all
  ) async throws {
    try await store.process(
      "mailer", to: events, options: ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
    ) { _ in throw Refused() }
  }

  private func place(_ lines: [String]) async throws {
    try await open(FirstMarketPlan.self).append([.placed(.init(lines: lines, total: 1))], to: "s")
  }

  @Test func `A letter is given as its parts after the plan has split its entry`() async throws {
    try await place(["a b", "c"])
    try await deadLetter(open(FirstMarketPlan.self))
    let store = try open(MarketPlan.self)
    #expect(try store.deadLetters("mailer").map(\.path) == [[]])
    var given: [MarketV3.Event] = []
    let count = try await store.retryDeadLetters("mailer") { given.append($0.event) }
    #expect(count == 1)
    #expect(
      given == [
        .priced(.init(total: 1, currency: "EUR")), .wordAdded(.init(word: "a")), .wordAdded(.init(word: "b")),
        .wordAdded(.init(word: "c")),
      ])
    #expect(try store.deadLetters("mailer").isEmpty)
  }

  @Test func `A letter of one part is given as the result of a later version for that part`() async throws {
    try await place(["a b", "c"])
    try await deadLetter(open(SecondMarketPlan.self), to: [\.lineAdded])
    let store = try open(MarketPlan.self)
    let letters = try store.deadLetters("mailer")
    #expect(letters.map(\.path) == [[1], [2]])
    var given: [MarketV3.Event] = []
    let count = try await store.retryDeadLetters("mailer", [letters[0]]) { given.append($0.event) }
    #expect(count == 1)
    #expect(given == [.wordAdded(.init(word: "a")), .wordAdded(.init(word: "b"))])
    #expect(try store.deadLetters("mailer").map(\.path) == [[2]])
  }

  @Test func `A letter stays while the handler throws at one of its parts`() async throws {
    try await place(["a b"])
    try await deadLetter(open(FirstMarketPlan.self))
    let store = try open(MarketPlan.self)
    let count = try await store.retryDeadLetters("mailer") { entry in
      if case .wordAdded(let word) = entry.event, word.word == "b" { throw Refused() }
    }
    #expect(count == 0)
    let letter = try #require(try store.deadLetters("mailer").first)
    #expect(letter.attempts == 2)
    #expect(letter.reason.contains("Refused"))
  }

  @Test func `A letter keeps the time when its entry was set apart first`() async throws {
    try await place(["a"])
    let store = try open(FirstMarketPlan.self)
    try await store.process("mailer", options: ProcessingOptions(endsAtHead: true)) { _ in }
    let checkpoint = try #require(try store.checkpoint(of: "mailer"))
    try await store.append([.placed(.init(lines: ["b"], total: 1))], to: "s")
    try await deadLetter(store)
    let first = try #require(try store.deadLetters("mailer").first)
    _ = try await store.retryDeadLetters("mailer") { _ in throw Refused() }
    // No event of this type is in the entry, which changes the reason.
    _ = try await store.retryDeadLetters("mailer", to: [\.pinged]) { _ in }
    let retried = try #require(try store.deadLetters("mailer").first)
    #expect(retried.attempts == 2 && retried.reason != first.reason && retried.time == first.time)
    // A consumer that continues before the entry sets it apart again.
    try store.log.keep(checkpoint, of: "mailer")
    try await deadLetter(store)
    let again = try #require(try store.deadLetters("mailer").first)
    #expect(again.attempts == 1 && again.reason == first.reason && again.time == first.time)
  }

  @Test func `A letter that could not be read is given as the selected events once it can be`() async throws {
    try await place(["a b", "c"])
    try await deadLetter(open(StrictPlan.self), to: [\.lineAdded])
    let store = try open(MarketPlan.self)
    let letter = try #require(try store.deadLetters("mailer").first)
    #expect(letter.isUnreadable)
    #expect(letter.selection == LetterSelection(version: SchemaVersion(2, 0, 0), records: ["LineAdded"]))
    var given: [MarketV3.Event] = []
    let count = try await store.retryDeadLetters("mailer") { given.append($0.event) }
    #expect(count == 1)
    #expect(given == ["a", "b", "c"].map { .wordAdded(.init(word: $0)) })
  }

  @Test func `A letter of which the plan makes nothing that was selected stays`() async throws {
    let first = try open(FirstMarketPlan.self)
    try await first.append([.pinged(.init(number: 1)), .noted(.init(text: "t"))], to: "s")
    try await deadLetter(first)
    let store = try open(MarketPlan.self)
    var given: [MarketV3.Event] = []
    #expect(try await store.retryDeadLetters("mailer") { given.append($0.event) } == 1)
    #expect(given == [.noted(.init(text: "t", place: 2))])
    let rest = try store.deadLetters("mailer")
    #expect(rest.map(\.position) == [1])
    #expect(rest.first?.attempts == 1)
    #expect(rest.first?.reason.contains("makes no event") == true)
    #expect(try await store.retryDeadLetters("mailer") { _ in Issue.record("nothing is left of it") } == 0)
    #expect(try store.deadLetters("mailer").count == 1)
    try store.log.remove(rest, of: "mailer")
    #expect(try store.deadLetters("mailer").isEmpty)
  }

  @Test func `A letter that a store passes over as unreadable stays`() async throws {
    try await place(["a"])
    try await place(["b"])
    try await deadLetter(open(StrictPlan.self))
    let store = try open(StrictPlan.self, .quarantine { _ in })
    #expect(try store.deadLetters("mailer").count == 2)
    #expect(try await store.retryDeadLetters("mailer") { _ in Issue.record("it cannot be read") } == 0)
    let letters = try store.deadLetters("mailer")
    #expect(letters.map(\.attempts) == [2, 2])
    #expect(letters.allSatisfy { $0.reason.contains("position \($0.position)") })
  }

  @Test func `A consumer keeps its own policy in a store that passes over unreadable entries`() async throws {
    try await place(["a"])
    try await open(FirstMarketPlan.self).append([.noted(.init(text: "t"))], to: "s")
    let store = try open(StrictPlan.self, .quarantine { _ in Issue.record("passed over in silence") })
    var options = ProcessingOptions(endsAtHead: true)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.process("mailer", options: options) { _ in }
    }
    #expect(error?.code == .ruleFailed && error?.details.position == 1)
    #expect(try store.checkpoint(of: "mailer") == nil)
    options.poison = .deadLetter(after: 1)
    var given: [Position] = []
    try await store.process("mailer", options: options) { given.append($0.entry.position) }
    #expect(given == [2])
    #expect(try store.deadLetters("mailer").map(\.position) == [1])
  }

  @Test
  func `A letter that an older program put aside at a version unknown to the plan is known by its names`()
    async throws
  {
    try await place(["a"])
    let store = try open(FirstMarketPlan.self)
    try await deadLetter(store, to: [\.placed])
    let file = try store.log.createdConsumers()
    for (records, expected) in [(["Shipped"], 0), (["Placed"], 1)] {
      let letter = try #require(try store.deadLetters("mailer").first)
      var row = letter.row(of: "mailer", letter.reason, attempts: letter.attempts)
      row.selection = LetterSelection(version: SchemaVersion(9, 0, 0), records: records)
      let key = DeadLetterRow.key("mailer", letter.position, letter.path)
      try file.keep(nil, of: "mailer", [.replace(key: key, row)])
      #expect(try await store.retryDeadLetters("mailer") { _ in } == expected)
    }
  }

  @Test func `A letter whose entry the log has lost stays and says so`() async throws {
    try await place(["a"])
    let store = try open(FirstMarketPlan.self)
    try await deadLetter(store)
    let letter = try #require(try store.deadLetters("mailer").first)
    let entry = try #require(letter.place)
    #expect(entry.position == 1)
    #expect(entry == (try store.checkpoint(of: "mailer")))
    let file = try store.log.createdConsumers()
    var row = letter.row(of: "mailer", letter.reason, attempts: letter.attempts)
    row.place = Checkpoint(log: entry.log, incarnation: entry.incarnation, position: 1, mark: ~entry.mark)
    try file.keep(nil, of: "mailer", [.replace(key: DeadLetterRow.key("mailer", 1, []), row)])
    #expect(try await store.retryDeadLetters("mailer") { _ in Issue.record("another entry") } == 0)
    #expect(try store.deadLetters("mailer").first?.reason.contains("another entry") == true)
    row.place = Checkpoint(log: entry.log, incarnation: entry.incarnation, position: 7, mark: 1)
    try file.keep(
      nil, of: "mailer",
      [.remove(key: DeadLetterRow.key("mailer", 1, [])), .put(key: DeadLetterRow.key("mailer", 7, []), row)])
    #expect(try await store.retryDeadLetters("mailer") { _ in Issue.record("no entry") } == 0)
    #expect(try store.deadLetters("mailer").first?.reason.contains("the log ends at 1") == true)
  }

  /// The bytes that libraries of format 1 wrote.
  private static func oldRow(_ stream: StreamName) throws -> DeadLetterRow {
    let bytes =
      [0, 1, 5, 0, 0, 0, 0, 0, 0, 0] + [6] + Array("mailer".utf8) + [UInt8(stream.text.utf8.count)]
      + Array(stream.text.utf8) + [1, 114]
    let row = try DeadLetterRow(bytes.span)
    #expect(row.encoded() == bytes)
    #expect(row.place == nil && row.selection == nil && row.format == 1)
    return row
  }

  @Test func `A letter of an older library is given where its stream agrees and stays where it does not`()
    async throws
  {
    try await place(["a b"])
    try await place(["c"])
    let store = try open(MarketPlan.self)
    let file = try store.log.createdConsumers()
    try file.keep(
      nil, of: "mailer",
      [
        .put(key: DeadLetterRow.key("mailer", 1, [1]), Self.oldRow("s")),
        .put(key: DeadLetterRow.key("mailer", 2, []), Self.oldRow("other")),
        .put(key: DeadLetterRow.key("mailer", 9, []), Self.oldRow("s")),
      ])
    var given: [MarketV3.Event] = []
    #expect(try await store.retryDeadLetters("mailer") { given.append($0.event) } == 1)
    #expect(given == [.wordAdded(.init(word: "a")), .wordAdded(.init(word: "b"))])
    let rest = try store.deadLetters("mailer")
    #expect(rest.map(\.position) == [2, 9])
    #expect(rest.allSatisfy { $0.attempts == 1 && !$0.isUnreadable })
    #expect(rest.first?.reason.contains("'other'") == true)
    #expect(rest.last?.reason.contains("none there any more") == true)
  }

  @Test func `The file's format rises with the first letter that records its entry`() async throws {
    try await place(["a"])
    let store = try open(FirstMarketPlan.self)
    try await store.process("mailer", options: ProcessingOptions(endsAtHead: true)) { _ in }
    let file = try store.log.createdConsumers()
    func format() throws -> UInt32? {
      try file.read { (view) throws(AnnalsError) in
        try file.row(Array("format".utf8), in: file.environment.table("meta"), view) {
          (bytes) throws(FormatFailure) in
          var reader = ByteReader(bytes)
          return try reader.littleEndian(UInt32.self)
        }
      }
    }
    try file.keep(
      nil, of: "mailer", [.put(key: DeadLetterRow.key("mailer", 9, []), Self.oldRow("s"))])
    #expect(try format() == 1)
    try store.log.forget(consumer: "mailer")
    try await deadLetter(store)
    #expect(try format() == 2)
  }

  @Test func `A letter's row is laid out as the format says`() throws {
    let log = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    var letter = DeadLetterRow(
      consumer: "c", stream: "s", reason: "r", attempts: 2, time: -1, isUnreadable: true,
      place: Checkpoint(log: log, incarnation: 1, position: 300, mark: 0x0403_0201))
    let start: [UInt8] = [2] + Array(repeating: 255, count: 8) + [1, 99, 1, 115, 1, 114] + Array(0...15)
    #expect(letter.encoded() == [3] + start + [1, 0xac, 2, 1, 2, 3, 4] + [0])
    letter.selection = LetterSelection(version: SchemaVersion(2, 0, 1), records: ["ab", "c"])
    letter.isUnreadable = false
    let bytes = letter.encoded()
    #expect(bytes == [2] + start + [1, 0xac, 2, 1, 2, 3, 4] + [1, 2, 0, 1, 2, 2, 97, 98, 1, 99])
    #expect(try DeadLetterRow(bytes.span) == letter)
    let unknown = [4] + bytes.dropFirst()
    #expect(throws: FormatFailure.self) { try DeadLetterRow(unknown.span) }
  }
}
