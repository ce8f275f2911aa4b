import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Erasing events: what no read returns any more, and what stays as it is.
@Suite struct ErasureTests {
  private let customers: ErasedCustomers
  private var place: TemporaryStore { customers.place }

  init() throws {
    customers = try ErasedCustomers()
  }

  @Test func `no read returns payload, metadata or id of an erased event`() async throws {
    let store = try customers.store()
    let id = UUID()
    try await customers.fill(store, id: id)
    let report = try store.erase(stream: "customer-1", by: "jane", because: "request 4711")
    #expect(report.entries == 5)
    #expect(report.recorded == [8])
    // Typed reads pass over it; its stream is empty, and the others are there.
    try store.read { snapshot in
      var entries = try snapshot.entries()
      var streams: [StreamName] = []
      while let entry = try entries.next() { streams.append(entry.stream) }
      #expect(streams == ["customer-2", "customer-2"])
      var own = try snapshot.entries(in: "customer-1")
      #expect(try own.next() == nil)
    }
    // Raw readers get a stub with the reason.
    let entry = try #require(try store.log.read { try $0.entry(at: 1) })
    #expect(entry.content == .stub(reason: "request 4711"))
    #expect(entry.id == nil && entry.metadata.isEmpty)
    #expect(entry.stream == "$erased-1" && entry.revision == 0)
    // Positions, revisions and expectations stay as they are.
    #expect(try store.log.read { try $0.revision(of: "customer-1") } == 4)
    let appended = try await store.append(
      [.moved(.init(amount: 1))], to: "customer-1", expecting: .revision(4))
    #expect(appended.positions == [9] && appended.revisions == [5])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `positions and selections can be erased, and an erased event is left alone`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(try store.erase([2, 3, 3], by: "jane", because: "wrong").entries == 2)
    let report = try store.erase(by: "jane", because: "wrong") { entry in
      if case .moved(let moved) = entry.event { moved.amount == 100 } else { false }
    }
    #expect(report.entries == 1)
    #expect(try store.erase([2], by: "jane", because: "again").entries == 0)
    let none = try store.erase(by: "j", because: "none") { _ in false }
    #expect(none.recorded.isEmpty)
    let error = #expect(throws: AnnalsError.self) { try store.erase([500], by: "j", because: "x") }
    #expect(error?.code == .wrongUse)
    let unsigned = #expect(throws: AnnalsError.self) { try store.erase([1], by: "", because: "x") }
    #expect(unsigned?.code == .wrongUse)
    let log = try EventLog(at: place.url)
    #expect(try log.erase(report.recorded, by: "j", because: "x").entries == 0)
    let reserved = #expect(throws: AnnalsError.self) {
      try log.erase(stream: "$annals", by: "j", because: "x")
    }
    #expect(reserved?.code == .invalidName)
    let rest = try log.erase(by: "j", because: "y") { $0.type == "Moved" }
    #expect(rest.entries == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `checkpoints at an erased event remain valid, and its id is not recognised any more`()
    async throws
  {
    let store = try customers.store()
    let id = UUID()
    try await customers.fill(store, id: id)
    let before = try store.log.read { try $0.reader.checkpoint(at: 1, log: store.log.id) }
    try store.erase([1], by: "jane", because: "request")
    #expect(try store.log.read { try $0.reader.agreement(with: before, log: store.log.id) } == .agrees)
    #expect(try store.log.read { try $0.reader.checkpoint(at: 1, log: store.log.id) } == before)
    let again = try await store.append(
      [NewEvent(.opened(.init(name: "new", code: nil)), id: id)], to: "customer-1")
    #expect(!again.wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
    _ = try await store.log.compact().report()
    #expect(try store.log.read { try $0.reader.agreement(with: before, log: store.log.id) } == .agrees)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the index of ids loses the ids of erased events`() async throws {
    var options = StoreOptions()
    options.idempotency = .always
    let store = try EventStore(at: place.url, plan: InlineAccountsPlan.self, options: options)
    let id = UUID()
    try await customers.fill(store, id: id)
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    #expect(try EventLog.verify(place.url).isClean)
    let again = try await store.append(
      [NewEvent(.opened(.init(name: "new", code: nil)), id: id)], to: "customer-1")
    #expect(!again.wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the bytes are in no file after a compacting pass and the removal of the older generation`()
    async throws
  {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      let view = try store.view(ErasedCustomers.People.self)
      try await view.waitUntil(7)
      _ = try store.load(ErasedCustomers.Profile.self, from: "customer-1")
      #expect(try !customers.hasSecret(in: place.url).isEmpty)
      try store.erase(stream: "customer-1", by: "jane", because: "request")
      // The former rows of the view may be there for a moment, too.
      #expect(try store.log.erasures().first?.remains.first == .generation(1))
      _ = try await store.log.compact().report()
      #expect(try store.log.erasures().first?.remains.first == .generation(1))
    }
    _ = try EventLog.discardPrevious(place.url)
    do {
      let store = try customers.store()
      let view = try store.view(ErasedCustomers.People.self)
      try await view.waitUntil(8)
      try await waitUntil { try store.log.erasures().first?.remains == [] }
    }
    _ = try customers.store()
    #expect(try customers.hasSecret(in: place.url) == [])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `each erasure is recorded with who, why and when, and names no stream`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let before = Timestamp.now
    try store.erase(stream: "customer-1", by: "jane", because: "request 4711")
    let erasure = try #require(try store.log.erasures().first)
    #expect(erasure.author == "jane" && erasure.reason == "request 4711")
    #expect(erasure.time >= before && erasure.time <= .now)
    #expect(erasure.positions == [1...5] && erasure.count == 5)
    #expect(erasure.position == 8)
  }

  @Test func `a pass that has copied what is erased meanwhile does not come into use`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    var options = MigrationOptions()
    // Stopped in the middle, so that a part of the contents is in the file of the next generation.
    options.atPoint = { if $0 == .copied { Thread.sleep(forTimeInterval: 0.05) } }
    let run = try store.log.compact(options)
    run.stop()
    _ = try? await run.report()
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    _ = try await store.log.compact().report()
    #expect(try store.log.read { try $0.entry(at: 1)?.content } == .stub(reason: "request"))
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `while a pass runs, an erasure is refused and can be tried again`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let isHeld = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    var options = MigrationOptions()
    options.atPoint = {
      guard $0 == .copied else { return }
      isHeld.signal()
      isDone.wait()
    }
    let run = try store.log.compact(options)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isHeld.wait()
        continuation.resume()
      }
    }
    let error = #expect(throws: AnnalsError.self) {
      try store.erase(stream: "customer-1", by: "jane", because: "request")
    }
    #expect(error?.code == .busy)
    isDone.signal()
    _ = try await run.report()
    #expect(try store.erase(stream: "customer-1", by: "jane", because: "request").entries == 5)
  }

  @Test func `a rollback does not bring erased events back`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    _ = try await store.log.compact().report()
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    #expect(throws: AnnalsError.self) { _ = try EventLog.rollback(place.url) }
    #expect(try store.log.read { try $0.entry(at: 1)?.content } == .stub(reason: "request"))
  }
}
