internal import AnnalsCoding

/// A rule for the records of one type in one stage, made by `Upcast`, `Keep`, `Split`, `Drop` or `Retain`.
/// Other rules concern several records (`Fold`, `Streams`), the conversion to the older version (`Downcast`),
/// tags (`Retag`), or a field (such as `Default`).
public struct Rule<From: VersionedSchema, To: VersionedSchema, Context: StageContext>: Sendable {
  /// The part of a rule that concerns the records of one case.
  @usableFromInline struct Take: Sendable {
    /// The name with which the rule is written.
    @usableFromInline let word: RuleWord
    /// The number of the case that the rule takes.
    @usableFromInline let caseIndex: Int
    /// The possible results.
    @usableFromInline let effect: RuleEffect
    /// Makes the step of the taken record, a `RecordStep` or a `FoldStep` of its type. The arguments are the
    /// steps of the newer version, the stage's context, and where its groups end; the last two are `nil`
    /// before they exist.
    @usableFromInline let step: @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable
    /// The fields that the rule computes, if it keeps the others; `nil` for other rules.
    let keep: KeepOutline?
    /// Makes the step of a rule that keeps fields, a `RecordStep` of the taken record's type; `nil` for other
    /// rules.
    let keeping: (@Sendable (To.Event.Steps, Context?, KeptFields) -> any Sendable)?

    @usableFromInline init(
      _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
      step: @escaping @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable
    ) {
      self.word = word
      self.caseIndex = caseIndex
      self.effect = effect
      self.step = step
      keep = nil
      keeping = nil
    }

    fileprivate init(
      _ keep: KeepOutline, _ caseIndex: Int,
      step: @escaping @Sendable (To.Event.Steps, Context?, KeptFields) -> any Sendable
    ) {
      word = .keep
      self.caseIndex = caseIndex
      effect = .cases([keep.target])
      self.keep = keep
      keeping = step
      // No plan runs it: a rule whose kept fields have no conversion makes the plan invalid.
      self.step = { _, _, _ in keep }
    }

    /// Makes the step of the taken record.
    ///
    /// - Parameter kept: The conversion of kept fields; `nil` for a rule that keeps none.
    func step(
      _ next: To.Event.Steps, _ context: Context?, _ ends: ContextTable?, _ kept: KeptFields?
    ) -> any Sendable {
      if let keeping, let kept { return keeping(next, context, kept) }
      return step(next, context, ends)
    }
  }
  /// The parts for the records of single cases; a fold takes several.
  @usableFromInline let takes: [Take]
  /// The declaration about a field of a record without a rule.
  private(set) var adjustment: AdjustmentOutline?
  /// The conversion of records to the older version.
  private(set) var downcast: DowncastRule<From, To>?
  /// The rule that combines records of a stream into one.
  private(set) var fold: FoldRule<From>?
  /// The rule that assigns entries to streams.
  private(set) var streams: StreamRule<From>?
  /// The rule that computes tags again.
  private(set) var retag: RetagOutline?

  @usableFromInline init(
    _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
    step: @escaping @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable
  ) {
    takes = [Take(word, caseIndex, effect, step: step)]
  }

  init(
    _ keep: KeepOutline, _ caseIndex: Int,
    step: @escaping @Sendable (To.Event.Steps, Context?, KeptFields) -> any Sendable
  ) {
    takes = [Take(keep, caseIndex, step: step)]
  }

  init(_ adjustment: Adjustment<From, To>) {
    takes = []
    self.adjustment = adjustment.outline
    downcast = adjustment.downcast
  }

  init(_ downcast: DowncastRule<From, To>) {
    takes = []
    self.downcast = downcast
  }

  @usableFromInline init(_ fold: FoldRule<From>, _ takes: [Take]) {
    self.takes = takes
    self.fold = fold
  }

  init(_ streams: StreamRule<From>) {
    takes = []
    self.streams = streams
  }

  init(_ retag: RetagOutline) {
    takes = []
    self.retag = retag
  }

  /// The place in the plan of the rule for `type`.
  @usableFromInline static func site(_ type: (some Record).Type) -> RuleSite {
    site(named: type.recordName)
  }

  /// The place in the plan of the rule for the record called `name`.
  @usableFromInline static func site(named name: String) -> RuleSite {
    RuleSite(from: From.version, to: To.version, type: name)
  }
}

/// The name with which a rule is written.
@usableFromInline package enum RuleWord: String, Sendable {
  case upcast = "Upcast"
  case keep = "Keep"
  case split = "Split"
  case drop = "Drop"
  case retain = "Retain"
  case fold = "Fold"
}

/// The possible results of a rule, as numbers of cases of the newer version.
@usableFromInline package enum RuleEffect: Hashable, Sendable {
  /// Any event.
  case anything
  /// Events of these cases only.
  case cases(Set<Int>)
  /// Nothing, for this reason.
  case nothing(reason: String)
  /// Nothing; entries stay as they are stored.
  case retained
  /// Events of cases named by key paths, one of which leads to no case.
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
