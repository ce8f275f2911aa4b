import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// The last weight in each stream, as the program of the first version folds it.
private enum WeighedFirst: InlineProjection {
  typealias Event = BridgeWeights1.Event
  @Record struct Weight: ProjectionRow {
    var stream: String
    var kilograms: Double
    var key: String { stream }
  }

  static let name = "weights"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Weight.self)] }
  static var events: EventQuery<Event> { [\.weighed] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    if weighed.pounds > 800 { throw Rejection("nobody weighs that much") }
    try rows.put(Weight(stream: entry.stream.text, kilograms: weighed.pounds / 2))
  }
}

/// The same of the second version's events.
private enum WeighedSecond: InlineProjection {
  typealias Event = BridgeWeights2.Event
  @Record struct Weight: ProjectionRow {
    var stream: String
    var kilograms: Double
    var key: String { stream }
  }

  static let name = "weights"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Weight.self)] }
  static var events: EventQuery<Event> { [\.weighed] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    if weighed.kilograms > 400 { throw Rejection("nobody weighs that much") }
    try rows.put(Weight(stream: entry.stream.text, kilograms: weighed.kilograms))
  }
}

/// The same by a program during whose fold an older program opens the store.
private enum WeighedMeanwhile: InlineProjection {
  typealias Event = BridgeWeights2.Event
  static let name = WeighedSecond.name
  static let version = WeighedSecond.version
  static var tables: [ProjectionTable] { WeighedSecond.tables }
  /// The store that the older program opens next.
  static let url = Mutex<URL?>(nil)
  /// The older program's store.
  static let older = Mutex<EventStore<BridgeWeightsPlan1>?>(nil)

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if let url = url.withLock({ $0.take() }) {
      let store = try EventStore(at: url, plan: BridgeWeightsPlan1.self)
      older.withLock { $0 = store }
    }
    try WeighedSecond.apply(entry, to: &rows)
  }
}

/// The names of parks, as the program of the first version folds them.
private enum ParkNames: InlineProjection {
  typealias Event = BridgeParks1.Event
  @Record struct Park: ProjectionRow {
    var name: String
    var key: String { name }
  }

  static let name = "parks"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Park.self)] }
  static var events: EventQuery<Event> { [\.parkAdded] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .parkAdded(let added) = entry.event else { return }
    try rows.put(Park(name: added.name))
  }
}

struct InlineRolloutTests {
  @Test func `An older program's open does not put its projection in force in a store with newer events`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let newer = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    try await newer.append([.parkAdded(.init(city: "Bath", name: "Royal", area: 1))], to: "p")
    var options = StoreOptions()
    options.activating = true
    let older = try EventStore(
      at: place.url, plan: BridgeParksPlan1.self, options: options, inline: [ParkNames.self])
    #expect(try older.log.inlineProjections().isEmpty)
    try await newer.append([.parkAdded(.init(city: nil, name: "Parade", area: 2))], to: "p")
    try await older.append([.parkAdded(.init(name: "Hedgemead", area: 3))], to: "p")
  }

  @Test func `An open does not put a projection in force while programs of another version append`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    func open() throws -> EventStore<BridgeWeightsPlan2> {
      var options = StoreOptions()
      options.activating = true
      return try EventStore(
        at: place.url, plan: BridgeWeightsPlan2.self, options: options, inline: [WeighedSecond.self])
    }
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      try await older.append([.weighed(.init(pounds: 100, note: "n"))], to: "b")
      let newer = try open()
      #expect(try newer.log.inlineProjections().isEmpty)
      try await newer.append([.weighed(.init(kilograms: 450))], to: "c")
      try await older.append([.weighed(.init(pounds: 80, note: "n"))], to: "b")
      try await newer.append([.weighed(.init(kilograms: 80))], to: "c")
    }
    // The projection does not accept one of these events.
    let error = #expect(throws: AnnalsError.self) { try open() }
    #expect(error?.code == .rejected && error?.details.position == 2)
  }

  @Test func `An older program that appears during the fold of an activation keeps it out of force`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      try await older.append([.weighed(.init(pounds: 100, note: "n"))], to: "a")
    }
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self, inline: [WeighedMeanwhile.self])
    WeighedMeanwhile.url.withLock { $0 = place.url }
    let error = #expect(throws: AnnalsError.self) { try newer.activate() }
    #expect(error?.code == .busy && error?.message.hasSuffix("nothing was changed") == true)
    #expect(try newer.log.inlineProjections().allSatisfy { $0.state == .building })
    #expect(try newer.log.phase(of: SchemaVersion(2, 0, 0)) == nil)
    let older = try #require(WeighedMeanwhile.older.withLock { $0.take() })
    try await older.append([.weighed(.init(pounds: 60, note: "n"))], to: "a")
    try await newer.append([.weighed(.init(kilograms: 35))], to: "a")
    #expect(try newer.activate(superseding: true).isActivated)
    let weight = try newer.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(WeighedMeanwhile.self).get(WeighedSecond.Weight.self, "a")?.kilograms
    }
    #expect(weight == 35)
    try expectAgreement(newer)
    withExtendedLifetime(older) {}
  }

  @Test("programs of two versions fold the same rows, also from entries stored in the older form")
  func rollout() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self, inline: [WeighedFirst.self])
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self, inline: [WeighedSecond.self])
    try await newer.append([.weighed(.init(kilograms: 80))], to: "a")
    try await older.append([.weighed(.init(pounds: 100, note: "n"))], to: "b")
    try await newer.append([.weighed(.init(kilograms: 70)), .walked(.init(steps: 9))], to: "b")
    #expect(try newer.log.storedKinds().allSatisfy { $0.hasSuffix("1.0.0") })
    for (kilograms, code) in [(450.0, AnnalsError.Code.rejected), (-1, .unrepresentable)] {
      let error = await #expect(throws: AnnalsError.self) {
        try await newer.append([.weighed(.init(kilograms: kilograms))], to: "c")
      }
      #expect(error?.code == code)
    }
    try expectAgreement(older)
    try expectAgreement(newer)
    let weight = try newer.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(WeighedSecond.self).get(WeighedSecond.Weight.self, "b")?.kilograms
    }
    #expect(weight == 70)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
