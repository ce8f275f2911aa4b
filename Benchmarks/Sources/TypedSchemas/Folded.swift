public import Annals

/// Six events in one.
@Schema(2, 0, 0) public enum Folded2 {
  @Record public struct SetsSummed: Equatable {
    public var title: String
    public var reps: Int
    public var weight: Double
    public var notes: String?
  }
}

/// A fold of six neighbours of a stream into one event.
public enum SixFolded: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Folded2> {
    MigrationStage.custom(fromVersion: Stored.self, toVersion: Folded2.self) {
      Fold(
        \.setLogged, into: \.setsSummed, grouping: { _, origin in origin.revision.rawValue / 6 },
        from: Folded2.SetsSummed(title: "", reps: 0, weight: 0, notes: nil)
      ) { sum, old, _ in
        sum.title = old.title
        sum.reps += old.reps
        sum.weight += old.weight
        sum.notes = old.notes
      } result: { sum, _ in
        sum
      }
    }
  }
}
