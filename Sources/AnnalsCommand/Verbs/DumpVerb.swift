import Annals

/// `dump`: writes the whole log as lines of JSON.
struct DumpVerb: Verb {
  static let name = "dump"
  static let summary = "Writes the log, or a part of it, as lines of JSON, which 'import' takes."
  static let synopsis = "<store> [--type T…] [--tag T…] [--after N] [--through N] [--json]"
  static let help = """

    The dump ends at the newest entry that the log had when it began. A damaged entry ends it with an error,
    after the entries before it. By default the whole log is written. Standard error says how many lines are
    too long for 'import'.

    \(options)
    """
  static let options = """
    \(QueryArguments.help)
      --after N          only entries after this position
      --through N        only entries up to this position
    """
  static let checksEveryPage = true
  static let grammar = Arguments.Grammar(
    values: ["--after", "--through"], lists: QueryArguments.lists, operands: ["<store>"])

  let store: StorePath
  let selection: EntrySelection

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    selection = EntrySelection(
      after: try arguments.number("--after"), through: try arguments.number("--through"),
      matching: try QueryArguments.query(arguments))
    if selection.end == 0 { throw UsageError("--through 0: positions are counted from 1") }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var lines = try EntryLines(EventLog(at: store), selection)
    try output.write(&lines, &progress)
    progress.note(lines.tooLong)
    return ExitStatus.success
  }
}

extension ProgressLine {
  /// Keeps a note of the lines of a dump that no import takes, if there are any.
  mutating func note(_ lines: LongLines) {
    guard let first = lines.first else { return }
    let (line, payload) = (lines.lineLimit >> 20, lines.payloadLimit >> 20)
    var report = ReportLine()
    report.add("note", "linesTooLong")
    report.add("lines", lines.count)
    report.add("first", first)
    note(
      CommandNote(
        text:
          "'import' refuses \(lines.count) of the lines, the first of position \(first): a line has at most \(line) MiB, and 'data' at most \(payload) MiB by name; copy the store with 'backup' and 'restore'",
        line: report))
  }
}
