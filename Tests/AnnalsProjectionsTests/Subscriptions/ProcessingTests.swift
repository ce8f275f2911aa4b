import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

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

  let place: TemporaryStore
  let store: EventStore<FirstMarketPlan>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(
      at: place.url, plan: FirstMarketPlan.self, options: .relaxedCommits)
  }

  func append(_ count: Int) async throws {
    try await store.append((0..<count).map { .pinged(.init(number: $0)) }, to: "a")
  }

  func run(_ handled: Handled, _ options: ProcessingOptions = ProcessingOptions()) async throws {
    var options = options
    options.endsAtHead = true
    try await store.process("mailer", options: options) { element in
      try await handled.handle(element.entry.position)
    }
  }

  @Test("it handles each entry in order, and continues after its stored checkpoint")
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

  @Test("a filter's checkpoint moves over hidden entries")
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

  @Test("a second task with the name gets an error, or waits and takes over")
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

  @Test(
    "names that no consumer can have are refused", arguments: ["", "a\0", String(repeating: "n", count: 501)])
  func names(name: String) async throws {
    let error = await #expect(throws: AnnalsError.self) { try await store.process(name) { _ in } }
    #expect(error?.code == .invalidName)
  }
}
