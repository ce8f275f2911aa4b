package import AnnalsCoding

/// A chain of which only the current schema's type is known: what goes through a plan version by version holds them in one array.
package protocol PlanChain<Current>: Sendable {
  /// The schema that the chain ends at.
  associatedtype Current: VersionedSchema

  /// The plan of the chain.
  ///
  /// - Parameter contexts: The contexts of its stages.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or `shapeChanged` where a context is of another type.
  func plan(_ contexts: StageContexts) throws(AnnalsError) -> CompiledPlan
}

extension MigrationChain: PlanChain {
  package func plan(_ contexts: StageContexts) throws(AnnalsError) -> CompiledPlan {
    try CompiledPlan(self, contexts)
  }
}

extension SchemaMigrationPlan {
  /// The plan's chain as it was at each of its versions, oldest first and the whole one last.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, which lists every problem of the plan.
  package static func chains() throws(AnnalsError) -> [any PlanChain] {
    _ = try CompiledPlan(Self.self)
    let chain = stages
    return chain.earlier + [chain]
  }

  /// The plan's chain as it was when `schema` was current; `nil` where it never was.
  package static func chain<Schema: VersionedSchema>(
    endingAt schema: Schema.Type
  ) -> MigrationChain<Oldest, Schema>? {
    let chain = stages
    for link in chain.earlier + [chain] {
      if let found = link as? MigrationChain<Oldest, Schema> { return found }
    }
    return nil
  }

  /// The version that events without one are taken for; `nil` where the plan refuses them.
  package static var adopted: SchemaVersion? { unversioned.version }

  /// Whether a stage moves entries to other streams.
  package static var movesStreams: Bool { stages.outline.stages.contains(where: \.movesStreams) }

  /// Whether a stage works something out from the whole log.
  package static var hasContexts: Bool {
    stages.outline.stages.contains { $0.hasContext || $0.hasFold }
  }
}
