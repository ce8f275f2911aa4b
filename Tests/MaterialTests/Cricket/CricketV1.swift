import Annals

/// Cricket matches, ball by ball, in the format of 2011 to 2017.
///
/// Fields are named as the data names them. Every type is also `Codable`, so that the same data can be read
/// by the names of coding keys.
@Schema(1, 0, 0) enum CricketV1 {
  @Record struct MatchStarted: Codable {
    var meta: Match.Meta
    var info: Info
  }

  @Record struct InningsStarted: Codable {
    var innings: Int
    var name: String
    var team: String
    var absent_hurt: [String]?
  }

  @Record struct DeliveryBowled: Codable {
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

  @Value struct Info: Codable {
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

  @Value struct Runs: Codable {
    var batsman: Int
    var extras: Int
    var total: Int
    /// Four or five runs that the batters ran. It is stored by name, because it has either type.
    @Field("non_boundary") var nonBoundary: Either<Int, Bool>?

    enum CodingKeys: String, CodingKey {
      case batsman, extras, total
      case nonBoundary = "non_boundary"
    }
  }

  @Value struct Wicket: Codable {
    var kind: String
    @Field("player_out") var playerOut: String
    var fielders: [String]?

    enum CodingKeys: String, CodingKey {
      case kind, fielders
      case playerOut = "player_out"
    }
  }

  @Value struct Supersub: Codable {
    var `in`: String
    var out: String
    var team: String
  }
}

/// The types that both formats share.
enum Match {
  @Value struct Meta: Codable {
    var data_version: String
    var created: String
    var revision: Int
  }

  @Value struct Outcome: Codable {
    @Value struct Margin: Codable {
      var runs: Int?
      var wickets: Int?
    }
    var by: Margin?
    var eliminator: String?
    var method: String?
    var result: String?
    var winner: String?
  }

  @Value struct Toss: Codable {
    var decision: String
    var winner: String
  }

  @Value struct Extras: Codable {
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
