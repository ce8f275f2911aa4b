internal import AnnalsCoding

/// Collects the rules and adjustments of a stage.
@resultBuilder public enum RuleBuilder<From: VersionedSchema, To: VersionedSchema, Context: StageContext> {
  /// One rule.
  @inlinable public static func buildExpression(_ rule: Rule<From, To, Context>) -> Rule<From, To, Context> {
    rule
  }

  /// All rules in the order in which they are written.
  @inlinable public static func buildBlock(
    _ rules: Rule<From, To, Context>...
  ) -> [Rule<From, To, Context>] { rules }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildOptional(_ rules: [Rule<From, To, Context>]?) -> Rule<From, To, Context> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildEither(
    first rules: [Rule<From, To, Context>]
  ) -> Rule<From, To, Context> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildEither(
    second rules: [Rule<From, To, Context>]
  ) -> Rule<From, To, Context> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }
}

/// Collects the adjustments of a lightweight stage.
@resultBuilder public enum AdjustmentBuilder<From: VersionedSchema, To: VersionedSchema> {
  /// One adjustment.
  public static func buildExpression(_ adjustment: Adjustment<From, To>) -> Adjustment<From, To> {
    adjustment
  }

  /// Not available: a lightweight stage has no rules.
  @available(
    *, unavailable,
    message: "a lightweight stage has no rules: write MigrationStage.custom(fromVersion:toVersion:)"
  )
  public static func buildExpression(_ rule: Rule<From, To, NoContext>) -> Adjustment<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// All adjustments in the order in which they are written.
  public static func buildBlock(_ adjustments: Adjustment<From, To>...) -> [Adjustment<From, To>] {
    adjustments
  }
}
