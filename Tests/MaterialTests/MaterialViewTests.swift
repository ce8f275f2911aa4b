import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore

/// Views over real logs with known right answers; skipped where they are absent.
@Suite(.serialized) struct MaterialViewTests {
  /// The rows of a view at the end of the log.
  private func all<P: Projection, R: ProjectionRow, Plan>(
    _ type: R.Type, of projection: P.Type, in store: EventStore<Plan>
  ) async throws -> [R] where P.Event == Plan.Current.Event {
    let head = try #require(try store.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
    let view = try store.view(projection)
    try await view.waitUntil(head, timeout: .seconds(120))
    return try view.rows(RowQuery(type))
  }

  @Test(.enabled(if: RailsMaterial.isThere, "the log of the repository is absent"))
  func `a tree of files is git's own, incrementally, rebuilt, at another version, and after a pass`()
    async throws
  {
    let place = try TemporaryStore()
    let listings = RailsMaterial.listings
    let log = try EventLog(at: place.url)
    var store: EventStore<RailsPlan>? = try EventStore(at: place.url, plan: RailsPlan.self)
    do {
      let store = try #require(store)
      let view = try store.view(RailsTree.self)
      for (number, part) in try RailsMaterial.parts(in: place.directory).enumerated() {
        try await CricketLog.append([part], to: log)
        try await view.waitUntil(listings[number].position, timeout: .seconds(60))
        #expect(try view.rows(RowQuery(RailsTree.Listing.self)) == Array(listings[...number]))
        #expect(try view.count(RowQuery(RailsTree.File.self)) == listings[number].files)
      }
      try store.rebuild(RailsTree.self)
      #expect(try await all(RailsTree.Listing.self, of: RailsTree.self, in: store) == listings)
      #expect(try await all(RailsTree.Listing.self, of: RailsTreeV2.self, in: store) == listings)
    }
    // A pass rebuilds nothing, and a rebuild after it gives the same rows.
    let before = try await all(RailsTreeV2.File.self, of: RailsTreeV2.self, in: #require(store))
    _ = try await store?.migrate().report()
    #expect(
      try log.info().census.filter { $0.count > 0 }.allSatisfy {
        $0.version != RailsV1.version || $0.type == "CommitMade"
      })
    store = nil
    let migrated = try EventStore(at: place.url, plan: RailsPlan.self)
    let after = try await all(RailsTreeV2.File.self, of: RailsTreeV2.self, in: migrated)
    #expect(try payloads(after) == payloads(before))
    #expect(try migrated.view(RailsTreeV2.self).status().reason == nil)
    try migrated.rebuild(RailsTreeV2.self)
    #expect(try await all(RailsTree.Listing.self, of: RailsTreeV2.self, in: migrated) == listings)
    #expect(
      try payloads(await all(RailsTreeV2.File.self, of: RailsTreeV2.self, in: migrated)) == payloads(before))
  }

  @Test(.enabled(if: CricketMatches.isThere, "the matches, or python3 for their judge, are absent"))
  func `the scores of all innings are right, from older events and after the pass`() async throws {
    let place = try TemporaryStore()
    let matches = try CricketMatches(in: place.directory)
    try await CricketLog.append(CricketLog.chunks(of: matches.log), to: EventLog(at: place.url))
    let wanted = try scores(matches)
    let store = try EventStore(at: place.url, plan: CricketPlan.self)
    let before = try await all(CricketScores.Score.self, of: CricketScores.self, in: store)
    #expect(before.map(text).sorted() == wanted(before))
    _ = try await store.migrate().report()
    try store.rebuild(CricketScores.self)
    #expect(try await all(CricketScores.Score.self, of: CricketScores.self, in: store) == before)
  }

  /// The lines of the table for the available innings.
  private func scores(_ matches: CricketMatches) throws -> ([CricketScores.Score]) -> [String] {
    let lines = try String(contentsOf: matches.scores, encoding: .utf8).split(separator: "\n").dropFirst().map
    {
      $0.split(separator: "\t", omittingEmptySubsequences: false).prefix(8).joined(separator: "\t")
    }
    return { rows in
      let there = Set(rows.map(\.match))
      if CricketMatches.step == 1 { #expect(rows.count == 1_928) }
      return lines.filter { line in
        line.split(separator: "\t").first.map { there.contains(String($0)) } ?? false
      }.sorted()
    }
  }

  private func text(_ row: CricketScores.Score) -> String {
    "\(row.match)\t\(row.innings)\t\(row.team)\t\(row.runs)\t\(row.wickets)\t\(row.legalBalls)\t\(row.deliveries)\t\(row.isSuperOver ? 1 : 0)"
  }

  private func payloads<R: ProjectionRow>(_ rows: [R]) throws -> [[UInt8]] {
    try rows.map { row in
      var payload: [UInt8] = []
      try row.encode(into: &payload)
      return payload
    }
  }
}
