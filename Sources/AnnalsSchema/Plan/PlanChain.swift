package import AnnalsCoding

/// A chain with only the type of its current schema. It allows arrays of the chains of a plan, version by
/// version.
package protocol PlanChain<Current>: Sendable {
  /// The schema at which the chain ends.
  associatedtype Current: VersionedSchema

  /// Returns the plan of the chain.
  ///
  /// - Parameter contexts: The contexts of its stages.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or `shapeChanged` if a context has another type.
  func plan(_ contexts: StageContexts) throws(AnnalsError) -> CompiledPlan
}

extension MigrationChain: PlanChain {
  package func plan(_ contexts: StageContexts) throws(AnnalsError) -> CompiledPlan {
    try CompiledPlan(self, contexts)
  }
}

extension SchemaMigrationPlan {
  /// Returns the plan's chain at each of its versions, oldest first and the whole one last.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, which lists every problem of the plan.
  package static func chains() throws(AnnalsError) -> [any PlanChain] {
    _ = try CompiledPlan(Self.self)
    let chain = stages
    return chain.earlier + [chain]
  }

  /// Returns the plan's chain at the time when `schema` was current; `nil` if it never was.
  package static func chain<Schema: VersionedSchema>(
    endingAt schema: Schema.Type
  ) -> MigrationChain<Oldest, Schema>? {
    let chain = stages
    for link in chain.earlier + [chain] {
      if let found = link as? MigrationChain<Oldest, Schema> { return found }
    }
    return nil
  }

  /// The version for events without one; `nil` if the plan refuses them.
  package static var adopted: SchemaVersion? { unversioned.version }

  /// Whether a stage moves entries to other streams.
  package static var movesStreams: Bool { stages.outline.stages.contains(where: \.movesStreams) }

  /// Whether a stage computes something from the whole log.
  package static var hasContexts: Bool {
    stages.outline.stages.contains { $0.hasContext || $0.hasFold }
  }
}
