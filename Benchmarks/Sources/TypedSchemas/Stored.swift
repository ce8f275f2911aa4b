public import Annals

/// The six-field event of every typed figure, as it is stored.
@Schema(1, 0, 0) public enum Stored {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}

/// The same event stored by the names of its fields, as `Codable` writes it.
@Schema(1, 0, 0) public enum ByName {
  public struct SetLogged: Record, Codable, Equatable {
    public static var recordName: String { "SetLogged" }
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double

    /// An event.
    public init(title: String, reps: Int, sets: Int, weight: Double, notes: String?, at: Double) {
      self.title = title
      self.reps = reps
      self.sets = sets
      self.weight = weight
      self.notes = notes
      self.at = at
    }
  }
}

/// A plan of one schema.
public enum Only<Schema: VersionedSchema>: SchemaMigrationPlan {
  public static var stages: MigrationChain<Schema, Schema> {}
}
