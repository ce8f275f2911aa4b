import Annals

/// Cricket matches, over by over.
@Schema(3, 0, 0) enum CricketV3 {
  typealias MatchStarted = CricketV2.MatchStarted
  typealias InningsStarted = CricketV2.InningsStarted

  @Record struct OverBowled: Codable, Equatable {
    var innings: Int
    var over: Int
    var deliveries: Int
    var legal: Int
    var runs: Int
    var wickets: Int
  }
}

/// From the format of 2011 through that of 2021 to overs.
enum CricketOverPlan: SchemaMigrationPlan {
  /// The kinds of dismissal that cost no wicket.
  static let notOut: Set<String> = ["retired hurt", "retired not out"]

  static var stages: MigrationChain<CricketV1, CricketV3> {
    MigrationStage.custom(fromVersion: CricketV1.self, toVersion: CricketV2.self) {
      Upcast(\.matchStarted, to: \.matchStarted) { old, _ in .init(old) }
      Upcast(\.inningsStarted, to: \.inningsStarted) { old, _ in .init(old) }
      Upcast(\.deliveryBowled, to: \.deliveryBowled) { old, _ in try .init(old) }
    }
    MigrationStage.custom(fromVersion: CricketV2.self, toVersion: CricketV3.self) {
      Fold(
        \.deliveryBowled, into: \.overBowled, grouping: { old, _ in [old.innings, old.over] },
        from: CricketV3.OverBowled(innings: 0, over: 0, deliveries: 0, legal: 0, runs: 0, wickets: 0)
      ) { over, old, _ in
        over.innings = old.innings
        over.over = old.over
        over.deliveries += 1
        if old.extras?.wides == nil, old.extras?.noballs == nil { over.legal += 1 }
        over.runs += old.runs.total
        over.wickets += (old.wickets ?? []).count { !notOut.contains($0.kind) }
      } result: { over, _ in
        over
      }
    }
  }
}
