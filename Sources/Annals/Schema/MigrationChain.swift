/// The ordered stages of a plan, from its oldest schema to its current one.
///
/// A missing, misplaced or repeated stage does not compile.
public struct MigrationChain<Oldest: VersionedSchema, Current: VersionedSchema>: Sendable {
  /// What can be said of the chain without its types.
  let outline: ChainOutline
  /// The steps of the oldest version, given those of the current one; each version's steps from bytes are added on the way.
  let extend:
    @Sendable (VersionSteps<Current.Event>, ContextBytes, inout [[PayloadStep]]) throws(AnnalsError) ->
      VersionSteps<Oldest.Event>
  /// By stage, what it does with the whole log.
  let works: [StageWork]
  /// The chain as it was when each of the schemas before the current one was current, oldest first.
  var earlier: [any PlanChain] = []
}

/// What a stage does with the whole log, once.
struct StageWork: Sendable {
  /// Works out the context, as bytes; `nil` in a stage without one.
  let prepare: (@Sendable (any HistorySource, ContextBytes) throws -> [UInt8])?
  /// Compares the older log with what it becomes; `nil` where the stage does not.
  let verify: (@Sendable (any HistorySource, ContextBytes) throws -> Void)?
  /// The stage on its own, for samples.
  let alone: @Sendable () throws(AnnalsError) -> StageAlone
}

/// Where the entries of a whole log come from.
protocol HistorySource {
  /// Hands every entry, lifted by `plan` to the events of its newest schema, to `body`.
  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, _ body: (Entry<Event>) throws -> Void
  ) throws
}

extension MigrationChain {
  /// The chain of one schema.
  init() where Oldest == Current {
    outline = ChainOutline(schemas: [SchemaOutline(Oldest.self)], stages: [])
    extend = { (steps, _, _) in steps }
    works = []
  }

  /// The chain of one stage.
  init(_ stage: MigrationStage<Oldest, Current>) {
    self = MigrationChain<Oldest, Oldest>().followed(by: stage)
  }

  /// This chain and one more stage.
  func followed<Next>(by stage: MigrationStage<Current, Next>) -> MigrationChain<Oldest, Next> {
    let outline = outline.adding(stage.outline, stage.crossings, to: stage.newer)
    let extend:
      @Sendable (VersionSteps<Next.Event>, ContextBytes, inout [[PayloadStep]]) throws(AnnalsError) ->
        VersionSteps<Oldest.Event> = { [extend] (newest, contexts, table) throws(AnnalsError) in
          try extend(stage.extend(newest, contexts, &table), contexts, &table)
        }
    // Both read the log through a plan that ends where they look from.
    let before: @Sendable (any HistorySource, ContextBytes) -> StageHistory<Current.Event> = {
      [self] source, contexts in
      StageHistory { body in
        try source.read(through: CompiledPlan(self, contexts), as: Current.Event.self, body)
      }
    }
    let after: @Sendable (any HistorySource, ContextBytes) -> StageHistory<Next.Event> = {
      [works] source, contexts in
      StageHistory { body in
        let chain = MigrationChain<Oldest, Next>(outline: outline, extend: extend, works: works)
        try source.read(through: CompiledPlan(chain, contexts), as: Next.Event.self, body)
      }
    }
    var prepareWork: (@Sendable (any HistorySource, ContextBytes) throws -> [UInt8])?
    if let prepare = stage.prepare { prepareWork = { try prepare(before($0, $1)) } }
    var verifyWork: (@Sendable (any HistorySource, ContextBytes) throws -> Void)?
    if let verify = stage.verify { verifyWork = { try verify(before($0, $1), after($0, $1)) } }
    let work = StageWork(prepare: prepareWork, verify: verifyWork, alone: stage.alone)
    return MigrationChain<Oldest, Next>(
      outline: outline, extend: extend, works: works + [work], earlier: earlier + [self])
  }
}

/// Joins stages to a chain; only stages that fit together compile.
@resultBuilder public enum MigrationChainBuilder {
  /// A plan with one schema and no stage.
  public static func buildBlock<Only>() -> MigrationChain<Only, Only> {
    MigrationChain()
  }

  /// The oldest stage.
  public static func buildPartialBlock<From, To>(first: MigrationStage<From, To>) -> MigrationChain<From, To>
  {
    MigrationChain(first)
  }

  /// A stage that begins where the chain so far ends.
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
