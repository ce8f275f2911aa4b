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
    // With a plan, dump also says what events are at a version of it.
    GenericCommand.verbs.map { $0 == DumpVerb.self ? PlanDumpVerb<Plan>.self : $0 } + planVerbs
  }

  /// The verbs that every other command lacks, in the order of the help.
  private static var planVerbs: [any Verb.Type] {
    [
      MigrateVerb<Plan>.self, ActivateVerb<Plan>.self, ContractVerb<Plan>.self, CheckVerb<Plan>.self,
      ExplainVerb<Plan>.self,
    ]
  }

  /// Does what the command line of this process says, and ends the process.
  ///
  /// In its messages the command calls itself what the executable is called.
  public static func main() async -> Never {
    exit(await GenericCommand.run(Command(name: executableName, verbs: verbs)))
  }

  /// The name of the executable as it was called, without the directories that lead to it.
  private static var executableName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "maintenance"
  }
}
