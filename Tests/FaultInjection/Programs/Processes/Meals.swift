import Annals

/// The orders of a restaurant in their first version.
@Schema(1, 0, 0) enum MealsV1 {
  @Record struct Ordered {
    var guest: String
    var dishes: Int
  }
  @Record struct Pinged { var number: Int }
  @Record struct Noted {
    var who: String
    var text: String
  }
}

/// Each dish is an event of its own, and pings are no longer kept.
@Schema(2, 0, 0) enum MealsV2 {
  typealias Noted = MealsV1.Noted
  @Record struct Served {
    var guest: String
    var dish: Int
  }
}

/// The plan that creates the stores.
enum FirstMeals: SchemaMigrationPlan {
  static var stages: MigrationChain<MealsV1, MealsV1> {}
}

/// Splits one record, drops one, and leaves one unchanged.
enum Meals: SchemaMigrationPlan {
  static var stages: MigrationChain<MealsV1, MealsV2> {
    MigrationStage.custom(fromVersion: MealsV1.self, toVersion: MealsV2.self) {
      Split(\.ordered, into: [\.served]) { old, _ in
        (0..<old.dishes).map { .served(.init(guest: old.guest, dish: $0)) }
      }
      Drop(\.pinged, reason: "noise")
    }
  }
}

extension MealsV2.Event {
  /// The event in words.
  var text: String {
    switch self {
    case .noted(let event): "noted \(event.who) \(event.text.utf8.count)"
    case .served(let event): "served \(event.guest) \(event.dish)"
    }
  }
}
