import Annals

/// `truncate`: hides the oldest events of a stream.
struct TruncateVerb: Verb {
  static let name = "truncate"
  static let summary = "Hides the oldest events of a stream, or all of them, from reads of the stream."
  static let synopsis = "<store> <stream> [--before N] [--by WHO] [--because WHY] [--json]"
  static let help = """

    The next event continues the revisions of the stream. Reads of the whole log and views see hidden events
    until 'compact' or 'migrate' turns them into stubs. They cannot be shown again.

      --before N         the oldest revision that is still read; without it, all events are hidden
    \(ChangeArguments.help)
    """
  static let grammar = Arguments.Grammar(
    values: ChangeArguments.values.union(["--before"]), operands: ["<store>", "<stream>"])

  private let arguments: ChangeArguments
  private let revision: Revision?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = try ChangeArguments(arguments)
    revision = try arguments.number("--before").map { Revision($0) }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let position = try await arguments.log().truncate(
      arguments.stream, before: revision, by: arguments.author, because: arguments.reason)
    let hidden = revision.map { "events before revision \($0.rawValue)" } ?? "events"
    try arguments.report(position, "truncated", idle: "has no \(hidden) left to hide", to: &output)
    return ExitStatus.success
  }
}
