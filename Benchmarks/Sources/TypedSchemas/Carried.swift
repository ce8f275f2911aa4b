public import Annals

/// Carries the event into version 2.
@Schema(2, 0, 0) public enum Carried2 { public typealias SetLogged = Stored.SetLogged }
/// Carries the event into version 3.
@Schema(3, 0, 0) public enum Carried3 { public typealias SetLogged = Carried2.SetLogged }
/// Carries the event into version 4.
@Schema(4, 0, 0) public enum Carried4 { public typealias SetLogged = Carried3.SetLogged }
/// Carries the event into version 5.
@Schema(5, 0, 0) public enum Carried5 { public typealias SetLogged = Carried4.SetLogged }
/// Carries the event into version 6.
@Schema(6, 0, 0) public enum Carried6 { public typealias SetLogged = Carried5.SetLogged }
/// Carries the event into version 7.
@Schema(7, 0, 0) public enum Carried7 { public typealias SetLogged = Carried6.SetLogged }
/// Carries the event into version 8.
@Schema(8, 0, 0) public enum Carried8 { public typealias SetLogged = Carried7.SetLogged }
/// Carries the event into version 9.
@Schema(9, 0, 0) public enum Carried9 { public typealias SetLogged = Carried8.SetLogged }
/// Carries the event into version 10.
@Schema(10, 0, 0) public enum Carried10 { public typealias SetLogged = Carried9.SetLogged }
/// Carries the event into version 11.
@Schema(11, 0, 0) public enum Carried11 { public typealias SetLogged = Carried10.SetLogged }

/// Ten stages that change nothing.
public enum TenCarried: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Carried11> {
    MigrationStage.lightweight(fromVersion: Stored.self, toVersion: Carried2.self)
    MigrationStage.lightweight(fromVersion: Carried2.self, toVersion: Carried3.self)
    MigrationStage.lightweight(fromVersion: Carried3.self, toVersion: Carried4.self)
    MigrationStage.lightweight(fromVersion: Carried4.self, toVersion: Carried5.self)
    MigrationStage.lightweight(fromVersion: Carried5.self, toVersion: Carried6.self)
    MigrationStage.lightweight(fromVersion: Carried6.self, toVersion: Carried7.self)
    MigrationStage.lightweight(fromVersion: Carried7.self, toVersion: Carried8.self)
    MigrationStage.lightweight(fromVersion: Carried8.self, toVersion: Carried9.self)
    MigrationStage.lightweight(fromVersion: Carried9.self, toVersion: Carried10.self)
    MigrationStage.lightweight(fromVersion: Carried10.self, toVersion: Carried11.self)
  }
}
