package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
internal import AnnalsStore

/// The tags that single entries would get by the `Retag` rules of a plan in a migration pass.
package struct RetagPreview: Sendable {
  private let retagging: PassRetagging

  /// Collects the rules of a plan.
  ///
  /// - Parameter contexts: The contexts of its stages that the store has.
  /// - Returns: `nil` for a plan without any.
  package init?(_ plan: CompiledPlan, _ contexts: StageContexts) throws(AnnalsError) {
    guard let retagging = try PassRetagging(plan, contexts) else { return nil }
    self.retagging = retagging
  }

  /// Returns the tags of an entry after a pass, in the order of their bytes; `nil` if no rule concerns it.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entry throws; `ruleFailed` for tags that no event can
  ///   have, which would end the pass.
  package func tags(
    of entry: borrowing LentEntry, in snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> [EventTag]? {
    let generation = snapshot.generation
    let retagger = EntryRetagger(
      retagging, RewriteSource(generation.environment, log: generation.meta.log))
    retagger.enter(snapshot.kinds)
    guard try retagger.concerns(entry) else { return nil }
    return try retagger.tags(of: entry, snapshot.reader)
  }
}
