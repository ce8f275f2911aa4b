import Annals

/// Results that learn their rank from the whole log.
@Schema(1, 0, 0) enum RanksV1 {
  @Record struct Scored: Equatable { var points: Int }
}
@Schema(2, 0, 0) enum RanksV2 {
  @Record struct Ranked: Equatable {
    var points: Int
    var rank: Int
  }
}
extension RanksV2.Event: Equatable {}
extension RanksV1.Scored {
  static var samples: [Self] { [.init(points: 3), .init(points: 8), .init(points: 5)] }
}
extension RanksV2.Ranked {
  static var samples: [Self] { [.init(points: 1, rank: 1)] }
}

enum RanksPlan: SchemaMigrationPlan {
  struct Standing: Codable, Sendable { var points: [Int] }
  struct OutOfOrder: Error {}

  static var stages: MigrationChain<RanksV1, RanksV2> {
    MigrationStage.custom(
      fromVersion: RanksV1.self, toVersion: RanksV2.self,
      prepare: { (history: StageHistory<RanksV1.Event>) throws -> Standing in
        let points = try history.reduce(into: [Int]()) { points, entry in
          switch entry.event {
          case .scored(let score): points.append(score.points)
          }
        }
        return Standing(points: points.sorted(by: >))
      },
      verify: { old, new in
        let count = try old.reduce(into: 0) { count, _ in count += 1 }
        let ranks = try new.reduce(into: [Int]()) { ranks, entry in
          switch entry.event {
          case .ranked(let ranked): ranks.append(ranked.rank)
          }
        }
        guard ranks.sorted() == Array(1...count) else { throw OutOfOrder() }
      }
    ) {
      Upcast(\.scored, to: \.ranked) { old, origin, standing in
        .init(points: old.points, rank: 1 + (standing.points.firstIndex(of: old.points) ?? 0))
      }
    }
  }
}
