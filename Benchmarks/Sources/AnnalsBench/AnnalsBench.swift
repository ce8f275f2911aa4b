#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures Annals and its peers, and lets processes compete for one store.
@main
enum AnnalsBench {
  /// The commands by the word that names them. Some are run by others of these
  /// commands, as processes of their own.
  private static let commands: [String: any Command.Type] = [
    "chart": ChartCommand.self, "growth": GrowthCommand.self, "history": HistoryCommand.self,
    "judge": JudgeCommand.self,
    "typed": TypedCommand.self,
    HistoryProcess.command: HistoryProcess.self, KilledFilling.command: KilledFilling.self,
    ViewFollower.command: ViewFollower.self,
    WeighedAppends.command: WeighedAppends.self, WeighedPass.command: WeighedPass.self,
  ]

  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    do {
      if let command = words.first.flatMap({ commands[$0] }) {
        try await command.init(words.dropFirst()).run()
      } else {
        try await MeasureCommand(words).run()
      }
    } catch let error as WrongUsage {
      complain("\(error)\n\(MeasureCommand.usage)")
      exit(EX_USAGE)
    } catch {
      complain("\(error)")
      exit(EXIT_FAILURE)
    }
  }

  private static func complain(_ text: String) {
    var errors = StandardError()
    print("annals-bench: \(text)", to: &errors)
  }
}
