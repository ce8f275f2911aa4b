import Annals

/// `read`: writes some entries of a store as lines of JSON.
struct ReadVerb: Verb {
  static let name = "read"
  static let summary = "Shows entries of the log or of one stream as lines of JSON."
  static let synopsis =
    "<store> [--stream S] [--type T…] [--tag T…] [--from N | --after N] [--through N] [--backwards] [--limit N] [--raw] [--follow] [--json]"
  static let help = """

    Reading ends at the newest entry that the log had at the beginning, unless --follow is given.

    Pages are not checked before they are read, so that the time does not grow with the log. A damaged page
    can end the command with a signal and without an error. If that happens, run 'verify', which lists the
    damage. With --trust nobody a store with a damaged page is refused instead.

      --stream S         only the entries of this stream; none if it does not exist
    \(QueryArguments.help)
      --from N           the first entry: its revision (from 0) with --stream, its position (from 1) otherwise
      --after N          begins after this revision or position, in the direction of the read
      --through N        the last entry: its revision or position, in the direction of the read
      --backwards        newest first
      --limit N          at most N entries
      --follow           continues with entries as processes append them, until the limit is reached or the
                         command is interrupted
      --raw              the header and the stored bytes in hexadecimal digits, instead of decoded values
    """
  static let grammar = Arguments.Grammar(
    flags: ["--backwards", "--raw", "--follow"],
    values: ["--stream", "--from", "--after", "--through", "--limit"], lists: QueryArguments.lists,
    operands: ["<store>"])

  let store: StorePath
  let selection: EntrySelection
  let isFollowing: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    selection = EntrySelection(
      stream: try arguments.value("--stream").map { StreamName($0) }, start: try arguments.number("--from"),
      after: try arguments.number("--after"), through: try arguments.number("--through"),
      matching: try QueryArguments.query(arguments), backwards: arguments.has("--backwards"),
      limit: try arguments.count("--limit") ?? .max,
      isRaw: arguments.has("--raw"))
    isFollowing = arguments.has("--follow")
    if isFollowing, selection.backwards {
      throw UsageError("--follow goes forwards: leave out --backwards")
    }
    if selection.stream == nil {
      if selection.start == 0 { throw UsageError("--from 0: positions are counted from 1") }
      if selection.end == 0 { throw UsageError("--through 0: positions are counted from 1") }
    }
    if selection.start != nil, selection.after != nil {
      throw UsageError("--from and --after exclude each other")
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var lines = try EntryLines(EventLog(at: store), selection)
    let wait = FollowWait()
    var interruption: Interruption?
    var goesOn: Bool
    repeat {
      // Until the older entries are written, an interruption ends the command at once: its output may be
      // waiting for a reader that has stopped.
      while !wait.isOver, let page = try lines.nextPage() { try output.write(page) }
      goesOn = false
      if isFollowing {
        if interruption == nil { interruption = Interruption { wait.end() } }
        // The reader of the output must not have to wait for the next entry.
        try output.flush()
        goesOn = try await wait.run(&lines) { [output] in output.hasReader }
      }
    } while goesOn
    withExtendedLifetime(interruption) {}
    return ExitStatus.success
  }
}
