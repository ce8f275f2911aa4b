import Annals
import Foundation
import Testing

/// The hardest cases of migration guides. They read the same from older events, from a mixed log, and after a
/// pass.
@Suite struct GuideTests {
  /// Checks a case: a log of the older version, a plan, and the events appended with it after the activation.
  private func expectOneReading<Older: VersionedSchema, Plan: SchemaMigrationPlan>(
    of older: [Older.Event], as schema: Older.Type, through plan: Plan.Type, then newer: [Plan.Current.Event],
    _ check: ([Plan.Current.Event]) throws -> Void
  ) async throws where Plan.Current.Event: Equatable {
    let place = try TemporaryStore()
    for (index, event) in older.enumerated() {
      try await place.write([event], as: schema, to: StreamName("stream-\(index % 3)"))
    }
    let onRead = try place.read(plan, activating: true)
    try check(onRead)
    let store = try EventStore(at: place.url, plan: plan)
    try await store.append(newer, to: "stream-1")
    #expect(try place.read(plan) == onRead + newer)
    let report = try await store.migrate().report()
    #expect(report.isDone)
    #expect(try place.read(plan) == onRead + newer)
    #expect(try await store.migrate().report().isDone == false)
  }

  // Promise P97.
  @Test
  func `parks and cities: one city for each name, parks of one name stay two, an unknown city stays unknown`()
    async throws
  {
    let parks: [ParksV1.Event] = [
      .parkAdded(.init(name: "Victoria", city: "Bath")), .parkAdded(.init(name: "Victoria", city: " bath")),
      .parkAdded(.init(name: "Somewhere", city: nil)), .parkAdded(.init(name: "Hyde", city: "London")),
      .parkAdded(.init(name: "Victoria", city: "London")),
    ]
    let newer = ParksV2.Event.parkAdded(.init(name: "New", city: nil))
    try await expectOneReading(of: parks, as: ParksV1.self, through: ParkPlan.self, then: [newer]) { events in
      let cities = events.compactMap { if case .cityAdded(let city) = $0 { city } else { nil } }
      #expect(cities.map(\.name) == ["Bath", "London"])
      #expect(Set(cities.map(\.id)).count == 2)
      let read = events.compactMap { if case .parkAdded(let park) = $0 { park } else { nil } }
      #expect(read.map(\.name) == ["Victoria", "Victoria", "Somewhere", "Hyde", "Victoria"])
      #expect(
        read.map(\.city) == [cities[0].id, cities[0].id, nil, cities[1].id, cities[1].id].map { $0 })
    }
  }

  // Promise P95.
  @Test func `duplicates are removed before a name has to be unique`() async throws {
    let books: [EditionsV1.Event] = ["Emma", "Emma ", "Dubliners", "Emma", " Dubliners"].map {
      .bookPrinted(.init(title: $0))
    }
    let newer = EditionsV2.Event.bookPrinted(.init(title: "Persuasion", edition: 1))
    try await expectOneReading(
      of: books, as: EditionsV1.self, through: DeduplicatingPlan.self, then: [newer]
    ) { events in
      let titles = events.map { if case .bookPrinted(let book) = $0 { book.title } else { "" } }
      #expect(titles == ["Emma", "Dubliners"])
    }
  }

  private static let team = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  private static let players: [TeamsV1.Event] = [
    .playerAdded(.init(name: "Early", team: team)), .teamFounded(.init(id: team, name: "Reds")),
    .playerAdded(
      .init(name: "Lost", team: UUID(uuid: (9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
    .playerAdded(.init(name: "Late", team: team)),
  ]

  // Promise P99.
  @Test func `players of no team lose their reference, or are dropped and counted`() async throws {
    let newer = TeamsV2.Event.teamMemberAdded(.init(name: "New", team: nil))
    try await expectOneReading(
      of: Self.players, as: TeamsV1.self, through: NullifyingTeamPlan.self, then: [newer]
    ) { events in
      #expect(
        events == [
          .teamMemberAdded(.init(name: "Early", team: Self.team)),
          .teamFounded(.init(id: Self.team, name: "Reds")), .teamMemberAdded(.init(name: "Lost", team: nil)),
          .teamMemberAdded(.init(name: "Late", team: Self.team)),
        ])
    }
    try await expectOneReading(
      of: Self.players, as: TeamsV1.self, through: DroppingTeamPlan.self, then: [newer]
    ) { events in #expect(events.count == 3) }
    let place = try TemporaryStore()
    try await place.write(Self.players, as: TeamsV1.self)
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: DroppingTeamPlan.self, options: options)
    let report = try await store.migrate().report()
    #expect(report.dropped.map(\.count) == [1])
  }
}
