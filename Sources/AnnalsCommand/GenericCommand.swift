import Annals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command for every store, with the verbs that need no plan.
///
/// ``MaintenanceCommand``, the command for the stores of one plan, has these verbs and those that need the
/// plan.
public enum GenericCommand {
  /// The verbs that need no plan.
  static let verbs: [any Verb.Type] = [
    InfoVerb.self, StreamsVerb.self, CensusVerb.self, ReadVerb.self, DumpVerb.self, ImportVerb.self,
    VerifyVerb.self, BackupVerb.self, RestoreVerb.self, CompactVerb.self, RollbackVerb.self, AcceptVerb.self,
    DiscardPreviousVerb.self, SalvageVerb.self, RepairVerb.self, SetVerb.self, LeasesVerb.self,
    ViewsVerb.self, CloseVerb.self, ReopenVerb.self, TruncateVerb.self, EraseVerb.self, ErasuresVerb.self,
    RetainVerb.self, ReportVerb.self, TopVerb.self,
  ]

  /// The names of the verbs that only ``MaintenanceCommand`` has: its types of them need a plan.
  static let verbsOfPlans = [
    "migrate", "activate", "contract", "check", "schema", "forget", "explain", "rebuild",
  ]

  /// Runs the command line of this process, and ends the process.
  ///
  /// A verb that the command does not have is looked for as a program: `annals NAME` runs `annals-NAME` from
  /// the folders in `PATH`, with the same arguments and exit status.
  @MainActor
  public static func main() async -> Never {
    begin()
    let command = Command(name: "annals", verbs: verbs)
    if let program = ExternalProgram.find(
      CommandWord.ofProcess, command: command.name, verbs: verbs.map { $0.name })
    {
      let failure = program.run()
      exit(report(AnnalsError(failure, doing: "running '\(CommandWord(program.path))'"), of: command))
    }
    exit(await run(command))
  }

  /// Runs the command line of this process with the verbs of another program, and ends the process.
  ///
  /// - Parameters:
  ///   - name: The name of the program in its messages.
  ///   - verbs: Its verbs.
  @MainActor
  package static func main(called name: String, verbs: [any Verb.Type]) async -> Never {
    begin()
    exit(await run(Command(name: name, verbs: verbs)))
  }

  /// Reserves the descriptors of input and output, on the main thread and before it waits for the first time.
  ///
  /// From then on the system's threads open descriptors of their own. One with the number of a closed input
  /// would be read from forever.
  @MainActor
  static func begin() {
    do { try ProgramStart.reserveDescriptors() } catch {
      // Without them a file of the store could get the number of the output.
      exit(ExitStatus.of(error))
    }
  }

  /// Reports an error and returns its exit status.
  private static func report(_ error: AnnalsError, of command: Command) -> Int32 {
    let report = FailureReport(error, command: command.name)
    if let report {
      do { try Descriptor.standardError.write(report.text) } catch {
        // The failure cannot be reported anywhere; the exit status still shows it.
      }
    }
    return report?.status ?? ExitStatus.failure
  }

  /// Runs the command line of this process.
  ///
  /// - Returns: The exit status.
  static func run(_ command: Command) async -> Int32 {
    // A closed output and a file at its limit would both end the process. Instead, the error is reported.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var output = BufferedOutput(.standardOutput)
    var errors = BufferedOutput(.standardError)
    return await command.run(
      CommandWord.ofProcess, to: &output, errors: &errors, progress: .standardError)
  }
}
