import Foundation
import LMDB
import Testing

@testable import Annals

/// Consumers that keep how far they are in the store.
@Suite struct ProcessingTests {
  struct Refused: Error, CustomStringConvertible {
    var description: String { "secret payload" }
  }

  /// Positions that were handled, in their order.
  actor Handled {
    var positions: [UInt64] = []
    var refusing: Set<UInt64> = []

    init(refusing: Set<UInt64> = []) { self.refusing = refusing }

    func handle(_ position: Position) throws {
      positions.append(position.rawValue)
      if refusing.contains(position.rawValue) { throw Refused() }
    }

    func refuse(_ positions: Set<UInt64>) { refusing = positions }

    func take() -> [UInt64] {
      defer { positions = [] }
      return positions
    }
  }

  private let place: TemporaryStore
  private let store: EventStore<FirstMarketPlan>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(
      at: place.url, plan: FirstMarketPlan.self, options: .relaxedCommits)
  }

  private func append(_ count: Int) async throws {
    try await store.append((0..<count).map { .pinged(.init(number: $0)) }, to: "a")
  }

  private func run(_ handled: Handled, _ options: ProcessingOptions = ProcessingOptions()) async throws {
    var options = options
    options.endsAtHead = true
    try await store.process("mailer", options: options) { element in
      try await handled.handle(element.entry.position)
    }
  }

  @Test("it handles each entry in order, and goes on behind what it has stored")
  func goingOn() async throws {
    let handled = Handled()
    #expect(try store.checkpoint(of: "mailer") == nil)
    try await append(7)
    try await run(handled)
    #expect(await handled.take() == Array(1...7))
    #expect(try store.checkpoint(of: "mailer")?.position == 7)
    try await run(handled)
    #expect(await handled.take() == [])
    try await append(3)
    try await run(handled)
    #expect(await handled.take() == [8, 9, 10])
    let infos = try store.log.consumers()
    #expect(infos.map(\.name) == ["mailer"])
    #expect(infos.first?.lag == 0)
    try await append(2)
    #expect(try store.log.consumers().first?.lag == 2)
    try store.log.forget(consumer: "mailer")
    #expect(try store.checkpoint(of: "mailer") == nil)
    try await run(handled)
    #expect(await handled.take() == Array(1...12))
    #expect(try EventLog.verify(place.url).findings.isEmpty)
  }

  @Test("a filter's checkpoint moves over what it hides")
  func hidden() async throws {
    try await append(20)
    try await store.process("parcels", to: [\.shipped], options: ProcessingOptions(endsAtHead: true)) { _ in
      Issue.record("nothing is for it")
    }
    #expect(try store.checkpoint(of: "parcels")?.position == 20)
  }

  @Test("a checkpoint is stored after so many entries, and never one that is ahead")
  func interval() async throws {
    try await append(10)
    var seen: [UInt64] = []
    try await store.process("mailer", options: ProcessingOptions(interval: 3, endsAtHead: true)) { _ in
      seen.append(try store.checkpoint(of: "mailer")?.position.rawValue ?? 0)
    }
    #expect(seen == [0, 0, 0, 3, 3, 3, 6, 6, 6, 9])
  }

  @Test("where the handler throws it stops before the entry, and begins with it the next time")
  func stopping() async throws {
    try await append(7)
    let handled = Handled(refusing: [4])
    let error = await #expect(throws: AnnalsError.self) { try await run(handled) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 4)
    #expect(error?.underlying is Refused)
    #expect(error?.message.contains("secret") == false)
    #expect(try store.checkpoint(of: "mailer")?.position == 3)
    await handled.refuse([])
    _ = await handled.take()
    try await run(handled)
    #expect(await handled.take() == [4, 5, 6, 7])
    #expect(try store.deadLetters("mailer").isEmpty)
  }

  @Test("where it may, it puts aside what it could not handle so often, and can be given that again")
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

  @Test("one task retries at a time, and what is removed meanwhile does not come back")
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

  /// Holds the turn at writing `file` on a thread of its own until `free` is signalled; returns once it has it.
  private func hold(_ file: ConsumerFile, until free: DispatchSemaphore) {
    let taken = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        let turn = try file.environment.turn()
        taken.signal()
        free.wait()
        _ = consume turn
      } catch {
        Issue.record(error)
        taken.signal()
      }
    }
    taken.wait()
  }

  @Test("who waits for another writer is told so after a while, and stores once that is done")
  func blocked() async throws {
    try await append(1)
    try await run(Handled())
    let file = try store.log.core.createdConsumers()
    let checkpoint = try #require(try store.checkpoint(of: "mailer"))
    let free = DispatchSemaphore(value: 0)
    hold(file, until: free)
    let error = await #expect(throws: AnnalsError.self) {
      try await file.store(checkpoint, of: "other", within: .milliseconds(30))
    }
    #expect(error?.code == .busy)
    async let stored: Void = file.store(checkpoint, of: "other", within: .seconds(60))
    free.signal()
    try await stored
    #expect(try store.checkpoint(of: "other") == checkpoint)
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

  @Test("a second task with the name is told so, or waits and takes over")
  func takingOver() async throws {
    try await append(3)
    let first = Handled()
    let running = Task { [store] in
      try await store.process("mailer") { element in try await first.handle(element.entry.position) }
    }
    try await waitUntil { await first.positions.count >= 3 }
    let error = await #expect(throws: AnnalsError.self) { try await run(Handled()) }
    #expect(error?.code == .busy)
    #expect(error?.details.holder == getpid())
    #expect(throws: AnnalsError.self) { try store.log.forget(consumer: "mailer") }
    // Another name is free.
    try await store.process("other", options: ProcessingOptions(endsAtHead: true)) { _ in }
    let second = Handled()
    let waiting = Task { [store] in
      try await store.process("mailer", options: ProcessingOptions(takesOver: true)) { element in
        try await second.handle(element.entry.position)
      }
    }
    try await Task.sleep(for: .milliseconds(30))
    running.cancel()
    try await running.value
    try await append(2)
    try await waitUntil { await second.positions.count >= 2 }
    #expect(await first.take() == [1, 2, 3])
    #expect(await second.take() == [4, 5])
    waiting.cancel()
    try await waiting.value
    #expect(try store.checkpoint(of: "mailer")?.position == 5)
  }

  @Test func `A checkpoint is not kept under a name while a task of any process is at work under it`()
    async throws
  {
    try await append(3)
    try await run(Handled())
    let old = try #require(try store.checkpoint(of: "mailer"))
    try await append(2)
    let handled = Handled()
    let running = Task { [store] in
      try await store.process("mailer") { element in try await handled.handle(element.entry.position) }
    }
    try await waitUntil { await handled.positions.count >= 2 }
    let error = #expect(throws: AnnalsError.self) { try store.log.keep(old, of: "mailer") }
    #expect(error?.code == .busy && error?.details.holder == getpid())
    let json = String(decoding: try JSONEncoder().encode(old), as: UTF8.self)
    await #expect(processExitsWith: .success) {
      [path = place.url.path as String, json = json as String, holder = getpid() as Int32] in
      let log = try EventLog(at: URL(fileURLWithPath: path), options: StoreOptions(creation: .never))
      let old = try JSONDecoder().decode(Checkpoint.self, from: Data(json.utf8))
      try log.keep(old, of: "other")
      do throws(AnnalsError) {
        try log.keep(old, of: "mailer")
        exit(1)
      } catch {
        guard error.code == .busy, error.details.holder == holder else { exit(2) }
      }
    }
    running.cancel()
    try await running.value
    #expect(try store.checkpoint(of: "mailer")?.position == 5)
    #expect(try store.checkpoint(of: "other") == old)
    try store.log.keep(old, of: "mailer")
    #expect(try store.checkpoint(of: "mailer") == old)
    let again = Handled()
    try await run(again)
    #expect(await again.take() == [4, 5])
  }

  @Test("rows are what was stored, or it is told which file is damaged")
  func damage() async throws {
    try await append(2)
    try await run(Handled())
    let file = try store.log.core.createdConsumers()
    try file.write { (transaction) throws(AnnalsError) in
      try transaction.put([1, 2, 3], "spoilt", in: file.checkpoints)
    }
    let error = #expect(throws: AnnalsError.self) { try store.checkpoint(of: "spoilt") }
    #expect(error?.code == .damaged)
    #expect(error?.details.file == "consumers.mdb")
    #expect(try store.checkpoint(of: "mailer")?.position == 2)
  }

  @Test("a file of a later format is refused")
  func laterFormat() async throws {
    try await append(1)
    do {
      let file = try store.log.core.createdConsumers()
      try file.write { (transaction) throws(AnnalsError) in
        try transaction.put([3, 0, 0, 0], "format", in: file.environment.table("meta"))
      }
    }
    let error = #expect(throws: AnnalsError.self) {
      try ConsumerFile.open(in: store.log.core.generation.directory, .readWrite, creating: false)
    }
    #expect(error?.code == .formatVersion)
  }

  @Test("a store that is open for reading keeps no checkpoint, and tells those that are there")
  func readOnly() async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open()
      try await log.append([.placed(1)], to: "a")
    }
    let log = try EventLog(at: place.url, options: StoreOptions(access: .readOnly))
    #expect(try log.consumers().isEmpty)
    #expect(try log.checkpoint(of: "mailer") == nil)
    let checkpoint = try await SubscriptionTests.collect(log.subscribe(from: .beginning)).last!.checkpoint
    let error = #expect(throws: AnnalsError.self) { try log.keep(checkpoint, of: "mailer") }
    #expect(error?.code == .readOnly)
  }

  @Test(
    "names that no consumer can have are refused", arguments: ["", "a\0", String(repeating: "n", count: 501)])
  func names(name: String) async throws {
    let error = await #expect(throws: AnnalsError.self) { try await store.process(name) { _ in } }
    #expect(error?.code == .invalidName)
  }

  @Test("rows are laid out as the format says")
  func layout() throws {
    let log = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    let row = ConsumerRow(
      checkpoint: Checkpoint(log: log, incarnation: 1, position: 300, mark: 0x0403_0201), time: 5)
    #expect(
      row.encoded()
        == [5, 0, 0, 0, 0, 0, 0, 0] + Array(0...15) + [1, 0xac, 2, 1, 2, 3, 4])
    let bytes = row.encoded()
    #expect(try ConsumerRow(bytes.span) == row)
    let letter = DeadLetterRow(
      consumer: "c", stream: "s", reason: "r", attempts: 2, time: -1, isUnreadable: true)
    let encoded = letter.encoded()
    #expect(
      encoded == [1, 2] + Array(repeating: 255, count: 8) + [1, 99, 1, 115, 1, 114])
    #expect(try DeadLetterRow(encoded.span) == letter)
    let key = DeadLetterRow.key("c", 258, [1, 70_000])
    #expect(Array(key[16...]) == [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 1, 0x11, 0x70])
    let place = try DeadLetterRow.place(in: key.span)
    #expect(place.position == 258 && place.path == [1, 70_000])
  }
}
