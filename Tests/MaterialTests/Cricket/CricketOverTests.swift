import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Eleven years of cricket, whose deliveries are folded into overs. The scores do not change.
///
/// Skipped where the matches or `python3` are absent; a debug build takes every twentieth match.
@Suite(
  .serialized, .enabled(if: CricketMatches.isThere, "the matches, or python3 for their judge, are absent"))
struct CricketOverTests {
  private let place: TemporaryStore
  private let matches: CricketMatches

  init() throws {
    place = try TemporaryStore()
    matches = try CricketMatches(in: place.directory)
  }

  /// The score of an innings.
  private struct Score: Equatable {
    var runs = 0
    var wickets = 0
    var legal = 0
    var deliveries = 0
  }

  /// Match and innings.
  private struct Innings: Hashable {
    let match: Substring
    let number: Int
  }

  /// The scores in the file next to the matches.
  private func published() throws -> [Innings: Score] {
    let text = try String(contentsOf: matches.scores, encoding: .utf8)
    var scores: [Innings: Score] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let numbers = fields.map { Int($0) ?? 0 }
      scores[Innings(match: fields[0], number: numbers[1])] = Score(
        runs: numbers[3], wickets: numbers[4], legal: numbers[5], deliveries: numbers[6])
    }
    return scores
  }

  /// The scores that the overs of a store add up to, and the number of overs.
  private func scores(
    _ store: EventStore<CricketOverPlan>
  ) throws -> (scores: [Innings: Score], overs: Int) {
    try store.read { (snapshot) throws(AnnalsError) in
      var scores: [Innings: Score] = [:]
      var overs = 0
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let match = entry.stream.text.drop { $0 != "/" }.dropFirst()
        switch entry.event {
        case .matchStarted: continue
        case .inningsStarted(let innings): scores[Innings(match: match, number: innings.innings)] = Score()
        case .overBowled(let over):
          overs += 1
          let innings = Innings(match: match, number: over.innings)
          scores[innings, default: Score()].runs += over.runs
          scores[innings, default: Score()].wickets += over.wickets
          scores[innings, default: Score()].legal += over.legal
          scores[innings, default: Score()].deliveries += over.deliveries
        }
      }
      return (scores, overs)
    }
  }

  @Test func `deliveries folded into overs give the scores of every innings, before and after a pass`()
    async throws
  {
    let log = try EventLog(at: place.url)
    try await CricketLog.append(CricketLog.chunks(of: matches.log), to: log)
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: CricketOverPlan.self, options: options)
    let (read, overs) = try scores(store)
    let published = try published()
    #expect(read.count > 50 && overs > 1_000)
    for (innings, score) in read { #expect(score == published[innings], "\(innings)") }
    let report = try await store.migrate().report()
    #expect(report.isDone && report.folded > UInt64(overs) * 4)
    let (after, oversAfter) = try scores(store)
    #expect(after == read && oversAfter == overs)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
