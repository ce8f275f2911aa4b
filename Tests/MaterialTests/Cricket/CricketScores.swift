@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsProjections
@testable import AnnalsStore

/// The score of every innings.
enum CricketScores: Projection {
  typealias Event = CricketV2.Event
  @Record struct Score: ProjectionRow, Equatable {
    var match: String
    var innings: Int
    var team: String
    var runs: Int
    var wickets: Int
    var legalBalls: Int
    var deliveries: Int
    var isSuperOver: Bool

    var key: Keys<String, Int> { Keys(match, innings) }
    static let byTeam = SecondaryKey<Score, String>("team") { $0.team }
    static var secondaryKeys: [any DeclaredKey<Score>] { [byTeam] }
  }
  struct NotStarted: Error {}

  static let name = "scores"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Score.self)] }
  static var events: EventQuery<Event> { [\.inningsStarted, \.deliveryBowled] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let match = String(entry.stream.text.split(separator: "/").last ?? "")
    switch entry.event {
    case .inningsStarted(let started):
      try rows.put(
        Score(
          match: match, innings: started.innings, team: started.team, runs: 0, wickets: 0, legalBalls: 0,
          deliveries: 0, isSuperOver: started.super_over ?? false))
    case .deliveryBowled(let ball):
      guard var score = try rows.get(Score.self, Keys(match, ball.innings)) else { throw NotStarted() }
      score.runs += ball.runs.total
      score.wickets += ball.wickets?.count { !["retired hurt", "retired not out"].contains($0.kind) } ?? 0
      if ball.extras?.wides == nil, ball.extras?.noballs == nil { score.legalBalls += 1 }
      score.deliveries += 1
      try rows.put(score)
    case .matchStarted: break
    }
  }
}
