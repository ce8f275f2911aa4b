import Annals

/// `close`: lets a stream take no more events.
struct CloseVerb: Verb {
  static let name = "close"
  static let summary = "Closes a stream: it takes no more events until it is reopened. Reads go on."
  static let synopsis = "<store> <stream> [--by WHO] [--because WHY] [--json]"
  static let help = """

    \(ChangeArguments.help)
    """
  static let grammar = Arguments.Grammar(
    values: ChangeArguments.values, operands: ["<store>", "<stream>"])

  private let arguments: ChangeArguments

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = try ChangeArguments(arguments)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let position = try await arguments.log().close(
      arguments.stream, by: arguments.author, because: arguments.reason)
    try arguments.report(position, "closed", to: &output)
    return ExitStatus.success
  }
}

/// `reopen`: lets a closed stream take events again.
struct ReopenVerb: Verb {
  static let name = "reopen"
  static let summary = "Reopens a closed stream, which then takes events after its newest one."
  static let synopsis = "<store> <stream> [--by WHO] [--because WHY] [--json]"
  static let help = """

    \(ChangeArguments.help)
    """
  static let grammar = Arguments.Grammar(
    values: ChangeArguments.values, operands: ["<store>", "<stream>"])

  private let arguments: ChangeArguments

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = try ChangeArguments(arguments)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let position = try await arguments.log().reopen(
      arguments.stream, by: arguments.author, because: arguments.reason)
    try arguments.report(position, "open", to: &output)
    return ExitStatus.success
  }
}
