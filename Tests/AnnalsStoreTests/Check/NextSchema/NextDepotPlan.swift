import Annals

/// The plan after the edit that the generated file asks for.
enum NextDepotPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DepotV1, DepotV3> {
    MigrationStage.lightweight(fromVersion: DepotV1.self, toVersion: DepotV2.self)
    depotV2ToDepotV3
  }
}
