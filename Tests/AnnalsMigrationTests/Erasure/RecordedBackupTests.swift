import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// When a store records a backup, so that it knows each place that may have bytes of erased events.
@Suite struct RecordedBackupTests {
  private let customers: ErasedCustomers
  private var place: TemporaryStore { customers.place }

  init() throws {
    customers = try ErasedCustomers()
  }

  private func copy(_ name: String) -> URL {
    place.url.deletingLastPathComponent().appendingPathComponent(name)
  }

  private func backups(_ url: URL) throws -> [BackupRow] {
    try EventLog(at: url).read { (snapshot) throws(AnnalsError) in try snapshot.reader.backups() }
  }

  /// Makes a backup in another process, which is killed once the backup has its name, or its first byte.
  private func kill(atName isNamed: Bool, _ destination: URL) async {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = place.url.path as String, folder = place.directory.path as String,
        destination = destination.path as String, isNamed = isNamed as Bool
      ] in
      let log = try EventLog(at: URL(fileURLWithPath: path))
      Thread.detachNewThread {
        let files = FileManager.default
        while true {
          if isNamed, files.fileExists(atPath: destination) { _ = Foundation.kill(getpid(), SIGKILL) }
          let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
          for name in names where !isNamed && name.hasPrefix(".copy.annals.") {
            let file = folder + "/" + name + "/log-000001.mdb"
            let size = (try? files.attributesOfItem(atPath: file))?[.size] as? Int
            if size ?? 0 > 0 { _ = Foundation.kill(getpid(), SIGKILL) }
          }
        }
      }
      try log.backup(to: URL(fileURLWithPath: destination))
      // Long enough for the other thread to look.
      try await Task.sleep(for: .seconds(60))
    }
  }

  @Test func `a backup whose process is killed as it gets its name is recorded`() async throws {
    do { try await customers.fill(customers.store()) }
    await kill(atName: true, copy("copy.annals"))
    let log = try EventLog(at: place.url)
    try log.erase(stream: "customer-1", by: "jane", because: "request")
    _ = try await log.compact().report()
    _ = try EventLog.discardPrevious(place.url)
    let remains = try #require(try log.erasures().first).remains
    guard case .backup(let id, let path) = remains.first else {
      Issue.record("the backup is not listed: \(remains)")
      return
    }
    #expect(remains.count == 1 && path == copy("copy.annals").path)
    #expect(try customers.hasSecret(in: copy("copy.annals")) != [])
    try log.forgetBackup(id)
    #expect(try log.erasures().map(\.remains) == [[]])
  }

  @Test func `a backup is recorded before it has a byte, and each at a place by itself`() async throws {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      // The check of so many entries takes longer than a look at the directory.
      try await store.append((0..<50_000).map { .moved(.init(amount: $0)) }, to: "customer-2")
    }
    await kill(atName: false, copy("copy.annals"))
    #expect(!FileManager.default.fileExists(atPath: copy("copy.annals").path))
    #expect(try backups(place.url).count == 1)
    try EventLog(at: place.url).backup(to: copy("copy.annals"))
    let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
    #expect(!names.contains { $0.hasPrefix(".copy") }, "the next backup removes what was left")
    let rows = try backups(place.url)
    #expect(rows.count == 2)
    #expect(Set(rows.map(\.place)) == [copy("copy.annals").path])
    #expect(rows.allSatisfy { $0.last == 50_007 && $0.generation == 1 })
  }

  @Test func `a backup has no record of itself, and one that fails leaves none`() async throws {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    let first = try #require(try log.backup(to: copy("first.annals")).backup)
    #expect(try backups(copy("first.annals")) == [])
    #expect(throws: AnnalsError.self) { try log.backup(to: copy("first.annals")) }
    let second = try #require(try log.backup(to: copy("second.annals")).backup)
    #expect(try backups(copy("second.annals")).map(\.id) == [first])
    // An entry that the check of the copy refuses.
    let generation = log.core.generation
    try generation.environment.write(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      var bytes = try StoreReader(transaction.view, generation.tables).bytes(at: 3).copied
      bytes[bytes.count - 1] ^= 0x40
      do throws(EnvironmentError) {
        try transaction.put(bytes.span, forKey: 3, in: generation.tables.entries)
      } catch {
        throw AnnalsError(error)
      }
    }
    let error = #expect(throws: AnnalsError.self) { try log.backup(to: copy("third.annals")) }
    #expect(error?.code == .damaged)
    let rows = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.backups() }
    #expect(rows.map(\.id) == [first, second])
    let generations = try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.reader.metaNames(beginningWith: BackupRow.generationPrefix)
    }
    #expect(generations.count == 2)
  }

  @Test func `a backup that was made or forgotten during a pass is known as it was`() async throws {
    do { try await customers.fill(customers.store()) }
    let log = try EventLog(at: place.url)
    let old = try #require(try log.backup(to: copy("old.annals")).backup)
    var options = MigrationOptions()
    options.atPoint = { [other = copy("new.annals")] point in
      guard point == .copied else { return }
      _ = try? log.backup(to: other)
      try? log.forgetBackup(old)
    }
    _ = try await log.compact(options).report()
    let rows = try backups(place.url)
    #expect(try log.info().generation == 2)
    #expect(rows.map(\.isGone) == [true, false])
    #expect(rows.map(\.generation) == [1, 1])
  }
}
