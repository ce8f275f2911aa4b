import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

/// The fields that the report of a pass lists as removed.
@Suite struct RemovedFieldTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func seed() async throws {
    try await EventStore(at: place.url, plan: FirstHouses.self).append(
      [
        .painted(.init(colour: "red")),
        .built(
          .init(
            street: "Mill Road", nickname: nil,
            rooms: [.init(name: "a", colour: "x"), .init(name: "b", colour: "y")],
            cellars: [:], heating: .none, owner: .init(name: "Ann", age: 30), floors: 1)),
        .sold(.init(price: 1, secret: "s")),
        .built(
          .init(
            street: "Elm", nickname: "Den", rooms: [], cellars: ["wine": .init(name: "c", colour: nil)],
            heating: .gas(meter: "m", year: 1), owner: .init(name: "Bo", age: 40), floors: 2)),
        .rumoured(.init(text: "t")), .visited(.init(guests: ["Cy"])),
      ], to: "a")
  }

  private static let expected: Set<[String]> = [
    ["Built.owner.age", "2.0.0", "2", "2"], ["Built.rooms.colour", "2.0.0", "1", "2"],
    ["Built.street", "3.0.0", "2", "2"], ["Built.heating.gas.year", "2.0.0", "1", "4"],
    ["Built.nickname", "2.0.0", "1", "4"],
  ]

  // Promise P60.
  @Test func `the report lists each field that the stages remove, and a rehearsal the same`() async throws {
    try await seed()
    let store = try EventStore(at: place.url, plan: Houses.self)
    var rehearsal = MigrationOptions()
    rehearsal.isRehearsal = true
    let rehearsed = try await store.migrate(rehearsal).report()
    #expect(rehearsed.houseFields == Self.expected)
    let report = try await store.migrate().report()
    #expect(report.removedFields == rehearsed.removedFields)
    #expect(report.removedFields.allSatisfy { $0.version == SchemaVersion(1, 0, 0) && $0.type == "Built" })
    #expect(report.removedFields.map(\.firstPosition) == [2, 2, 2, 4, 4])
    #expect(report.dropped.map(\.count) == [1])
    #expect(
      report.removedFields.last?.description
        == "'Built.nickname' of version 1.0.0, gone since 2.0.0, 1 event, the first at position 4")
  }

  @Test
  func
    `a pass to a version between removes only the fields that are gone by then, and the next one the rest`()
    async throws
  {
    try await seed()
    let store = try EventStore(at: place.url, plan: Houses.self)
    let first = try await store.migrate(to: SchemaVersion(2, 0, 0)).report()
    #expect(first.houseFields == Self.expected.filter { $0[1] == "2.0.0" })
    let second = try await store.migrate().report()
    // Entries that the first pass stored have the names of that version.
    #expect(
      second.houseFields == [["Built.road", "3.0.0", "2", "2"], ["Came.number", "3.0.0", "1", "6"]])
    #expect(second.removedFields.allSatisfy { $0.version == SchemaVersion(2, 0, 0) })
  }

  @Test func `fields of payloads by name are listed, including explicitly dropped ones`() async throws {
    let log = try EventLog(at: place.url)
    let payload: CBOR = [
      "street": "Elm", "nickname": CBOR.null, "rooms": [["name": "a", "colour": "x", "smell": "y"]],
      "cellars": CBOR.map([]), "heating": CBOR.map([CBOR.Pair("none", CBOR.map([]))]),
      "owner": ["name": "Ann", "age": 3], "floors": 1, "cat": 1,
    ]
    try await log.append(
      [NewEntry(type: "Built", version: SchemaVersion(1, 0, 0), payload: try Payload(payload))], to: "a")
    var options = MigrationOptions()
    options.dropFields = ["Built.rooms.smell", "Built.cat"]
    options.archive = place.archiveURL()
    let report = try await EventStore(at: place.url, plan: Houses.self).migrate(options).report()
    #expect(
      report.houseFields == [
        ["Built.rooms.smell", "", "1", "1"], ["Built.cat", "", "1", "1"],
        ["Built.street", "3.0.0", "1", "1"], ["Built.owner.age", "2.0.0", "1", "1"],
        ["Built.rooms.colour", "2.0.0", "1", "1"],
      ])
    let removed = try #require(place.archive().first?["removed"] as? [[String: Any]])
    let texts = removed.map { HouseOracle.text($0) }
    #expect(texts.count == 5)
    #expect(texts.contains(#"{"at":["rooms",0,"smell"],"path":["rooms","smell"],"value":"y"}"#))
    #expect(texts.contains(#"{"path":["cat"],"value":1}"#))
  }

  @Test func `a pass that goes on reports every field that it removed before it was interrupted`()
    async throws
  {
    var generator = SeededGenerator(seed: 40)
    let events = (0..<300).map { _ in HousesV1.Event.random(using: &generator) }
    try await EventStore(at: place.url, plan: FirstHouses.self).append(events, to: "a")
    let oracle = try HouseOracle(place.dump())
    let store = try EventStore(at: place.url, plan: Houses.self)
    let stopping = Stopping()
    var options = MigrationOptions()
    options.batch = 20
    options.durableBatch = 20
    options.atPoint = { if $0 == .batchCommitted { stopping.stop() } }
    let run = try store.migrate(options)
    stopping.put(run)
    await #expect(throws: AnnalsError.self) { try await run.report() }
    let report = try await store.migrate().report()
    #expect(report.resumedAt > 0)
    #expect(report.houseFields == oracle.fields)
  }

  @Test func `a pass that was begun without the row continues, and only counts its own removals`() throws {
    var tally = FieldTally()
    let kind = KindRegistry.Kind(
      number: 1, version: SchemaVersion(1, 0, 0), row: KindRow(ordinal: 1, name: "t", first: 1), shape: nil)
    func value(_ name: String, _ version: SchemaVersion?) -> LostValue {
      LostValue(path: [ExactText(name)], place: [.key(ExactText(name))], bytes: 0..<1, removedIn: version)
    }
    let values = [value("a", SchemaVersion(2, 0, 0)), value("b", nil), value("a", SchemaVersion(2, 0, 0))]
    tally.add(kind, values, at: 7)
    tally.add(kind, values, at: 9)
    var row = PassTallyRow()
    row.changes.removed = tally
    var read = try PassTallyRow(row.encoded().span)
    #expect(read.changes.removed.fields.map(\.name) == ["t.b"])
    try PassFieldsRow.read(PassFieldsRow.encoded(tally).span, into: &read.changes.removed)
    #expect(read.changes.removed.fields == tally.fields)
    #expect(tally.fields.map(\.count) == [2, 2] && tally.fields.map(\.firstPosition) == [7, 7])
  }
}
