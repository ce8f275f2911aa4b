public import Annals

/// Version 2, with the event unchanged.
@Schema(2, 0, 0) public enum Carried2 { public typealias SetLogged = Stored.SetLogged }
/// Version 3, with the event unchanged.
@Schema(3, 0, 0) public enum Carried3 { public typealias SetLogged = Carried2.SetLogged }
/// Version 4, with the event unchanged.
@Schema(4, 0, 0) public enum Carried4 { public typealias SetLogged = Carried3.SetLogged }
/// Version 5, with the event unchanged.
@Schema(5, 0, 0) public enum Carried5 { public typealias SetLogged = Carried4.SetLogged }
/// Version 6, with the event unchanged.
@Schema(6, 0, 0) public enum Carried6 { public typealias SetLogged = Carried5.SetLogged }
/// Version 7, with the event unchanged.
@Schema(7, 0, 0) public enum Carried7 { public typealias SetLogged = Carried6.SetLogged }
/// Version 8, with the event unchanged.
@Schema(8, 0, 0) public enum Carried8 { public typealias SetLogged = Carried7.SetLogged }
/// Version 9, with the event unchanged.
@Schema(9, 0, 0) public enum Carried9 { public typealias SetLogged = Carried8.SetLogged }
/// Version 10, with the event unchanged.
@Schema(10, 0, 0) public enum Carried10 { public typealias SetLogged = Carried9.SetLogged }
/// Version 11, with the event unchanged.
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
