/// The ordered stages of a plan, from its oldest schema to its current one.
///
/// A missing, misplaced or repeated stage does not compile.
public struct MigrationChain<Oldest: VersionedSchema, Current: VersionedSchema>: Sendable {
  /// What can be said of the chain without its types.
  let outline: ChainOutline
  /// The steps of the oldest version, given those of the current one; each version's steps from bytes are added on the way.
  let extend:
    @Sendable (VersionSteps<Current.Event>, inout [[PayloadStep]]) throws(AnnalsError) -> VersionSteps<
      Oldest.Event
    >
}

extension MigrationChain {
  /// The chain of one stage.
  init(_ stage: MigrationStage<Oldest, Current>) {
    outline = ChainOutline(
      schemas: [SchemaOutline(Oldest.self), SchemaOutline(Current.self)], stages: [stage.outline])
    extend = stage.extend
  }

  /// This chain and one more stage.
  func followed<Next>(by stage: MigrationStage<Current, Next>) -> MigrationChain<Oldest, Next> {
    let extend = self.extend
    return MigrationChain<Oldest, Next>(
      outline: ChainOutline(
        schemas: outline.schemas + [SchemaOutline(Next.self)], stages: outline.stages + [stage.outline])
    ) { (newest, table) throws(AnnalsError) in
      try extend(stage.extend(newest, &table), &table)
    }
  }
}

/// Joins stages to a chain; only stages that fit together compile.
@resultBuilder public enum MigrationChainBuilder {
  /// A plan with one schema and no stage.
  public static func buildBlock<Only>() -> MigrationChain<Only, Only> {
    MigrationChain(outline: ChainOutline(schemas: [SchemaOutline(Only.self)], stages: [])) { steps, _ in
      steps
    }
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
