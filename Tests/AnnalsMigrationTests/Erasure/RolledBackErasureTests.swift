import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Erasures before and after a rollback: what the store says of the places that have the bytes.
@Suite struct RolledBackErasureTests {
  private let customers: ErasedCustomers
  private var place: TemporaryStore { customers.place }

  init() throws {
    customers = try ErasedCustomers()
  }

  private func copy(_ name: String) -> URL {
    place.url.deletingLastPathComponent().appendingPathComponent(name)
  }

  private func erase(_ log: EventLog) throws {
    try log.erase(stream: "customer-1", by: "jane", because: "request")
  }

  /// The places of the one erasure, with the names of backups only.
  private func remains(_ log: EventLog) throws -> [String] {
    try #require(try log.erasures().first).remains.map { place in
      if case .backup(_, let path) = place { URL(filePath: path).lastPathComponent } else { "\(place)" }
    }
  }

  @Test func `backups that were made, or destroyed, after a switch are known after a rollback`()
    async throws
  {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    try log.backup(to: copy("old.annals"))
    let gone = try #require(try log.backup(to: copy("gone.annals")).backup)
    _ = try await log.compact().report()
    try log.backup(to: copy("new.annals"))
    try log.forgetBackup(gone)
    _ = try EventLog.rollback(place.url)
    #expect(try log.info().generation == 1)
    try erase(log)
    #expect(try remains(log) == ["generation 1", "generation 2", "old.annals", "new.annals"])
    _ = try await log.compact().report()
    _ = try EventLog.discardPrevious(place.url)
    #expect(try remains(log) == ["old.annals", "new.annals"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a generation that was rolled back before an erasure is listed until it is gone`()
    async throws
  {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    _ = try await log.compact().report()
    _ = try EventLog.rollback(place.url)
    try erase(log)
    #expect(try remains(log) == ["generation 1", "generation 2"])
    _ = try await log.compact().report()
    #expect(try log.info().generation == 3)
    #expect(try remains(log) == ["generation 1", "generation 2"])
    let reader = try EventLog(at: place.url, options: StoreOptions(access: .readOnly))
    #expect(try remains(reader) == ["generation 1", "generation 2"])
    _ = try EventLog.discardPrevious(place.url)
    #expect(try remains(log) == [])
    #expect(try customers.hasSecret(in: place.url) == [])
  }

  @Test func `a file that cannot be read is listed, because it may have anything`() async throws {
    do {
      try await customers.fill(customers.store())
      let log = try EventLog(at: place.url)
      _ = try await log.compact().report()
      _ = try EventLog.rollback(place.url)
      try erase(log)
      _ = try await log.compact().report()
    }
    let file = place.url.appendingPathComponent("log-000002.mdb")
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(24..<56, with: Data(count: 32))
    try bytes.write(to: file)
    #expect(try EventLog.discardPrevious(place.url).kept.map(\.file) == ["log-000002.mdb"])
    let log = try EventLog(at: place.url)
    #expect(try remains(log) == ["generation 2"])
    #expect(try customers.hasSecret(in: place.url).contains("log-000002.mdb"))
    try FileManager.default.removeItem(at: file)
    #expect(try remains(log) == [])
  }

  @Test func `a generation that was made after an erasure is not listed, rolled back or not`()
    async throws
  {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    try erase(log)
    _ = try await log.compact().report()
    #expect(try remains(log) == ["generation 1"])
    _ = try EventLog.rollback(place.url)
    #expect(try log.info().generation == 1)
    #expect(try remains(log) == ["generation 1"])
    for generation in 3...4 as ClosedRange<UInt64> {
      _ = try await log.compact().report()
      #expect(try log.info().generation == generation)
      #expect(try remains(log) == ["generation 1"])
    }
    // Commits may have reused the pages of the first file.
    #expect(try customers.hasSecret(in: place.url).allSatisfy { $0 == "log-000001.mdb" })
  }

  @Test func `a refused rollback names the erasure`() async throws {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    _ = try await log.compact().report()
    try erase(log)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.contains("5 entries were erased since the switch") == true)
    #expect(error?.details.position == 8)
  }
}
