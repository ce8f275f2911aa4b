import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// The mapping from the older format to the newer one, field by field, on an invented match.
@Suite struct CricketSliceTests {
  /// The current reading of the event `data` of type `type` in version `version`. It is the same by names of
  /// coding keys and by shape.
  private func today(_ type: String, _ version: Int, _ data: String) async throws -> CBOR {
    let place = try TemporaryStore()
    let line =
      #"{"stream":"match/1","type":"\#(type)","v":\#(version),"ts":"2010-03-04","data":\#(data)}"#
    try await CricketLog.append([Array(line.utf8)], to: EventLog(at: place.url))
    var lines: [CBOR] = []
    try CricketLog.lines(of: EventStore(at: place.url, plan: CricketPlan.self)) { line in
      lines.append(try JSONReader.value(of: line.span))
    }
    try CricketLog.lines(of: EventStore(at: place.url, plan: CricketByNamePlan.self)) { line in
      lines.append(try JSONReader.value(of: line.span))
    }
    try #require(lines.count == 2)
    #expect(lines[0] == lines[1])
    #expect(lines[0]["type"] == .text(type))
    return try #require(lines[0]["data"])
  }

  private func value(_ json: String) throws -> CBOR {
    let bytes = Array(json.utf8)
    return try JSONReader.value(of: bytes.span)
  }

  /// An ordinary delivery except for `fields`.
  private func delivery(_ fields: String) -> String {
    #"{"innings":1,"ball":"0.1","batsman":"A Batter","bowler":"A Bowler","non_striker":"B Batter","runs":{"batsman":0,"extras":0,"total":0}\#(fields)}"#
  }

  /// The reading of ``delivery(_:)`` with `fields`.
  private func delivered(_ fields: String) -> String {
    #"{"innings":1,"over":0,"ball":1,"batter":"A Batter","bowler":"A Bowler","non_striker":"B Batter","runs":{"batter":0,"extras":0,"total":0}\#(fields)}"#
  }

  @Test(arguments: [("0.1", 0, 1), ("0.10", 0, 10), ("19.6", 19, 6), ("7.12", 7, 12)])
  func `a ball becomes over and ball`(text: String, over: UInt64, ball: UInt64) async throws {
    let old = delivery("").replacing("0.1", with: text)
    let event = try await today("DeliveryBowled", 1, old)
    #expect(event["over"] == .unsigned(over))
    #expect(event["ball"] == .unsigned(ball))
    #expect(event["batter"] == .text("A Batter"))
    #expect(event["batsman"] == nil)
  }

