import Annals

/// A plan as it was when one of its schemas was current.
enum Earlier<Plan: SchemaMigrationPlan, Current: VersionedSchema>: SchemaMigrationPlan {
  static var stages: MigrationChain<Plan.Oldest, Current> {
    guard let chain = Plan.chain(endingAt: Current.self) else {
      preconditionFailure("\(Plan.self) never had \(Current.self) as its current schema")
    }
    return chain
  }

  static var unversioned: UnversionedEvents {
    // The first events of a store cannot belong to a later schema.
    guard let adopted = Plan.adopted, adopted <= Current.version else { return .refuse }
    return Plan.unversioned
  }
}
