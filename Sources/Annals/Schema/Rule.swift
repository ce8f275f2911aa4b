/// What happens to the records of one type across one stage; made by `Upcast`, `Split` and `Drop`; or what is said about a field, as by `Default`.
public struct Rule<From: VersionedSchema, To: VersionedSchema, Context: StageContext>: Sendable {
  /// What is said of the records of one case.
  @usableFromInline struct Take: Sendable {
    /// The word that the rule is written with.
    @usableFromInline let word: RuleWord
    /// The number of the case that the rule takes.
    @usableFromInline let caseIndex: Int
    /// What may come out.
    @usableFromInline let effect: RuleEffect
    /// Given the steps of the newer version and the stage's context, if it is there yet, the step of the taken record: a `RecordStep` of its type.
    @usableFromInline let step: @Sendable (To.Event.Steps, Context?) -> any Sendable

    @usableFromInline init(
      _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
      step: @escaping @Sendable (To.Event.Steps, Context?) -> any Sendable
    ) {
      self.word = word
      self.caseIndex = caseIndex
      self.effect = effect
      self.step = step
    }
  }
  /// What happens to records; `nil` where something is said about a field.
  @usableFromInline let take: Take?
  /// What is said about a field of records that no rule takes.
  let adjustment: AdjustmentOutline?

  @usableFromInline init(
    _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
    step: @escaping @Sendable (To.Event.Steps, Context?) -> any Sendable
  ) {
    take = Take(word, caseIndex, effect, step: step)
    adjustment = nil
  }

  init(_ adjustment: Adjustment<From, To>) {
    take = nil
    self.adjustment = adjustment.outline
  }

  /// Where in the plan the rule for `type` stands.
  @usableFromInline static func site(_ type: (some Record).Type) -> RuleSite {
    RuleSite(from: From.version, to: To.version, type: type.recordName)
  }
}

/// The word that a rule is written with.
@usableFromInline enum RuleWord: String, Sendable {
  case upcast = "Upcast"
  case split = "Split"
  case drop = "Drop"
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
