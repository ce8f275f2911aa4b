import Annals

/// `dump`: writes the whole log as lines of JSON.
struct DumpVerb: Verb {
  static let name = "dump"
  static let summary = "Writes the whole log as lines of JSON, which 'import' takes."
  static let synopsis = "<store> [--json]"
  static let help = """

    The dump ends at the newest entry that the log had when it began. A damaged entry ends it with an error,
    after the entries before it.

    """
  static let checksEveryPage = true
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var lines = try EntryLines(EventLog(at: store))
    try output.write(&lines, &progress)
    return ExitStatus.success
  }
}
