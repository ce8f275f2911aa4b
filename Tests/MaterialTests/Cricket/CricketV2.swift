import Annals

/// Cricket matches, ball by ball, in the format of 2021 on.
@Schema(2, 0, 0) enum CricketV2 {
  @Record struct MatchStarted: Codable {
    var meta: Match.Meta
    var info: Info
  }

  @Record struct InningsStarted: Codable {
    var innings: Int
    var team: String
    var super_over: Bool?
    var absent_hurt: [String]?
    var miscounted_overs: [String: MiscountedOver]?
    var powerplays: [Powerplay]?
    var target: Target?
  }

  @Record struct DeliveryBowled: Codable {
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

  @Value struct Info: Codable {
    @Value struct Event: Codable {
      var name: String
      var match_number: Int?
      var stage: String?
    }
    @Value struct Officials: Codable {
      var umpires: [String]?
      var match_referees: [String]?
      var reserve_umpires: [String]?
      var tv_umpires: [String]?
    }
    @Value struct Registry: Codable {
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

  @Value struct MiscountedOver: Codable {
    var balls: Int
    var umpire: String?
  }

  @Value struct Powerplay: Codable {
    var from: Double
    var to: Double
    var type: String
  }

  @Value struct Target: Codable {
    var overs: Int
    var runs: Int
  }

  @Value struct Runs: Codable {
    var batter: Int
    var extras: Int
    var total: Int
    /// Four or five runs that the batters ran. It is stored by name, because it has either type.
    @Field("non_boundary") var nonBoundary: Either<Int, Bool>?

    enum CodingKeys: String, CodingKey {
      case batter, extras, total
      case nonBoundary = "non_boundary"
    }
  }

  @Value struct Wicket: Codable {
    @Value struct Fielder: Codable {
      var name: String
      var substitute: Bool?
    }
    var kind: String
    @Field("player_out") var playerOut: String
    var fielders: [Fielder]?

    enum CodingKeys: String, CodingKey {
      case kind, fielders
      case playerOut = "player_out"
    }
  }

  @Value struct Replacements: Codable {
    @Value struct Match: Codable {
      var `in`: String
      var out: String
      var team: String
      var reason: String
    }
    @Value struct Role: Codable {
      var `in`: String
      var out: String?
      var reason: String
      var role: String
    }
    var match: [Match]?
    var role: [Role]?
  }

  @Value struct Review: Codable {
    var batter: String
    var by: String
    var decision: String
    var umpire: String?
    var umpires_call: Bool?
  }
}
