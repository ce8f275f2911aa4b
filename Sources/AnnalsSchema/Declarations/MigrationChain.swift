package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The ordered stages of a plan, from its oldest schema to its current one.
///
/// A missing, misplaced or repeated stage does not compile.
public struct MigrationChain<Oldest: VersionedSchema, Current: VersionedSchema>: Sendable {
  /// The outline of the chain, without its types.
  package let outline: ChainOutline
  /// Makes the steps of the oldest version from those of the current one, and adds each version's steps from
  /// bytes.
  let extend:
    @Sendable (VersionSteps<Current.Event>, StageContexts, inout [[PayloadStep]]) throws(AnnalsError) ->
      VersionSteps<Oldest.Event>
  /// For each stage, its work on the whole log.
  package let works: [StageWork]
  /// The chains that ended at each of the schemas before the current one, oldest first.
  var earlier: [any PlanChain] = []
  /// For each version that a stage with a fold leads to, the chain up to the version before.
  var beforeFolds: [SchemaVersion: any PlanChain] = [:]
}

/// The work of a stage on the whole log, done once.
package struct StageWork: Sendable {
  /// Computes the context; `nil` in a stage without one.
  package var prepare: (@Sendable (any HistorySource, StageContexts) throws -> PreparedContext)?
  /// Computes where groups end; `nil` in a stage without a fold.
  package var groupEnds: (@Sendable (any HistorySource, StageContexts) throws -> GroupRows)?
  /// Compares the older log with its converted form; `nil` if the stage has no such check.
  package var verify: (@Sendable (any HistorySource, StageContexts) throws -> Void)?
  /// Makes the routing of entries to streams; `nil` in a stage where entries stay in their streams.
  package var streams: (@Sendable (StageContexts) throws(AnnalsError) -> StreamRouting)?
  /// Makes the rules that compute tags again; `nil` in a stage without any.
  package var retagging: (@Sendable (StageContexts) throws(AnnalsError) -> StageRetagging)?
  /// Makes the stage without the rest of the chain, for samples.
  let alone: @Sendable () throws(AnnalsError) -> StageAlone
  /// For each case of the newer event, how its records are stored in the older version.
  var downcasts: [Int: LoweringStep] = [:]
}

/// A source of the entries of a whole log.
package protocol HistorySource {
  /// The destination for reports of skipped unreadable entries; `nil` if such an entry ends the read.
  var quarantine: Quarantine? { get }

  /// Passes entries, upcast by `plan` to the events of its newest schema, to `body`.
  ///
  /// - Parameter cases: The selected cases; `nil` for all. Only entries that can become one of them are
  ///   decoded; other events of such entries are passed too.
  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws

  /// The id of the log.
  var id: UUID { get }
}

extension MigrationChain {
  /// Creates the chain of one schema.
  package init() where Oldest == Current {
    outline = ChainOutline(schemas: [SchemaOutline(Oldest.self)], stages: [])
    extend = { (steps, _, _) in steps }
    works = []
  }

  /// Creates the chain of one stage.
  init(_ stage: MigrationStage<Oldest, Current>) {
    self = MigrationChain<Oldest, Oldest>().followed(by: stage)
  }

