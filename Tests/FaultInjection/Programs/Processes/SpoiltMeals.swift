import Annals

/// Plans of the same versions that fail.
enum RefusingMeals: SchemaMigrationPlan {
  struct NoTable: Error {}

  static var stages: MigrationChain<MealsV1, MealsV2> {
    MigrationStage.custom(fromVersion: MealsV1.self, toVersion: MealsV2.self) {
      Split(\.ordered, into: [\.served]) { old, _ in
        // One in the middle of the log.
        guard old.guest != "guest 25" else { throw NoTable() }
        return (0..<old.dishes).map { .served(.init(guest: old.guest, dish: $0)) }
      }
      Drop(\.pinged, reason: "noise")
    }
  }
}

/// A plan whose stage never finds the log unchanged.
enum DoubtingMeals: SchemaMigrationPlan {
  struct Doubt: Error {}

  static var stages: MigrationChain<MealsV1, MealsV2> {
    MigrationStage.custom(
      fromVersion: MealsV1.self, toVersion: MealsV2.self, verify: { _, _ in throw Doubt() },
      rules: {
        Split(\.ordered, into: [\.served]) { old, _ in
          (0..<old.dishes).map { .served(.init(guest: old.guest, dish: $0)) }
        }
        Drop(\.pinged, reason: "noise")
      })
  }
}
