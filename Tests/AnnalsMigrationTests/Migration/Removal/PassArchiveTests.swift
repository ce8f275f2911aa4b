import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// The archive of a pass: what it has, and when it is refused.
@Suite struct PassArchiveTests {
  let place: TemporaryStore
  let store: EventStore<Houses>

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

  func options(_ name: String? = "archive") -> MigrationOptions {
    var options = MigrationOptions()
    options.archive = name.map { place.archiveURL($0) }
    options.batch = 4
    options.durableBatch = 4
    return options
  }

  func refusal(_ options: MigrationOptions) async throws -> AnnalsError? {
    await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
  }

  /// The names of files next to the store.
  func names() throws -> Set<String> {
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

  @Test func `the line of an entry has the losses of each part`() async throws {
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
