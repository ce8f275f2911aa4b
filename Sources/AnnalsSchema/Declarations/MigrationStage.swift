internal import AnnalsCoding

/// The step between two neighbouring versions of a schema.
public struct MigrationStage<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The stage without its types.
  let outline: StageOutline
  /// The schema that it leads to, without its types.
  let newer: SchemaOutline
  /// What becomes of each record of the older schema.
  let crossings: [RecordCrossing]
  /// The steps of the older version, given those of the newer one; its steps from bytes are added to the table.
  let extend:
    @Sendable (VersionSteps<To.Event>, StageContexts, inout [[PayloadStep]]) throws(AnnalsError) ->
      VersionSteps<From.Event>
  /// Works out the context from the older log; `nil` in a stage without one.
  let prepare: (@Sendable (StageHistory<From.Event>) throws -> PreparedContext)?
  /// Works out where groups end in the older log; `nil` in a stage without a fold.
  let groupEnds: (@Sendable (StageHistory<From.Event>) throws -> GroupRows)?
  /// How events of the newer version are stored as ones of the older, by case.
  let downcasts: [DowncastRule<From, To>]
  /// Which stream entries belong to; `nil` where they stay.
  let streams: StreamRule<From>?
  /// Compares the older log with what it becomes.
  let verify: (@Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void)?

  private init<Context: StageContext>(
    _ rules: [Rule<From, To, Context>], isLightweight: Bool,
    prepare: (@Sendable (StageHistory<From.Event>) throws -> Context)?,
    verify: (@Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void)?
  ) {
    let takes = rules.flatMap(\.takes)
    let folds = rules.compactMap(\.fold)
    var outline = StageOutline(
      rules: takes.map { RuleOutline(word: $0.word, caseIndex: $0.caseIndex, effect: $0.effect) },
      adjustments: rules.compactMap(\.adjustment), isLightweight: isLightweight, hasContext: prepare != nil)
    downcasts = rules.compactMap(\.downcast)
    streams = rules.compactMap(\.streams).first
    outline.downcasts = downcasts.map(\.outline)
    outline.folds = folds.count
    outline.streamRules = rules.count { $0.streams != nil }
    let newer = SchemaOutline(To.self)
    let crossings = outline.crossings(from: SchemaOutline(From.self), to: newer)
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
      // A rule that asks for a third parameter in a stage without a context is given the empty one.
      let context =
        hasContext ? try contexts.context(of: To.version, as: Context.self) : NoContext() as? Context
      let ends = contexts.groupEnds[To.version]
      let steps = takes.map { (caseIndex: $0.caseIndex, step: $0.step(newer.typed, context, ends)) }
      return try Self.extend(newer, steps: steps, crossings: crossings, &table)
    }
  }

  /// A stage without rules: every record is carried, or can be read in its new shape without inventing anything.
  ///
  /// What is lightweight, and what is not, is listed in docs/schema-evolution.md. A plan with a stage that is not does not open a store; the error says
  /// for each field what to write.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - adjustments: What cannot be read off the two schemas: `Default`, `Wrap`, `Plunge`, `Hoist` and `Remove`, and
  ///     `Downcast` where it leads to a bridge.
  public static func lightweight(
    fromVersion: From.Type, toVersion: To.Type,
    @AdjustmentBuilder<From, To> adjustments: () -> [Adjustment<From, To>] = { [] }
  ) -> Self {
    Self(adjustments().map { Rule<From, To, NoContext>($0) }, isLightweight: true, prepare: nil, verify: nil)
  }

  /// A stage with a rule for each record that does not stay what it is.
  ///
  /// A record that no rule takes is carried, as in a lightweight stage.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - rules: What happens to the other records, `Upcast`, `Split`, `Drop` and `Retain`, and what a lightweight stage says.
  public static func custom(
    fromVersion: From.Type, toVersion: To.Type,
    @RuleBuilder<From, To, NoContext> rules: () -> [Rule<From, To, NoContext>] = { [] }
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: nil, verify: nil)
  }

  /// A stage whose result is compared with what it came from.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - verify: Compares the older log with what it becomes, and throws where something is wrong; nothing is switched then. Tests of a plan and a
  ///     migration pass run it.
  ///   - rules: What happens to the records, as in a stage without it.
  public static func custom(
    fromVersion: From.Type, toVersion: To.Type,
    verify: @escaping @Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void,
    @RuleBuilder<From, To, NoContext> rules: () -> [Rule<From, To, NoContext>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: nil, verify: verify)
  }

  /// A stage whose rules use something that is worked out once from the whole older log.
  ///
  /// `prepare` runs when a store is opened with ``StoreOptions/activating`` for the first time by a plan with this stage. What it gives is frozen, kept in the
  /// store, and given to every rule that asks for it as a third parameter, in every process, from then on. Before that, a store with older events does not open:
  /// `requiresActivation`. After it, nobody appends events of an older version.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - prepare: The context, from all events of the older version. At most 64 MiB encoded. What it throws ends the open.
  ///   - rules: What happens to the records, as in a stage without context.
  public static func custom<Context: StageContext>(
    fromVersion: From.Type, toVersion: To.Type,
    prepare: @escaping @Sendable (StageHistory<From.Event>) throws -> Context,
    @RuleBuilder<From, To, Context> rules: () -> [Rule<From, To, Context>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: prepare, verify: nil)
  }

  /// A stage with a context, whose result is compared with what it came from.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - prepare: The context, from all events of the older version. At most 64 MiB encoded. What it throws ends the open.
  ///   - verify: Compares the older log with what it becomes, and throws where something is wrong.
  ///   - rules: What happens to the records, as in a stage without context.
  public static func custom<Context: StageContext>(
    fromVersion: From.Type, toVersion: To.Type,
    prepare: @escaping @Sendable (StageHistory<From.Event>) throws -> Context,
    verify: @escaping @Sendable (StageHistory<From.Event>, StageHistory<To.Event>) throws -> Void,
    @RuleBuilder<From, To, Context> rules: () -> [Rule<From, To, Context>]
  ) -> Self {
    Self(rules(), isLightweight: false, prepare: prepare, verify: verify)
  }
}
