import Annals

/// A plan as it was when one of its schemas was the current one.
enum Earlier<Plan: SchemaMigrationPlan, Current: VersionedSchema>: SchemaMigrationPlan {
  static var stages: MigrationChain<Plan.Oldest, Current> {
    guard let chain = Plan.chain(endingAt: Current.self) else {
      preconditionFailure("\(Plan.self) never had \(Current.self) as its current schema")
    }
    return chain
  }

  static var unversioned: UnversionedEvents {
    // A schema that came later cannot be the one that a store's first events are of.
    guard let adopted = Plan.adopted, adopted <= Current.version else { return .refuse }
    return Plan.unversioned
  }
}
