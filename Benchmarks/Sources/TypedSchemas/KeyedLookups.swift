public import Annals

/// A rule that looks something up in a context of a million keys, for each event another one.
public enum KeyedLookups: SchemaMigrationPlan {
  /// How many keys there are.
  public static let keys: UInt64 = 1_000_000

  /// A key from which the next one cannot be predicted.
  ///
  /// The position is multiplied by an odd number modulo a power of two, and then brought into range.
  static func key(at position: Position) -> UInt64 {
    (position.rawValue &* 0x9e37_79b9_7f4a_7c15) >> 32 % keys
  }

  public static var stages: MigrationChain<Stored, Upcast2> {
    MigrationStage.custom(
      fromVersion: Stored.self, toVersion: Upcast2.self,
      prepare: { _ in
        try KeyedContext(Dictionary(uniqueKeysWithValues: (0..<keys).map { ($0, $0 &* 3) }))
      }
    ) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin, triples in
        guard let triple = try triples[key(at: origin.position)] else { throw MissingKey() }
        return .init(
          title: old.title, reps: old.reps + Int(triple & 1), sets: old.sets, weight: old.weight,
          notes: old.notes, at: old.at)
      }
    }
  }

  struct MissingKey: Error {}
}

/// The same rule without the look-up.
public enum NoLookups: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Upcast2> {
    MigrationStage.custom(fromVersion: Stored.self, toVersion: Upcast2.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + Int(KeyedLookups.key(at: origin.position) & 1), sets: old.sets,
          weight: old.weight, notes: old.notes, at: old.at)
      }
    }
  }
}
