import Annals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command for every store: all that needs no plan.
///
/// ``MaintenanceCommand``, the command for the stores of one plan, has these verbs and those that need the
/// plan.
public enum GenericCommand {
  /// The verbs that need no plan.
  static let verbs: [any Verb.Type] = [
    InfoVerb.self, StreamsVerb.self, CensusVerb.self, ReadVerb.self, DumpVerb.self, ImportVerb.self,
    VerifyVerb.self, BackupVerb.self, RestoreVerb.self, CompactVerb.self, RollbackVerb.self, AcceptVerb.self,
    DiscardPreviousVerb.self, SalvageVerb.self, RepairVerb.self, SetVerb.self, LeasesVerb.self,
    ViewsVerb.self,
  ]

  /// Does what the command line of this process says, and ends the process.
  public static func main() async -> Never {
    exit(await run(Command(name: "annals", verbs: verbs)))
  }

  /// Does what the command line of this process says.
  ///
  /// - Returns: The exit status.
  static func run(_ command: Command) async -> Int32 {
    // Output that nobody reads and a file at its limit would both end the process. An error can be reported
    // instead.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var output = BufferedOutput(.standardOutput)
    var errors = BufferedOutput(.standardError)
    do { try ProgramStart.reserveDescriptors() } catch {
      // Without them a file of the store could take the number of the output.
      return ExitStatus.of(error.code)
    }
    return await command.run(
      CommandWord.ofProcess, to: &output, errors: &errors, progress: .standardError)
  }
}
