public import Annals

/// The event after 1 lightweight stages.
@Schema(2, 0, 0) public enum Light2 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 2 lightweight stages.
@Schema(3, 0, 0) public enum Light3 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "title") public var label: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 3 lightweight stages.
@Schema(4, 0, 0) public enum Light4 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "label") public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 4 lightweight stages.
@Schema(5, 0, 0) public enum Light5 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "title") public var label: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 5 lightweight stages.
@Schema(6, 0, 0) public enum Light6 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "label") public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 6 lightweight stages.
@Schema(7, 0, 0) public enum Light7 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "title") public var label: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 7 lightweight stages.
@Schema(8, 0, 0) public enum Light8 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "label") public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 8 lightweight stages.
@Schema(9, 0, 0) public enum Light9 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "title") public var label: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 9 lightweight stages.
@Schema(10, 0, 0) public enum Light10 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "label") public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}
/// The event after 10 lightweight stages.
@Schema(11, 0, 0) public enum Light11 {
  @Record public struct SetLogged: Equatable {
    @Field(originalName: "title") public var label: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
    public var place: String?
  }
}

/// A field is added.
public enum OneLight: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Light2> {
    MigrationStage.lightweight(fromVersion: Stored.self, toVersion: Light2.self)
  }
}

/// A field is added, and then another renamed nine times.
public enum TenLight: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Light11> {
    MigrationStage.lightweight(fromVersion: Stored.self, toVersion: Light2.self)
    MigrationStage.lightweight(fromVersion: Light2.self, toVersion: Light3.self)
    MigrationStage.lightweight(fromVersion: Light3.self, toVersion: Light4.self)
    MigrationStage.lightweight(fromVersion: Light4.self, toVersion: Light5.self)
    MigrationStage.lightweight(fromVersion: Light5.self, toVersion: Light6.self)
    MigrationStage.lightweight(fromVersion: Light6.self, toVersion: Light7.self)
    MigrationStage.lightweight(fromVersion: Light7.self, toVersion: Light8.self)
    MigrationStage.lightweight(fromVersion: Light8.self, toVersion: Light9.self)
    MigrationStage.lightweight(fromVersion: Light9.self, toVersion: Light10.self)
    MigrationStage.lightweight(fromVersion: Light10.self, toVersion: Light11.self)
  }
}
