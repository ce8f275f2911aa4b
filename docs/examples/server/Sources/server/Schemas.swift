import Annals

/// The version of the servers that run today.
@Schema(1, 0, 0) enum ScalesV1 {
  @Record struct Weighed {
    var parcel: String
    var pounds: Double
  }
}

/// The next version weighs in kilograms. As a bridge, it stores what the older servers can read until they are gone.
@Schema(2, 0, 0, .bridge) enum ScalesV2 {
  @Record struct Weighed {
    var parcel: String
    var kilograms: Double
  }
}

enum OldPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ScalesV1, ScalesV1> {}
}

enum NewPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ScalesV1, ScalesV2> {
    MigrationStage.custom(fromVersion: ScalesV1.self, toVersion: ScalesV2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in
        .init(parcel: old.parcel, kilograms: old.pounds * 0.45359237)
      }
      Downcast(\.weighed, to: \.weighed, losing: \.kilograms) { new in
        .init(parcel: new.parcel, pounds: new.kilograms / 0.45359237)
      }
    }
  }
}
