import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// A record that a stage retains: who sees it, and who does not.
@Suite struct RetainTests {
  @Record struct Line: ProjectionRow {
    var position: Int
    var text: String
    var key: Int { position }
  }
  enum Notes: Projection {
    typealias Event = OfficeV2.Event
    static let name = "notes"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Line.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .noted(let noted) = entry.event else { return }
      let position = Int(entry.position.rawValue)
      try rows.put(Line(position: position, text: noted.text))
    }
  }
  enum Count: Aggregate {
    typealias Event = OfficeV2.Event
    @Record struct State: Equatable { var entries: Int }
    static let name = "count"
    static let version = 1
    static var initial: State { State(entries: 0) }
    static func apply(_ entry: Entry<Event>, to state: inout State) { state.entries += 1 }
  }

  private let v1 = SchemaVersion(1, 0, 0)
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func seed() async throws {
    let store = try EventStore(at: place.url, plan: FirstOffice.self)
    try await store.append(
      [
        .faxed(.init(pages: 3, sender: "Ada")), .noted(.init(text: "a")), .pinged(.init(n: 1)),
        .faxed(.init(pages: 1, sender: nil)), .noted(.init(text: "b")),
      ], to: "desk")
  }

  private func office(migrated: Bool) throws -> EventStore<Office> {
    let store = try EventStore(at: place.url, plan: Office.self)
    if migrated { _ = try store.migrate().join() }
    return store
  }

  @Test(arguments: [false, true]) func `typed reads skip it, and its place stays taken`(migrated: Bool)
    async throws
  {
    try await seed()
    let store = try office(migrated: migrated)
    #expect(try store.events() == [.noted(.init(text: "a", by: nil)), .noted(.init(text: "b", by: nil))])
    let places = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "desk", backwards: true)
      var places: [String] = []
      while let entry = try entries.next() { places.append("\(entry.position) \(entry.revision)") }
      return places
    }
    #expect(places == ["5 4", "2 1"])
    try await store.append([.noted(.init(text: "c", by: "Ada"))], to: "desk", expecting: .revision(4))
    #expect(try store.events().count == 3)
  }

  @Test(arguments: [false, true]) func `untyped reads show it as it is stored`(migrated: Bool) async throws {
    try await seed()
    let store = try office(migrated: migrated)
    let entries = try store.log.read { (snapshot) throws(AnnalsError) in
      [try snapshot.entry(at: 1), try snapshot.entry(at: 4)]
    }
    #expect(entries.map { $0?.type } == ["Faxed", "Faxed"])
    #expect(entries.map { $0?.version } == [v1, v1])
    let payloads = try entries.map { entry -> CBOR? in
      guard case .payload(let payload)? = entry?.content else { return nil }
      return try payload.value
    }
    #expect(payloads == [["pages": 3, "sender": "Ada"], ["pages": 1]])
    #expect(try store.log.counts()["1.0.0 Faxed"] == 2)
  }

  @Test(arguments: [false, true]) func `subscriptions, views and aggregates skip it`(migrated: Bool)
    async throws
  {
    try await seed()
    let store = try office(migrated: migrated)
    var delivered = 0
    for try await step in store.subscribe(from: .beginning).steps {
      if case .entry = step { delivered += 1 }
      if case .caughtUp = step { break }
    }
    #expect(delivered == 2)
    let view = try store.view(Notes.self)
    try await view.waitUntil(5)
    let rows = try view.read { (snapshot) throws(AnnalsError) in
      try [1, 2, 4, 5].map { (key) throws(AnnalsError) in try snapshot.get(Line.self, key)?.text }
    }
    #expect(rows == [nil, "a", nil, "b"])
    #expect(try store.load(Count.self, from: "desk").state.entries == 2)
  }

  @Test(arguments: [false, true]) func `an older version of the plan dumps it, the current one does not`(
    migrated: Bool
  ) async throws {
    try await seed()
    let log = try office(migrated: migrated).log
    let old = try log.dump(Office.self, as: v1)
    #expect(old.filter { $0.contains("\"Faxed\"") }.count == 2, "\(old)")
    #expect(old.filter { $0.contains("\"Noted\"") }.count == 2, "\(old)")
    // A ping that a pass has dropped is gone.
    #expect(old.filter { $0.contains("\"Pinged\"") }.count == (migrated ? 0 : 1), "\(old)")
    #expect(old[0].contains(#""pages":3"#) && old[0].contains(#""sender":"Ada""#), "\(old)")
    let new = try log.dump(Office.self, as: SchemaVersion(2, 0, 0))
    #expect(new.count == 2 && new.allSatisfy { $0.contains("\"Noted\"") }, "\(new)")
  }

  @Test func `an older program reads it after a pass, where it reads the rest`() async throws {
    try await seed()
    _ = try office(migrated: true)
    let older = try EventStore(at: place.url, plan: FirstOffice.self)
    #expect(
      try older.events() == [
        .faxed(.init(pages: 3, sender: "Ada")), .noted(.init(text: "a")),
        .faxed(.init(pages: 1, sender: nil)),
        .noted(.init(text: "b")),
      ])
  }

  @Test(arguments: [false, true]) func `an explanation says that the stage retains it`(migrated: Bool)
    async throws
  {
    try await seed()
    let explanation = try office(migrated: migrated).explain(1)
    #expect(explanation.removal == nil && explanation.failure == nil && explanation.now.isEmpty)
    #expect(explanation.events.map(\.type) == ["Faxed"])
    #expect(explanation.steps.map { $0.crossings.map(\.fate.outcome) } == [[.retained]])
    let text = "\(explanation)"
    #expect(text.contains("1.0.0 -> 2.0.0\n  Faxed: Retain, stays in the log as it is stored"), "\(text)")
    #expect(text.hasSuffix("now, version 2.0.0\n  nothing: no event of it is delivered"), "\(text)")
  }

  @Test func `a payload that cannot be decoded stops no reader`() async throws {
    try await EventLog(at: place.url).append(
      [
        NewEntry(type: "Faxed", version: v1, payload: try Payload(["pages": "three"])),
        NewEntry(type: "Noted", version: v1, payload: try Payload(["text": "a"])),
      ], to: "desk")
    let store = try office(migrated: true)
    #expect(try store.events() == [.noted(.init(text: "a", by: nil))])
    #expect(try store.log.counts() == ["1.0.0 Faxed": 1, "2.0.0 Noted": 1])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a retained record never runs through earlier stages`() async throws {
    let first = try EventStore(at: place.url, plan: FirstOffice.self)
    try await first.append([.faxed(.init(pages: -1, sender: nil)), .noted(.init(text: "a"))], to: "desk")
    // The rule of the earlier stage throws for it.
    let second = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: SecondPost.self).events()
    }
    #expect(second?.code == .ruleFailed)
    let store = try EventStore(at: place.url, plan: Post.self)
    #expect(try store.events() == [.noted(.init(text: "a", by: nil))])
    _ = try store.migrate().join()
    #expect(try store.log.counts() == ["1.0.0 Faxed": 1, "3.0.0 Noted": 1])
  }
}