  @Test(arguments: ["", "7", "a.b", "1.2.3", "1."])
  func `a ball that is none stops the reader at that delivery`(text: String) async throws {
    let error = await #expect(throws: AnnalsError.self) {
      try await today("DeliveryBowled", 1, delivery("").replacing("0.1", with: text))
    }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 1)
    #expect(error?.details.type == "DeliveryBowled")
    #expect(error?.underlying as? UnknownBall == UnknownBall())
  }

  @Test func `runs keep the fields that they do not rename`() async throws {
    let old = #"{"batsman":5,"extras":1,"total":6,"non_boundary":1}"#
    let event = try await today(
      "DeliveryBowled", 1,
      delivery("").replacing(#"{"batsman":0,"extras":0,"total":0}"#, with: old))
    #expect(event["runs"] == (try value(#"{"batter":5,"extras":1,"total":6,"non_boundary":1}"#)))
  }

  @Test(
    arguments: [
      (
        #","extras":{"wides":5,"penalty":5}"#, #","extras":{"wides":5,"penalty":5}"#
      ),
      (
        #","wicket":{"kind":"bowled","player_out":"A Batter"}"#,
        #","wickets":[{"kind":"bowled","player_out":"A Batter"}]"#
      ),
      (
        #","wicket":{"kind":"run out","player_out":"B Batter","fielders":["A Fielder","B Fielder (sub)","(sub)"]}"#,
        #","wickets":[{"kind":"run out","player_out":"B Batter","fielders":[{"name":"A Fielder"},{"name":"B Fielder","substitute":true},{"name":"(sub)"}]}]"#
      ),
      (
        #","supersub":[{"in":"A Player","out":"B Player","team":"A Team"}]"#,
        #","replacements":{"match":[{"in":"A Player","out":"B Player","team":"A Team","reason":"supersub"}]}"#
      ),
    ])
  func `a delivery's other fields are mapped or kept`(old: String, new: String) async throws {
    #expect(try await today("DeliveryBowled", 1, delivery(old)) == (try value(delivered(new))))
  }

  @Test(
    arguments: [
      (#"{"innings":1,"name":"1st innings","team":"A Team"}"#, #"{"innings":1,"team":"A Team"}"#),
      (
        #"{"innings":3,"name":"A Team Super Over","team":"A Team","absent_hurt":["A Player"]}"#,
        #"{"innings":3,"team":"A Team","super_over":true,"absent_hurt":["A Player"]}"#
      ),
    ])
  func `an innings loses its name and may become a super over`(old: String, new: String) async throws {
    #expect(try await today("InningsStarted", 1, old) == (try value(new)))
  }

  @Test func `a club match has an event and officials`() async throws {
    let old =
      #"{"meta":{"data_version":"0.7","created":"2010-03-05","revision":2},"info":{"competition":"IPL","dates":["2010-03-04"],"gender":"female","match_type":"T20","neutral_venue":1,"outcome":{"by":{"wickets":3},"winner":"B Team"},"overs":20,"player_of_match":["A Batter"],"teams":["A Team","B Team"],"toss":{"decision":"bat","winner":"A Team"},"umpires":["An Umpire","B Umpire"],"venue":"A Ground"}}"#
    let new =
      #"{"meta":{"data_version":"0.7","created":"2010-03-05","revision":2},"info":{"balls_per_over":6,"team_type":"club","event":{"name":"Indian Premier League"},"dates":["2010-03-04"],"gender":"female","match_type":"T20","neutral_venue":1,"outcome":{"by":{"wickets":3},"winner":"B Team"},"overs":20,"player_of_match":["A Batter"],"teams":["A Team","B Team"],"toss":{"decision":"bat","winner":"A Team"},"officials":{"umpires":["An Umpire","B Umpire"]},"venue":"A Ground"}}"#
    #expect(try await today("MatchStarted", 1, old) == (try value(new)))
  }

  @Test func `a match without a competition is an international one`() async throws {
    let old =
      #"{"meta":{"data_version":"0.7","created":"2010-03-05","revision":1},"info":{"city":"A City","dates":["2010-03-04"],"gender":"male","match_type":"T20","outcome":{"result":"tie","eliminator":"A Team","method":"D/L"},"overs":20,"teams":["A Team","B Team"],"toss":{"decision":"field","winner":"A Team"},"venue":"A Ground"}}"#
    let new =
      #"{"meta":{"data_version":"0.7","created":"2010-03-05","revision":1},"info":{"balls_per_over":6,"team_type":"international","city":"A City","dates":["2010-03-04"],"gender":"male","match_type":"T20","outcome":{"result":"tie","eliminator":"A Team","method":"D/L"},"overs":20,"teams":["A Team","B Team"],"toss":{"decision":"field","winner":"A Team"},"venue":"A Ground"}}"#
    #expect(try await today("MatchStarted", 1, old) == (try value(new)))
  }

  @Test(
    arguments: [
      (
        "DeliveryBowled",
        #"{"innings":2,"over":3,"ball":7,"batter":"A Batter","bowler":"A Bowler","non_striker":"B Batter","runs":{"batter":5,"extras":0,"total":5,"non_boundary":true},"wickets":[{"kind":"caught","player_out":"A Batter","fielders":[{"name":"A Fielder","substitute":true}]}],"replacements":{"role":[{"in":"C Bowler","reason":"injury","role":"bowler"}]},"review":{"batter":"A Batter","by":"A Team","decision":"struck down","umpire":"An Umpire","umpires_call":true}}"#
      ),
      (
        "InningsStarted",
        #"{"innings":2,"team":"A Team","target":{"overs":20,"runs":150},"powerplays":[{"from":0.1,"to":5.6,"type":"mandatory"}],"miscounted_overs":{"11":{"balls":7,"umpire":"An Umpire"}}}"#
      ),
      (
        "MatchStarted",
        #"{"meta":{"data_version":"1.0.0","created":"2022-03-05","revision":1},"info":{"balls_per_over":6,"team_type":"club","season":"2020/21","dates":["2022-03-04"],"event":{"name":"A Cup","match_number":3},"gender":"male","match_type":"T20","outcome":{"winner":"A Team"},"overs":20,"players":{"A Team":["A Batter"],"B Team":["B Batter"]},"registry":{"people":{"A Batter":"00000001"}},"officials":{"match_referees":["A Referee"]},"teams":["A Team","B Team"],"toss":{"decision":"bat","winner":"A Team"},"venue":"A Ground"}}"#
      ),
    ])
  func `an event of the newer format reads as it is`(type: String, json: String) async throws {
    #expect(try await today(type, 2, json) == (try value(json)))
  }
}