  /// Returns this chain with one more stage.
  func followed<Next>(by stage: MigrationStage<Current, Next>) -> MigrationChain<Oldest, Next> {
    let outline = outline.adding(stage.outline, stage.crossings, to: stage.newer)
    let extend:
      @Sendable (VersionSteps<Next.Event>, StageContexts, inout [[PayloadStep]]) throws(AnnalsError) ->
        VersionSteps<Oldest.Event> = { [extend] (newest, contexts, table) throws(AnnalsError) in
          try extend(stage.extend(newest, contexts, &table), contexts, &table)
        }
    var beforeFolds = beforeFolds
    if stage.outline.hasFold {
      // Omits everything before earlier folds: the plan that begins with this one has all of them.
      beforeFolds[Next.version] = MigrationChain(outline: self.outline, extend: self.extend, works: works)
    }
    let beforeNext = beforeFolds
    // A plan has one work for each stage. A plan that only reads needs the last one for its downcasts.
    var work = StageWork(prepare: nil, groupEnds: nil, verify: nil, alone: stage.alone)
    for downcast in stage.downcasts { work.downcasts[downcast.outline.caseIndex] = downcast.lower }
    let worksOfNext = works + [work]
    // Both read the log through a plan that ends at their version.
    let before: @Sendable (any HistorySource, StageContexts) -> StageHistory<Current.Event> = {
      [self] source, contexts in
      StageHistory(log: source.id, quarantine: source.quarantine) { cases, body in
        try source.read(
          through: CompiledPlan(self, contexts), as: Current.Event.self, selecting: cases, body)
      }
    }
    let after: @Sendable (any HistorySource, StageContexts) -> StageHistory<Next.Event> = {
      source, contexts in
      StageHistory(log: source.id) { cases, body in
        let chain = MigrationChain<Oldest, Next>(
          outline: outline, extend: extend, works: worksOfNext, beforeFolds: beforeNext)
        var plan = try CompiledPlan(chain, contexts)
        // Events stored under the newer version are not results of the older log.
        plan.newestStored = Current.version
        try source.read(through: plan, as: Next.Event.self, selecting: cases, body)
      }
    }
    if let prepare = stage.prepare { work.prepare = { try prepare(before($0, $1)) } }
    if let ends = stage.groupEnds { work.groupEnds = { try ends(before($0, $1)) } }
    if let verify = stage.verify { work.verify = { try verify(before($0, $1), after($0, $1)) } }
    if let streams = stage.streams {
      let version = stage.newer.version
      work.streams = { [self] (contexts) throws(AnnalsError) in
        StreamRouting(streams, after: try CompiledPlan(self, contexts), to: version)
      }
    }
    if !stage.outline.retags.isEmpty {
      let rules = stage.outline.retags
      work.retagging = { (contexts) throws(AnnalsError) in
        let chain = MigrationChain<Oldest, Next>(
          outline: outline, extend: extend, works: worksOfNext, beforeFolds: beforeNext)
        return StageRetagging(rules, try CompiledPlan(chain, contexts), as: Next.Event.self)
      }
    }
    return MigrationChain<Oldest, Next>(
      outline: outline, extend: extend, works: works + [work], earlier: earlier + [self],
      beforeFolds: beforeNext)
  }
}

/// Joins stages into a chain. Only stages that fit together compile.
@resultBuilder public enum MigrationChainBuilder {
  /// Builds a plan with one schema and no stage.
  public static func buildBlock<Only>() -> MigrationChain<Only, Only> {
    MigrationChain()
  }

  /// Begins with the oldest stage.
  public static func buildPartialBlock<From, To>(first: MigrationStage<From, To>) -> MigrationChain<From, To>
  {
    MigrationChain(first)
  }

  /// Adds a stage that begins where the chain ends.
  public static func buildPartialBlock<Oldest, From, To>(
    accumulated: MigrationChain<Oldest, From>, next: MigrationStage<From, To>
  ) -> MigrationChain<Oldest, To> {
    accumulated.followed(by: next)
  }

  /// Not available: a chain does not depend on anything.
  @available(
    *, unavailable, message: "a chain is the same in every build and at every run: no 'if' among its stages"
  )
  public static func buildOptional<From, To>(_ chain: MigrationChain<From, To>?) -> MigrationStage<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a chain does not depend on anything.
  @available(
    *, unavailable, message: "a chain is the same in every build and at every run: no 'if' among its stages"
  )
  public static func buildEither<From, To>(first: MigrationChain<From, To>) -> MigrationStage<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a chain does not depend on anything.
  @available(
    *, unavailable, message: "a chain is the same in every build and at every run: no 'if' among its stages"
  )
  public static func buildEither<From, To>(second: MigrationChain<From, To>) -> MigrationStage<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }
}
