import Annals

/// Cricket matches, ball by ball, in the format of 2011 to 2017.
///
/// Fields are named as the data names them.
@Schema(1, 0, 0) enum CricketV1 {
  struct MatchStarted: Record, Codable {
    var meta: Match.Meta
    var info: Info
  }

  struct InningsStarted: Record, Codable {
    var innings: Int
    var name: String
    var team: String
    var absent_hurt: [String]?
  }

  struct DeliveryBowled: Record, Codable {
    var innings: Int
    /// The over and the ball: `0.10` is ball 10 of over 0.
    var ball: String
    var batsman: String
    var bowler: String
    var non_striker: String
    var runs: Runs
    var extras: Match.Extras?
    var wicket: Wicket?
    var supersub: [Supersub]?
  }

  struct Info: Codable, Sendable {
    var city: String?
    var competition: String?
    var dates: [String]
    var gender: String
    var match_type: String
    var neutral_venue: Int?
    var outcome: Match.Outcome
    var overs: Int
    var player_of_match: [String]?
    var teams: [String]
    var toss: Match.Toss
    var umpires: [String]?
    var venue: String
  }

  struct Runs: Codable, Sendable {
    var batsman: Int
    var extras: Int
    var total: Int
    var non_boundary: Either<Int, Bool>?
  }

  struct Wicket: Codable, Sendable {
    var kind: String
    var player_out: String
    var fielders: [String]?
  }

  struct Supersub: Codable, Sendable {
    var `in`: String
    var out: String
    var team: String
  }
}

/// What both formats have in common.
enum Match {
  struct Meta: Codable, Sendable {
    var data_version: String
    var created: String
    var revision: Int
  }

  struct Outcome: Codable, Sendable {
    struct Margin: Codable, Sendable {
      var runs: Int?
      var wickets: Int?
    }
    var by: Margin?
    var eliminator: String?
    var method: String?
    var result: String?
    var winner: String?
  }

  struct Toss: Codable, Sendable {
    var decision: String
    var winner: String
  }

  struct Extras: Codable, Sendable {
    var byes: Int?
    var legbyes: Int?
    var noballs: Int?
    var penalty: Int?
    var wides: Int?
  }
}

/// A field that is of one type in some events and of another in others.
enum Either<First: Codable & Sendable, Second: Codable & Sendable>: Codable, Sendable {
  case first(First)
  case second(Second)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = .first(try container.decode(First.self))
    } catch {
      self = .second(try container.decode(Second.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .first(let value): try container.encode(value)
    case .second(let value): try container.encode(value)
    }
  }
}
