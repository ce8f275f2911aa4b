/// What happens to the records of one type across one stage; made by `Upcast`, `Split` and `Drop`.
public struct Rule<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The number of the case that the rule takes.
  @usableFromInline let caseIndex: Int
  /// What may come out.
  @usableFromInline let effect: RuleEffect
  /// Given the steps of the newer version, the step of the taken record: a `RecordStep` of its type.
  @usableFromInline let step: @Sendable (To.Event.Steps) -> any Sendable

  @inlinable init(
    _ caseIndex: Int, _ effect: RuleEffect, step: @escaping @Sendable (To.Event.Steps) -> any Sendable
  ) {
    self.caseIndex = caseIndex
    self.effect = effect
    self.step = step
  }

  /// Where in the plan the rule for `type` stands.
  @usableFromInline static func site(_ type: (some Record).Type) -> RuleSite {
    RuleSite(from: From.version, to: To.version, type: type.recordName)
  }
}

/// What a rule may give, as numbers of cases of the newer version.
@usableFromInline enum RuleEffect: Hashable, Sendable {
  /// Any event.
  case anything
  /// Events of these cases only.
  case cases(Set<Int>)
  /// Nothing, for this reason.
  case nothing(reason: String)
  /// Events of cases named by key paths of which one leads to no case.
  case unknown

  /// The effect of a split whose `into:` is `paths`.
  @usableFromInline static func into<Cases>(_ paths: [PartialKeyPath<Cases>], of cases: Cases) -> RuleEffect {
    var indices: Set<Int> = []
    for path in paths {
      guard let named = cases[keyPath: path] as? any NumberedCase else { return .unknown }
      indices.insert(named.index)
    }
    return .cases(indices)
  }
}

/// Gathers the rules of a stage.
@resultBuilder public enum RuleBuilder<From: VersionedSchema, To: VersionedSchema> {
  /// One rule.
  @inlinable public static func buildExpression(_ rule: Rule<From, To>) -> Rule<From, To> { rule }

  /// All rules in the order in which they are written.
  @inlinable public static func buildBlock(_ rules: Rule<From, To>...) -> [Rule<From, To>] { rules }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildOptional(_ rules: [Rule<From, To>]?) -> Rule<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildEither(first rules: [Rule<From, To>]) -> Rule<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }

  /// Not available: a stage's rules do not depend on anything.
  @available(
    *, unavailable, message: "a stage is the same in every build and at every run: no 'if' among its rules"
  )
  public static func buildEither(second rules: [Rule<From, To>]) -> Rule<From, To> {
    // No program that compiles calls it.
    fatalError("unavailable")
  }
}
