import Annals

/// The format of 2011 alone.
enum CricketFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<CricketV1, CricketV1> {}
}

/// From the format of 2011 to that of 2021.
enum CricketPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CricketV1, CricketV2> {
    MigrationStage.custom(fromVersion: CricketV1.self, toVersion: CricketV2.self) {
      Upcast(\.matchStarted, to: \.matchStarted) { old, _ in .init(old) }
      Upcast(\.inningsStarted, to: \.inningsStarted) { old, _ in .init(old) }
      Upcast(\.deliveryBowled, to: \.deliveryBowled) { old, _ in try .init(old) }
    }
  }
}

/// A delivery does not say its over and ball.
struct UnknownBall: Error, Equatable {}

extension CricketV2.MatchStarted {
  /// The beginning of a match as the newer format says it.
  init(_ old: CricketV1.MatchStarted) {
    self.init(meta: old.meta, info: .init(old.info))
  }
}

extension CricketV2.InningsStarted {
  /// The beginning of an innings as the newer format says it.
  init(_ old: CricketV1.InningsStarted) {
    self.init(
      innings: old.innings, team: old.team, super_over: old.name.hasSuffix(" Super Over") ? true : nil,
      absent_hurt: old.absent_hurt)
  }
}

extension CricketV2.DeliveryBowled {
  /// A delivery as the newer format says it.
  init(_ old: CricketV1.DeliveryBowled) throws(UnknownBall) {
    let parts = old.ball.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let over = Int(parts[0]), let ball = Int(parts[1]) else { throw UnknownBall() }
    self.init(
      innings: old.innings, over: over, ball: ball, batter: old.batsman, bowler: old.bowler,
      non_striker: old.non_striker, runs: .init(old.runs), extras: old.extras,
      wickets: old.wicket.map { [.init($0)] }, replacements: old.supersub.map { .init($0) })
  }
}

extension CricketV2.Info {
  fileprivate init(_ old: CricketV1.Info) {
    self.init(
      balls_per_over: 6, city: old.city, dates: old.dates,
      event: old.competition.map { .init(name: $0 == "IPL" ? "Indian Premier League" : $0) },
      gender: old.gender, match_type: old.match_type, neutral_venue: old.neutral_venue,
      officials: old.umpires.map { .init(umpires: $0) }, outcome: old.outcome, overs: old.overs,
      player_of_match: old.player_of_match, team_type: old.competition == nil ? "international" : "club",
      teams: old.teams, toss: old.toss, venue: old.venue)
  }
}

extension CricketV2.Runs {
  fileprivate init(_ old: CricketV1.Runs) {
    self.init(batter: old.batsman, extras: old.extras, total: old.total, nonBoundary: old.nonBoundary)
  }
}

extension CricketV2.Wicket {
  fileprivate init(_ old: CricketV1.Wicket) {
    let mark = " (sub)"
    self.init(
      kind: old.kind, playerOut: old.playerOut,
      fielders: old.fielders?.map { name in
        name.hasSuffix(mark)
          ? .init(name: String(name.dropLast(mark.count)), substitute: true) : .init(name: name)
      })
  }
}

extension CricketV2.Replacements {
  fileprivate init(_ old: [CricketV1.Supersub]) {
    self.init(match: old.map { .init(in: $0.in, out: $0.out, team: $0.team, reason: "supersub") })
  }
}
