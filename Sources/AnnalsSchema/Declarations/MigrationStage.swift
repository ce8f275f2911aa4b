internal import AnnalsCoding

/// The step between two consecutive versions of a schema.
public struct MigrationStage<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The stage without its types.
  let outline: StageOutline
  /// The outline of the schema that it leads to.
  let newer: SchemaOutline
  /// The conversion of each record of the older schema.
  let crossings: [RecordCrossing]
  /// Makes the steps of the older version from those of the newer one, and adds its steps from bytes to the
  /// table.
  let extend:
    @Sendable (VersionSteps<To.Event>, StageContexts, inout [[PayloadStep]]) throws(AnnalsError) ->
      VersionSteps<From.Event>
  /// Computes the context from the older log; `nil` in a stage without one.
  let prepare: (@Sendable (StageHistory<From.Event>) throws -> PreparedContext)?
  /// Computes where groups end in the older log; `nil` in a stage without a fold.
  let groupEnds: (@Sendable (StageHistory<From.Event>) throws -> GroupRows)?
  /// For each case of the newer version, how its events are stored in the older version.
  let downcasts: [DowncastRule<From, To>]
  /// The rule that assigns entries to streams; `nil` if they stay.
  let streams: StreamRule<From>?
  /// Compares the older log with its converted form.
  let verify: (@Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void)?

  private init<Context: StageContext>(
    _ rules: [Rule<From, To, Context>], isLightweight: Bool,
    prepare: (@Sendable (StageHistory<From.Event>) throws -> Context)?,
    verify: (@Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void)?
  ) {
    let takes = rules.flatMap(\.takes)
    let folds = rules.compactMap(\.fold)
    var outline = StageOutline(
      rules: takes.map {
        RuleOutline(word: $0.word, caseIndex: $0.caseIndex, effect: $0.effect, keep: $0.keep)
      },
      adjustments: rules.compactMap(\.adjustment), isLightweight: isLightweight, hasContext: prepare != nil)
    downcasts = rules.compactMap(\.downcast)
    streams = rules.compactMap(\.streams).first
    outline.downcasts = downcasts.map(\.outline)
    outline.folds = folds.count
    outline.streamRules = rules.count { $0.streams != nil }
    outline.retags = rules.compactMap(\.retag)
    let newer = SchemaOutline(To.self)
    let older = SchemaOutline(From.self)
    let crossings = outline.crossings(from: older, to: newer)
    let kept = takes.map { outline.keptFields(of: $0.caseIndex, from: older, to: newer) }
    self.newer = newer
    self.crossings = crossings
    self.outline = outline
    self.verify = verify
    let hasContext = prepare != nil
    if let prepare {
      self.prepare = { history in try PreparedContext(prepare(history)) }
    } else {
      self.prepare = nil
    }
    if folds.isEmpty {
      groupEnds = nil
    } else {
      groupEnds = { history in try FoldRule.ends(of: folds, in: history) }
    }
    extend = { (newer, contexts, table) throws(AnnalsError) in
      // In a stage without a context, a rule with a third parameter gets the empty context.
      let context =
        hasContext ? try contexts.context(of: To.version, as: Context.self) : NoContext() as? Context
      let ends = contexts.groupEnds[To.version]
      let mayWithhold = hasContext && contexts.keys != nil
      let steps = zip(takes, kept).map { take, kept in
        RuleStep(
          caseIndex: take.caseIndex, step: take.step(newer.typed, context, ends, kept),
          withoutContext: mayWithhold ? take.step(newer.typed, nil, ends, kept) : nil)
      }
      return try Self.extend(newer, steps: steps, crossings: crossings, &table)
    }
  }

  /// Creates a stage without rules: every record is unchanged, or is readable in its new shape without new
  /// values.
  ///
  /// docs/schema-evolution.md lists the changes that are lightweight. A plan whose lightweight stage has
  /// another change does not open a store; the error says for each field what to write.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - adjustments: Declarations that the two schemas cannot express: `Default`, `Wrap`, `Plunge`, `Hoist`
  ///     and `Remove`, and `Downcast` for a stage that leads to a bridge.
  public static func lightweight(
    fromVersion: From.Type, toVersion: To.Type,
    @AdjustmentBuilder<From, To> adjustments: () -> [Adjustment<From, To>] = { [] }
  ) -> Self {
    Self(adjustments().map { Rule<From, To, NoContext>($0) }, isLightweight: true, prepare: nil, verify: nil)
  }

  /// Creates a stage with a rule for each record that changes.
  ///
  /// A record without a rule is converted as in a lightweight stage.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - rules: Rules for the changed records (`Upcast`, `Split`, `Drop` and `Retain`), for tags (`Retag`),
  ///     and adjustments as in a lightweight stage.
  public static func custom(
    fromVersion: From.Type, toVersion: To.Type,
    @RuleBuilder<From, To, NoContext> rules: () -> [Rule<From, To, NoContext>] = { [] }
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: nil, verify: nil)
  }

  /// Creates a stage whose result is compared with the older log.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - verify: Compares the older log with its converted form, and throws if something is wrong; in that
  ///     case the pass does not switch. Tests of a plan and migration passes run it.
  ///   - rules: Rules for the records, as in a stage without `verify`.
  public static func custom(
    fromVersion: From.Type, toVersion: To.Type,
    verify: @escaping @Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void,
    @RuleBuilder<From, To, NoContext> rules: () -> [Rule<From, To, NoContext>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: nil, verify: verify)
  }

  /// Creates a stage whose rules use a context computed once from the whole older log.
  ///
  /// `prepare` runs when a plan with this stage first opens a store with ``StoreOptions/activating``. Its
  /// result is frozen and kept in the store. From then on, in every process, each rule that asks for it
  /// receives it as a third parameter. Until then, a store with older events fails to open with
  /// `requiresActivation`. Afterwards, no program can append events of an older version.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - prepare: Computes the context from all events of the older version, at most 64 MiB encoded. An error
  ///     it throws ends the open.
  ///   - rules: Rules for the records, as in a stage without a context.
  public static func custom<Context: StageContext>(
    fromVersion: From.Type, toVersion: To.Type,
    prepare: @escaping @Sendable (StageHistory<From.Event>) throws -> Context,
    @RuleBuilder<From, To, Context> rules: () -> [Rule<From, To, Context>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: prepare, verify: nil)
  }

  /// Creates a stage with a context, whose result is compared with the older log.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - prepare: Computes the context from all events of the older version, at most 64 MiB encoded. An error
  ///     it throws ends the open.
  ///   - verify: Compares the older log with its converted form, and throws if something is wrong.
  ///   - rules: Rules for the records, as in a stage without a context.
  public static func custom<Context: StageContext>(
    fromVersion: From.Type, toVersion: To.Type,
    prepare: @escaping @Sendable (StageHistory<From.Event>) throws -> Context,
    verify: @escaping @Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void,
    @RuleBuilder<From, To, Context> rules: () -> [Rule<From, To, Context>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: prepare, verify: verify)
  }
}
