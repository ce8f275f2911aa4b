public import Annals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command for the stores of one plan: a program of one line.
///
/// ```swift
/// import AnnalsCommand
/// import WorkoutSchemas
///
/// await MaintenanceCommand<WorkoutPlan>.main()
/// ```
///
/// It has the verbs that need no plan, and those that do; `--help` lists them.
public enum MaintenanceCommand<Plan: SchemaMigrationPlan> {
  /// All verbs.
  static var verbs: [any Verb.Type] {
    GenericCommand.verbs.map { withPlan($0) ?? $0 } + planVerbs
  }

  /// The verb that does more with a plan than one without; `nil` for one that does not.
  private static func withPlan(_ verb: any Verb.Type) -> (any Verb.Type)? {
    // Dump can also upcast events to a version of the plan, erase folds inline projections again, report
    // shows what the plan makes of the store, and census the events whose tags a pass computes again.
    if verb == DumpVerb.self { return PlanDumpVerb<Plan>.self }
    if verb == EraseVerb.self { return PlanEraseVerb<Plan>.self }
    if verb == ReportVerb.self { return PlanReportVerb<Plan>.self }
    return verb == CensusVerb.self ? PlanCensusVerb<Plan>.self : nil
  }

  /// The verbs that need a plan, in the order of the help.
  private static var planVerbs: [any Verb.Type] {
    [
      MigrateVerb<Plan>.self, ActivateVerb<Plan>.self, ContractVerb<Plan>.self, CheckVerb<Plan>.self,
      SchemaVerb<Plan>.self, ForgetVerb<Plan>.self,
      ExplainVerb<Plan>.self, RebuildVerb.self,
    ]
  }

  /// Runs the command line of this process, and ends the process.
  ///
  /// In its messages the command uses the name of the executable.
  ///
  /// - Parameters:
  ///   - projections: The projections of the program. `rebuild` builds their views, and `views` lists the
  ///     views that need a build.
  ///   - inline: The inline projections of the program. `activate` puts them in force. `migrate` refuses a
  ///     store with one in force that is not among them. `verify` compares their rows with the log, and
  ///     `views` lists those that need folding or an activation.
  ///   - selections: What `erase --where` can choose events by, besides streams and positions.
  ///   - keys: Makes the keys of personal fields, for a plan that has any: `{ SubjectKeys() }`. It is called
  ///     for each store that a verb opens.
  @MainActor
  public static func main(
    projections: [any Projection<Plan.Current.Event>.Type] = [],
    inline: [any InlineProjection<Plan.Current.Event>.Type] = [],
    selections: [ErasureSelection<Plan.Current.Event>] = [],
    keys: (@Sendable () -> any PersonalDataKeys)? = nil
  ) async -> Never {
    GenericCommand.begin()
    let command = command(called: executableName, projections, inline, selections)
    let keys = keys.map { KeysOfProgram(make: $0) }
    exit(await StoreOptions.$keysOfProgram.withValue(keys) { await GenericCommand.run(command) })
  }

  /// Creates the command with a name, and the projections passed to it.
  static func command(
    called name: String, _ projections: [any Projection<Plan.Current.Event>.Type] = [],
    _ inline: [any InlineProjection<Plan.Current.Event>.Type] = [],
    _ selections: [ErasureSelection<Plan.Current.Event>] = []
  ) -> Command {
    var command = Command(name: name, verbs: verbs)
    command.projections = projections.map { KnownProjection.of($0, Plan.self) }
    command.inline = KnownInline<Plan>(types: inline)
    command.selections = PlanSelections(selections: selections)
    return command
  }

  /// The name of the executable as called, without its directories.
  private static var executableName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "maintenance"
  }
}
