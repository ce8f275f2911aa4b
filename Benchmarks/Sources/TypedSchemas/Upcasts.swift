public import Annals

/// The event after 1 rules.
@Schema(2, 0, 0) public enum Upcast2 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 2 rules.
@Schema(3, 0, 0) public enum Upcast3 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 3 rules.
@Schema(4, 0, 0) public enum Upcast4 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 4 rules.
@Schema(5, 0, 0) public enum Upcast5 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 5 rules.
@Schema(6, 0, 0) public enum Upcast6 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 6 rules.
@Schema(7, 0, 0) public enum Upcast7 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 7 rules.
@Schema(8, 0, 0) public enum Upcast8 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 8 rules.
@Schema(9, 0, 0) public enum Upcast9 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 9 rules.
@Schema(10, 0, 0) public enum Upcast10 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}
/// The event after 10 rules.
@Schema(11, 0, 0) public enum Upcast11 {
  @Record public struct SetLogged: Equatable {
    public var title: String
    public var reps: Int
    public var sets: Int
    public var weight: Double
    public var notes: String?
    public var at: Double
  }
}

/// One rule.
public enum OneUpcast: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Upcast2> {
    MigrationStage.custom(fromVersion: Stored.self, toVersion: Upcast2.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
  }
}

/// Ten rules.
public enum TenUpcasts: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Upcast11> {
    MigrationStage.custom(fromVersion: Stored.self, toVersion: Upcast2.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast2.self, toVersion: Upcast3.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast3.self, toVersion: Upcast4.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast4.self, toVersion: Upcast5.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast5.self, toVersion: Upcast6.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast6.self, toVersion: Upcast7.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast7.self, toVersion: Upcast8.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast8.self, toVersion: Upcast9.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast9.self, toVersion: Upcast10.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
    MigrationStage.custom(fromVersion: Upcast10.self, toVersion: Upcast11.self) {
      Upcast(\.setLogged, to: \.setLogged) { old, origin in
        .init(
          title: old.title, reps: old.reps + 1, sets: old.sets, weight: old.weight, notes: old.notes,
          at: old.at)
      }
    }
  }
}
