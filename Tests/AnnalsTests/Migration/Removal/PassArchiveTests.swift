import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// The archive of a pass: what it has, and when it is refused.
@Suite struct PassArchiveTests {
  private let place: TemporaryStore
  private let store: EventStore<Houses>

  init() async throws {
    place = try TemporaryStore()
    var generator = SeededGenerator(seed: 7)
    let first = try EventStore(at: place.url, plan: FirstHouses.self)
    for number in 0..<30 {
      let event = HousesV1.Event.random(using: &generator)
      let metadata = try #require(Metadata(["user": .text("u\(number)")]))
      try await first.append([NewEvent(event, metadata: metadata)], to: "s\(number % 3)")
    }
    store = try EventStore(at: place.url, plan: Houses.self)
  }

  private func options(_ name: String? = "archive") -> MigrationOptions {
    var options = MigrationOptions()
    options.archive = name.map { place.archiveURL($0) }
    options.batch = 4
    options.durableBatch = 4
    return options
  }

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

  private func refusal(_ options: MigrationOptions) async throws -> AnnalsError? {
    await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
  }

  /// The names of files next to the store.
  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: place.directory.path)).subtracting([
      "orders.annals"
    ])
  }

  // Promise P61.
  @Test func `each entry that loses something has one line with it`() async throws {
    let oracle = try HouseOracle(place.dump())
    let report = try await store.migrate(options()).report()
    #expect(report.isDone && report.houseFields == oracle.fields)
    #expect(try place.archiveLines() == oracle.lines)
    #expect(try names() == ["archive"])
    let attributes = try FileManager.default.attributesOfItem(atPath: place.archiveURL().path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // A rollback keeps it.
    _ = try EventLog.rollback(place.url)
    #expect(try place.archiveLines() == oracle.lines)
    let error = try await refusal(options())
    #expect(error?.code == .cannotCreate && error?.message.contains(place.archiveURL().path) == true)
    #expect(try await store.migrate(options("second")).report().isDone)
    #expect(try place.archiveLines("second") == oracle.lines)
  }

  @Test func `parts of an entry have what each of them loses on the line of the entry`() async throws {
    _ = try await EventStore(at: place.url, plan: SecondHouses.self).migrate().report()
    let before = try place.dump().filter { $0["type"] as? String == "Came" }
    var wanted: [Int: [Int]] = [:]
    for line in before {
      guard let position = line["position"] as? Int, let data = line["data"] as? [String: Any] else {
        continue
      }
      wanted[position, default: []].append(data["number"] as? Int ?? -1)
    }
    _ = try await store.migrate(options()).report()
    let lines = try place.archive().filter { $0["parts"] != nil || $0["type"] as? String == "Came" }
    #expect(lines.count == wanted.count && !lines.isEmpty)
    for line in lines {
      let position = try #require(line["position"] as? Int)
      let parts = line["parts"] as? [[String: Any]] ?? []
      let values = parts.map { part in
        (part["removed"] as? [[String: Any]])?.first?["value"] as? Int
      }
      #expect(values == wanted[position])
      #expect(parts.compactMap { $0["path"] as? [Int] } == values.indices.map { [$0] })
    }
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
    var anew = options("third")
    anew.unfinished = .discard
    #expect(try await store.migrate(anew).report().resumedAt == 0)
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
    var anew = MigrationOptions()
    anew.unfinished = .discard
    let store = try EventStore(at: new.appendingPathComponent("orders.annals"), plan: Houses.self)
    #expect(try await store.migrate(anew).report().resumedAt == 0)
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
    var anew = options("other")
    anew.unfinished = .discard
    anew.atPoint = { if $0 == .batchCommitted { stopping.cancel() } }
    let run = try store.migrate(anew)
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
    var anew = options(nil)
    anew.unfinished = .discard
    _ = try await EventStore(at: copy.url, plan: Houses.self).migrate(anew).report()
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
    // What was done is there still.
    #expect(try EventLog.inspect(place.url).pass != nil)
    var anew = options()
    anew.unfinished = .discard
    let oracle = try HouseOracle(place.dump())
    #expect(try await store.migrate(anew).report().resumedAt == 0)
    #expect(try place.archiveLines() == oracle.lines)
  }

  @Test func `a file or directory that is in the way is refused before anything is changed`() async throws {
    try Data("mine".utf8).write(to: place.archiveURL())
    #expect(try await refusal(options())?.code == .cannotCreate)
    #expect(try await refusal(options("none/archive"))?.code == .cannotCreate)
    #expect(try await refusal(options("archive/archive"))?.code == .cannotCreate)
    #expect(try Data(contentsOf: place.archiveURL()) == Data("mine".utf8))
    #expect(try EventLog.inspect(place.url).pass == nil && EventLog.inspect(place.url).generation == 1)
  }

  @Test func `a name that is taken while the pass runs is not replaced`() async throws {
    let url = place.archiveURL()
    var options = options()
    options.atPoint = { point in
      if point == .verified { try? Data("mine".utf8).write(to: url) }
    }
    #expect(try await refusal(options)?.code == .cannotCreate)
    #expect(try Data(contentsOf: url) == Data("mine".utf8))
    #expect(try names() == ["archive"])
    #expect(try EventLog.inspect(place.url).generation == 1)
  }

  @Test func `a rehearsal and a pass without a plan have no archive`() throws {
    var rehearsal = options()
    rehearsal.isRehearsal = true
    #expect(throws: AnnalsError.self) { try store.migrate(rehearsal) }
    #expect(throws: AnnalsError.self) { try store.log.compact(options()) }
  }

  @Test func `an entry that is set aside loses nothing`() async throws {
    struct Refused: Error {}
    enum Refusing: SchemaMigrationPlan {
      static var stages: MigrationChain<HousesV1, HousesV2> {
        MigrationStage.custom(fromVersion: HousesV1.self, toVersion: HousesV2.self) {
          Hoist(\.built, \.keeper, from: "owner")
          Upcast(\.sold, to: \.sold) { _, _ in throw Refused() }
          Drop(\.rumoured, reason: "hearsay")
          Split(\.visited, into: [\.came], emptyBecause: "nobody came") { old, _ in
            old.guests.map { .came(.init(guest: $0, number: 0)) }
          }
        }
      }
    }
    let oracle = try HouseOracle(place.dump())
    var options = options()
    options.unreadable = .quarantine
    let report = try await EventStore(at: place.url, plan: Refusing.self).migrate(options).report()
    #expect(report.quarantined > 0)
    // The road is in the second version still.
    #expect(report.houseFields == oracle.fields.filter { $0[1] == "2.0.0" })
    #expect(try place.archive().map { $0["position"] as? Int } == oracle.positions)
  }
}
