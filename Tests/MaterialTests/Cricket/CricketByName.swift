import Annals

/// A record that is stored by the names of coding keys, with the fields of one that is stored by its shape.
protocol StoredByName: Record, Codable {
  associatedtype Fields: Codable & Sendable
  var fields: Fields { get }
  init(fields: Fields)
}

extension StoredByName {
  init(from decoder: any Decoder) throws {
    self.init(fields: try Fields(from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try fields.encode(to: encoder)
  }
}

/// The format of 2011 to 2017 without shapes.
@Schema(1, 0, 0) enum CricketByNameV1 {
  struct MatchStarted: Record, StoredByName { let fields: CricketV1.MatchStarted }
  struct InningsStarted: Record, StoredByName { let fields: CricketV1.InningsStarted }
  struct DeliveryBowled: Record, StoredByName { let fields: CricketV1.DeliveryBowled }
}

/// The format of 2021 on without shapes.
@Schema(2, 0, 0) enum CricketByNameV2 {
  struct MatchStarted: Record, StoredByName { let fields: CricketV2.MatchStarted }
  struct InningsStarted: Record, StoredByName { let fields: CricketV2.InningsStarted }
  struct DeliveryBowled: Record, StoredByName { let fields: CricketV2.DeliveryBowled }
}

/// From the format of 2011 to that of 2021, without shapes.
enum CricketByNamePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CricketByNameV1, CricketByNameV2> {
    MigrationStage.custom(fromVersion: CricketByNameV1.self, toVersion: CricketByNameV2.self) {
      Upcast(\.matchStarted, to: \.matchStarted) { old, _ in .init(fields: .init(old.fields)) }
      Upcast(\.inningsStarted, to: \.inningsStarted) { old, _ in .init(fields: .init(old.fields)) }
      Upcast(\.deliveryBowled, to: \.deliveryBowled) { old, _ in .init(fields: try .init(old.fields)) }
    }
  }
}
