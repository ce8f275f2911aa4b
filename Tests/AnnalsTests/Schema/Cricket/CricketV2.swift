import Annals

/// Cricket matches, ball by ball, in the format of 2021 on.
@Schema(2, 0, 0) enum CricketV2 {
  struct MatchStarted: Record, Codable {
    var meta: Match.Meta
    var info: Info
  }

  struct InningsStarted: Record, Codable {
    var innings: Int
    var team: String
    var super_over: Bool?
    var absent_hurt: [String]?
    var miscounted_overs: [String: MiscountedOver]?
    var powerplays: [Powerplay]?
    var target: Target?
  }

  struct DeliveryBowled: Record, Codable {
    var innings: Int
    var over: Int
    var ball: Int
    var batter: String
    var bowler: String
    var non_striker: String
    var runs: Runs
    var extras: Match.Extras?
    var wickets: [Wicket]?
    var replacements: Replacements?
    var review: Review?
  }

  struct Info: Codable, Sendable {
    struct Event: Codable, Sendable {
      var name: String
      var match_number: Int?
      var stage: String?
    }
    struct Officials: Codable, Sendable {
      var umpires: [String]?
      var match_referees: [String]?
      var reserve_umpires: [String]?
      var tv_umpires: [String]?
    }
    struct Registry: Codable, Sendable {
      var people: [String: String]
    }
    var balls_per_over: Int
    var city: String?
    var dates: [String]
    var event: Event?
    var gender: String
    var match_type: String
    var neutral_venue: Int?
    var officials: Officials?
    var outcome: Match.Outcome
    var overs: Int
    var player_of_match: [String]?
    var players: [String: [String]]?
    var registry: Registry?
    var season: Either<Int, String>?
    var team_type: String
    var teams: [String]
    var toss: Match.Toss
    var venue: String
  }

  struct MiscountedOver: Codable, Sendable {
    var balls: Int
    var umpire: String?
  }

  struct Powerplay: Codable, Sendable {
    var from: Double
    var to: Double
    var type: String
  }

  struct Target: Codable, Sendable {
    var overs: Int
    var runs: Int
  }

  struct Runs: Codable, Sendable {
    var batter: Int
    var extras: Int
    var total: Int
    var non_boundary: Either<Int, Bool>?
  }

  struct Wicket: Codable, Sendable {
    struct Fielder: Codable, Sendable {
      var name: String
      var substitute: Bool?
    }
    var kind: String
    var player_out: String
    var fielders: [Fielder]?
  }

  struct Replacements: Codable, Sendable {
    struct Match: Codable, Sendable {
      var `in`: String
      var out: String
      var team: String
      var reason: String
    }
    struct Role: Codable, Sendable {
      var `in`: String
      var out: String?
      var reason: String
      var role: String
    }
    var match: [Match]?
    var role: [Role]?
  }

  struct Review: Codable, Sendable {
    var batter: String
    var by: String
    var decision: String
    var umpire: String?
    var umpires_call: Bool?
  }
}
