public import Annals

/// The next version of the stored event, which is the same.
@Schema(2, 0, 0) public enum Released2 { public typealias SetLogged = Stored.SetLogged }
/// The same version as a bridge.
@Schema(2, 0, 0, .bridge) public enum Bridge2 { public typealias SetLogged = Stored.SetLogged }

/// A plan whose current version everybody knows.
public enum ReleasedPlan: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Released2> {
    MigrationStage.lightweight(fromVersion: Stored.self, toVersion: Released2.self)
  }
}

/// A plan whose current version is being rolled out.
public enum BridgePlan: SchemaMigrationPlan {
  public static var stages: MigrationChain<Stored, Bridge2> {
    MigrationStage.lightweight(fromVersion: Stored.self, toVersion: Bridge2.self)
  }
}
