import Foundation
import Testing

@testable import Annals

/// Inline projections as the first release wrote them: one to the end of the log, and one with a gap, because
/// a program without it had appended last.
@Suite struct InlineGoldenTests {
  private func open(_ place: TemporaryStore, isActivating: Bool = true) throws -> EventStore<GoldenClubPlan> {
    var options = StoreOptions(creation: .never, trust: .nobody)
    options.activating = isActivating
    return try EventStore(
      at: place.url, plan: GoldenClubPlan.self, options: options,
      inline: [GoldenMembers.self, GoldenVisits.self])
  }

  @Test func `The kept store is sound, and lists the gap`() throws {
    let place = try InlineGoldenStore.kept.copy()
    let report = try EventLog.verify(place.url)
    #expect(report.isClean && report.entries == 4)
    let infos = try place.open(StoreOptions(access: .readOnly)).inlineProjections()
    #expect(infos.map(\.name) == ["members", "visits"])
    #expect(infos.map(\.position) == [4, 2] && infos.map(\.lag) == [0, 2])
  }

  @Test func `An open that activates folds the gap of the kept store`() async throws {
    let place = try InlineGoldenStore.kept.copy()
    let store = try open(place)
    let visits = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(GoldenVisits.self).get(GoldenVisits.Visits.self, "ann")?.n
    }
    #expect(visits == 7)
    try expectAgreement(store)
    let taken = await #expect(throws: AnnalsError.self) {
      try await store.append([.joined(.init(name: "Bo"))], to: "other")
    }
    #expect(taken?.code == .rejected)
    try await store.append([.visited(.init(n: 1))], to: "bo")
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `Without an activation the projection with the gap counts as absent, and nothing is lost`()
    async throws
  {
    let place = try InlineGoldenStore.kept.copy()
    let store = try open(place, isActivating: false)
    let unread = #expect(throws: AnnalsError.self) {
      try store.read { (snapshot) throws(AnnalsError) in
        try snapshot.inline(GoldenVisits.self).get(GoldenVisits.Visits.self, "ann")?.n
      }
    }
    #expect(unread?.code == .requiresActivation)
    try await store.append([.visited(.init(n: 1))], to: "ann")
    let older = try EventStore(at: place.url, plan: GoldenClubPlan.self, inline: [GoldenMembers.self])
    try await older.append([.visited(.init(n: 2))], to: "ann")
    let activated = try open(place)
    let visits = try activated.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(GoldenVisits.self).get(GoldenVisits.Visits.self, "ann")?.n
    }
    #expect(visits == 10)
    try expectAgreement(activated)
    let refused = await #expect(throws: AnnalsError.self) {
      try await older.append([.visited(.init(n: 2))], to: "ann")
    }
    #expect(refused?.code == .superseded && refused?.message.contains("'visits'") == true)
  }

  @Test func `A compaction of the kept store loses no event, and an activation folds all of them`()
    async throws
  {
    let place = try InlineGoldenStore.kept.copy()
    #expect(try await place.open().compact().report().isDone)
    let store = try open(place)
    let visits = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(GoldenVisits.self).get(GoldenVisits.Visits.self, "ann")?.n
    }
    #expect(visits == 7)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `Every row of the kept store has the bytes that are written down`() throws {
    let kept = InlineGoldenStore.kept
    let place = try kept.copy()
    defer { withExtendedLifetime(place) {} }
    #expect(try GoldenStore.dump(place.url) == String(contentsOf: kept.rows, encoding: .utf8))
  }
}
