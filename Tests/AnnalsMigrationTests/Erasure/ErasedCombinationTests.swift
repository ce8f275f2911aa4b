import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Erasures together with other changes, with backups, and with other processes.
@Suite struct ErasedCombinationTests {
  private let customers: ErasedCustomers
  private var place: TemporaryStore { customers.place }

  init() throws {
    customers = try ErasedCustomers()
  }

  private func copy(_ name: String) -> URL {
    place.url.deletingLastPathComponent().appendingPathComponent(name)
  }

  @Test func `events of closed and truncated streams are erased, and retention and passes go on`()
    async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    try await store.close("customer-1")
    try await store.truncate("customer-1", before: 2)
    // One event in the middle of a call, one that is hidden, and one that is shown.
    #expect(try store.erase([1, 3, 4], by: "jane", because: "request").entries == 3)
    try store.read { snapshot in
      var entries = try snapshot.entries(in: "customer-1")
      var revisions: [Revision] = []
      while let entry = try entries.next() { revisions.append(entry.revision) }
      #expect(revisions == [4], "revision 1 is hidden, and 2 and 3 are erased")
      #expect(try snapshot.state(of: "customer-1")?.isClosed == true)
    }
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.moved(.init(amount: 1))], to: "customer-1")
    }
    #expect(error?.code == .streamClosed)
    try await store.log.setRetention(RetentionRule(streamPrefix: "", maximumCount: 1))
    #expect(try store.log.retain() == RetentionReport(streams: 2, events: 3))
    #expect(try EventLog.verify(place.url).isClean)
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    for _ in 0..<2 {
      _ = try await store.log.compact().report()
      _ = try EventLog.discardPrevious(place.url)
      #expect(try EventLog.verify(place.url).isClean)
    }
    #expect(try customers.hasSecret(in: place.url) == [])
    #expect(try store.log.retain() == RetentionReport(), "nameless streams are under no rule")
    #expect(try store.log.erasures().map(\.remains) == [[], []])
    // The name is free, and begins another stream, which is open.
    let appended = try await store.append(
      [.moved(.init(amount: 7))], to: "customer-1", expecting: .noStream)
    #expect(appended.revisions == [0])
  }

  @Test func `a backup between an erasure and the next pass is listed, and later ones are not`() async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    try store.backup(to: copy("before.annals"))
    let report = try store.erase(stream: "customer-1", by: "jane", because: "request")
    #expect(report.entries == 5)
    try store.backup(to: copy("between.annals"))
    _ = try await store.log.compact().report()
    _ = try EventLog.discardPrevious(place.url)
    try store.backup(to: copy("after.annals"))
    let remains = try #require(try store.log.erasures().first).remains
    let places = remains.compactMap { place in
      if case .backup(_, let path) = place { URL(filePath: path).lastPathComponent } else { nil }
    }
    #expect(places == ["before.annals", "between.annals"])
    #expect(remains.count == 2)
    #expect(try customers.hasSecret(in: copy("after.annals")) == [])
    for case .backup(let id, _) in remains { try store.log.forgetBackup(id) }
    #expect(try store.log.erasures().map(\.remains) == [[]])
    // A copy of the backup in between is a store with the same generation, which lists it.
    try EventLog.restore(copy("between.annals"), to: copy("restored.annals"))
    let restored = try EventLog(at: copy("restored.annals"))
    #expect(try restored.erasures().first?.remains.first == .generation(1))
    #expect(try restored.read { try $0.entry(at: 1)?.content } == .stub(reason: "request"))
  }

  @Test func `the place of a backup at a relative path is recorded as a whole path`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let here = FileManager.default.currentDirectoryPath.split(separator: "/")
    let relative = String(repeating: "../", count: here.count) + copy("copy.annals").path.dropFirst()
    try store.backup(to: URL(exactPath: relative.utf8))
    try store.erase(stream: "customer-1", by: "jane", because: "request")
    let places = try #require(try store.log.erasures().first).remains.compactMap { place in
      if case .backup(_, let path) = place { path } else { nil }
    }
    #expect(places.count == 1)
    let path = try #require(places.first)
    #expect(path.hasPrefix("/") && path.hasSuffix(relative))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `a process that has the store open returns nothing of events that another one erases`()
    async throws
  {
    do { try await customers.fill(customers.store()) }
    let (ready, done) = (copy("ready"), copy("done"))
    let place = place
    let erasing = Task.detached {
      try await waitUntil { FileManager.default.fileExists(atPath: ready.path) }
      let log = try EventLog(at: place.url)
      try log.erase(stream: "customer-1", by: "jane", because: "request")
      try Data().write(to: done)
    }
    await #expect(processExitsWith: .success) {
      [path = place.url.path as String, ready = ready.path as String, done = done.path as String] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self)
      let view = try store.view(ErasedCustomers.People.self)
      try await view.waitUntil(7)
      func names() throws -> [String] {
        try store.read { (snapshot) throws(AnnalsError) in
          var entries = try snapshot.entries()
          var names: [String] = []
          while let entry = try entries.next() {
            if case .opened(let opened) = entry.event { names.append(opened.name) }
          }
          return names
        }
      }
      try #require(try names() == [ErasedCustomers.secret, "Ann"])
      try Data().write(to: URL(fileURLWithPath: ready))
      try await waitUntil { FileManager.default.fileExists(atPath: done) }
      try #require(try names() == ["Ann"])
      try #require(
        try store.load(ErasedCustomers.Profile.self, from: "customer-1").state
          == ErasedCustomers.Profile.initial)
      for try await element in store.log.subscribe(from: .beginning) {
        try #require(!"\(element.entry)".contains(ErasedCustomers.secret))
        if element.entry.position == 8 { break }
      }
      let name: String?
      do throws(AnnalsError) {
        name = try view.read { (snapshot) throws(AnnalsError) in
          try snapshot.get(ErasedCustomers.People.Person.self, "customer-1")?.name
        }
      } catch {
        try #require(error.code == .busy)
        return
      }
      try #require(name == nil)
    }
    try await erasing.value
  }
}
