internal import AnnalsCoding

/// What happens to the records of one type across one stage, made by `Upcast`, `Split`, `Drop` and `Retain`; or what is said about several, by `Fold` and `Streams`, about
/// the way back, by `Downcast`, or about a field, as by `Default`.
public struct Rule<From: VersionedSchema, To: VersionedSchema, Context: StageContext>: Sendable {
  /// What is said of the records of one case.
  @usableFromInline struct Take: Sendable {
    /// The word that the rule is written with.
    @usableFromInline let word: RuleWord
    /// The number of the case that the rule takes.
    @usableFromInline let caseIndex: Int
    /// What may come out.
    @usableFromInline let effect: RuleEffect
    /// Given the steps of the newer version, the stage's context and where its groups end, if they are there yet, the step of the taken record: a `RecordStep` or
    /// a `FoldStep` of its type.
    @usableFromInline let step: @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable

    @usableFromInline init(
      _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
      step: @escaping @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable
    ) {
      self.word = word
      self.caseIndex = caseIndex
      self.effect = effect
      self.step = step
    }
  }
  /// What happens to records of single cases; a fold takes several.
  @usableFromInline let takes: [Take]
  /// What is said about a field of records that no rule takes.
  private(set) var adjustment: AdjustmentOutline?
  /// How records of the newer version are stored as ones of the older.
  private(set) var downcast: DowncastRule<From, To>?
  /// How records of a stream become one.
  private(set) var fold: FoldRule<From>?
  /// Which stream entries belong to afterwards.
  private(set) var streams: StreamRule<From>?

  @usableFromInline init(
    _ word: RuleWord, _ caseIndex: Int, _ effect: RuleEffect,
    step: @escaping @Sendable (To.Event.Steps, Context?, ContextTable?) -> any Sendable
  ) {
    takes = [Take(word, caseIndex, effect, step: step)]
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

  /// Where in the plan the rule for `type` stands.
  @usableFromInline static func site(_ type: (some Record).Type) -> RuleSite {
    site(named: type.recordName)
  }

  /// Where in the plan the rule for the record called `name` stands.
  @usableFromInline static func site(named name: String) -> RuleSite {
    RuleSite(from: From.version, to: To.version, type: name)
  }
}

/// The word that a rule is written with.
@usableFromInline package enum RuleWord: String, Sendable {
  case upcast = "Upcast"
  case split = "Split"
  case drop = "Drop"
  case retain = "Retain"
  case fold = "Fold"
}

/// What a rule may give, as numbers of cases of the newer version.
@usableFromInline package enum RuleEffect: Hashable, Sendable {
  /// Any event.
  case anything
  /// Events of these cases only.
  case cases(Set<Int>)
  /// Nothing, for this reason.
  case nothing(reason: String)
  /// Nothing, and entries stay as they are stored.
  case retained
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
