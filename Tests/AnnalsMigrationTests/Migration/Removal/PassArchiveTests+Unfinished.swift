import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// The archive of a pass that was stopped or cancelled.
extension PassArchiveTests {
  /// A pass that is stopped after its first batches.
  private func stopped(_ options: MigrationOptions, at point: PassPoint = .batchCommitted) async throws {
    let stopping = Stopping()
    var options = options
    options.atPoint = { if $0 == point { stopping.stop() } }
    let run = try store.migrate(options)
    stopping.put(run)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
  }

  @Test func `a pass that goes on has every line once, and only with the same archive`() async throws {
    let oracle = try HouseOracle(place.dump())
    try await stopped(options())
    #expect(try names().count == 1 && !names().contains("archive"))
    for other in [options(nil), options("other")] {
      let error = try await refusal(other)
      #expect(error?.code == .wrongUse)
      #expect(error?.message.contains("'\(place.archiveURL().path)'") == true, "\(String(describing: error))")
    }
    // Bytes of a batch that was not committed.
    let name = try #require(try names().first)
    let file = try FileHandle(forWritingTo: place.archiveURL(name))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"position\":".utf8))
    try file.close()
    let report = try await store.migrate(options()).report()
    #expect(report.resumedAt > 0)
    #expect(try place.archiveLines() == oracle.lines)
    #expect(try names() == ["archive"])
  }

  @Test func `a pass that was begun without an archive does not get one later`() async throws {
    try await stopped(options(nil))
    let error = try await refusal(options())
    #expect(error?.code == .wrongUse && error?.message.contains("without an archive") == true)
    #expect(try await store.migrate(options(nil)).report().resumedAt > 0)
    #expect(try names() == [])
  }

  @Test func `a pass that is thrown away takes its archive with it, and leaves another's file alone`()
    async throws
  {
    let oracle = try HouseOracle(place.dump())
    try await stopped(options())
    try Data("mine".utf8).write(to: place.archiveURL("other"))
    var restarting = options("third")
    restarting.unfinished = .discard
    #expect(try await store.migrate(restarting).report().resumedAt == 0)
    #expect(try names() == ["other", "third"])
    #expect(try place.archiveLines("third") == oracle.lines)
    #expect(try Data(contentsOf: place.archiveURL("other")) == Data("mine".utf8))
  }

  @Test(arguments: ["archive", "orders.annals/archive"])
  func `a store that was moved takes its archive along, and a pass that is thrown away there removes it`(
    name: String
  ) async throws {
    let here = try TemporaryStore()
    let (old, new) = (
      here.directory.appendingPathComponent("old"), here.directory.appendingPathComponent("new")
    )
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: place.url, to: old.appendingPathComponent("orders.annals"))
    do {
      let store = try EventStore(at: old.appendingPathComponent("orders.annals"), plan: Houses.self)
      let stopping = Stopping()
      var options = options(nil)
      options.archive = old.appendingPathComponent(name)
      options.atPoint = { if $0 == .batchCommitted { stopping.stop() } }
      let run = try store.migrate(options)
      stopping.put(run)
      await #expect(throws: AnnalsError.self) { try await run.report() }
    }
    func archives(_ directory: URL) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { $0.contains("archive") }
    }
    #expect(try archives(old).count == 1)
    try FileManager.default.moveItem(at: old, to: new)
    // The place that the pass has noted exists, and has another's file.
    try FileManager.default.createDirectory(
      at: old.appendingPathComponent("orders.annals"), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: old.appendingPathComponent(name))
    #expect(try archives(new).count == 1)
    var restarting = MigrationOptions()
    restarting.unfinished = .discard
    let store = try EventStore(at: new.appendingPathComponent("orders.annals"), plan: Houses.self)
    #expect(try await store.migrate(restarting).report().resumedAt == 0)
    #expect(try archives(new) == [])
    #expect(try Data(contentsOf: old.appendingPathComponent(name)) == Data("mine".utf8))
  }

  @Test func `a rollback is refused while a pass with an archive is unfinished`() async throws {
    _ = try await EventStore(at: place.url, plan: SecondHouses.self).migrate().report()
    try await stopped(options())
    let name = try #require(try names().first)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(
      error?.code == .busy && error?.message.contains("'--restart'") == true, "\(String(describing: error))")
    #expect(try names() == [name] && EventLog.inspect(place.url).pass != nil)
    // A pass that begins again and is cancelled leaves nothing.
    let stopping = Stopping()
    var restarting = options("other")
    restarting.unfinished = .discard
    restarting.atPoint = { if $0 == .batchCommitted { stopping.cancel() } }
    let run = try store.migrate(restarting)
    stopping.put(run)
    await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(try names() == [] && EventLog.inspect(place.url).pass == nil)
    #expect(try EventLog.rollback(place.url).to == 1)
  }

  @Test func `a backup knows nothing of the archive of an unfinished pass`() async throws {
    try await stopped(options())
    let name = try #require(try names().first)
    let copy = try TemporaryStore()
    _ = try store.log.backup(to: copy.url)
    let known = try EventLog(at: copy.url).read { (snapshot) throws(AnnalsError) in
      (try snapshot.reader.pass(), try snapshot.reader.passArchive())
    }
    #expect(known.0 == nil && known.1 == nil)
    var restarting = options(nil)
    restarting.unfinished = .discard
    _ = try await EventStore(at: copy.url, plan: Houses.self).migrate(restarting).report()
    #expect(try names() == [name])
    let oracle = try HouseOracle(place.dump())
    #expect(try await store.migrate(options()).report().resumedAt > 0)
    #expect(try place.archiveLines() == oracle.lines)
  }

  @Test(arguments: [PassPoint.named, .tables, .created, .batch, .verified, .lastRound, .live])
  func `a pass that is cancelled at any step leaves no archive`(point: PassPoint) async throws {
    let stopping = Stopping()
    var options = options()
    options.atPoint = { if $0 == point { stopping.stop() } }
    let run = try store.migrate(options)
    stopping.put(run)
    // Where the wish comes too late the pass is done.
    let result = try? await run.report()
    if result != nil {
      #expect(try names() == ["archive"])
    } else {
      var discard = MigrationOptions()
      discard.unfinished = .discard
      _ = try await store.migrate(discard).report()
      #expect(try names() == [])
    }
  }

  @Test func `an archive that is gone or cut off ends the pass that would go on with it`() async throws {
    try await stopped(options())
    let name = try #require(try names().first)
    try FileManager.default.removeItem(at: place.archiveURL(name))
    let error = try await refusal(options())
    #expect(error?.code == .incomplete && error?.message.contains(name) == true)
    // The completed work is still there.
    #expect(try EventLog.inspect(place.url).pass != nil)
    var restarting = options()
    restarting.unfinished = .discard
    let oracle = try HouseOracle(place.dump())
    #expect(try await store.migrate(restarting).report().resumedAt == 0)
    #expect(try place.archiveLines() == oracle.lines)
  }
}
