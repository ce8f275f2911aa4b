import Annals

/// A command with verbs. It runs the verb that a command line names, and returns the exit status.
struct Command {
  /// The options that every verb has.
  static let commonFlags: Set<String> = ["--json", "--help"]
  /// The options with a value that every verb has.
  static let commonValues: Set<String> = ["--trust"]

  /// The name of the command.
  let name: String
  /// The verbs of the command.
  let verbs: [any Verb.Type]
  /// The projections passed to the command.
  var projections: [KnownProjection] = []
  /// The inline projections passed to the command.
  var inline: (any KnownInlineProjections)?
  /// The selections of events passed to the command.
  var selections: (any KnownSelections)?

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - output: Receives the result.
  ///   - errors: Receives errors.
  ///   - progress: Shows the progress of long work.
  /// - Returns: The exit status.
  func run(
    _ words: [CommandWord], to output: inout some ByteOutput, errors: inout some ByteOutput,
    progress: ProgressLine = ProgressLine()
  ) async -> Int32 {
    var progress = progress
    do {
      let status = try await perform(words, to: &output, &progress)
      progress.clear()
      tell(progress.notes, asLines: words.contains("--json"), to: &errors)
      return try finish(status, &output)
    } catch {
      progress.clear()
      guard let report = FailureReport(error, command: name) else { return ExitStatus.success }
      do {
        // Results found before the failure come first.
        try output.flush()
        try errors.write(words.contains("--json") ? report.json : report.text)
        try errors.flush()
      } catch {
        // The failure cannot be reported anywhere; the exit status still shows it.
      }
      return report.status
    }
  }

  /// Writes the notes to standard error.
  private func tell(_ notes: [CommandNote], asLines: Bool, to errors: inout some ByteOutput) {
    do throws(OutputError) {
      for note in notes {
        try errors.write(
          asLines ? note.line.bytes : Array("\(name): ".utf8) + PlainText.lines("note: \(note.text)"))
      }
      if !notes.isEmpty { try errors.flush() }
    } catch {
      // The failure cannot be reported anywhere, and the work is done.
    }
  }

  private func finish(_ status: Int32, _ output: inout some ByteOutput) throws(OutputError) -> Int32 {
    do {
      try output.flush()
    } catch .closed {
      // The work is done, so its status is valid even if the end of the output is not read.
    }
    return status
  }

  private func perform(
    _ words: [CommandWord], to output: inout some ByteOutput, _ progress: inout ProgressLine
  ) async throws -> Int32 {
    guard let word = words.first else { throw CommandLineError(UsageError("a verb is missing"), help: help) }
    if ["--help", "-h", "help"].contains(word.text) {
      try output.writeLine(help)
      return ExitStatus.success
    }
    let description: String?
    do throws(UsageError) { description = try self.description(words) } catch {
      throw CommandLineError(error, help: help)
    }
    if let description {
      try output.write(Array(description.utf8))
      return ExitStatus.success
    }
    guard let verb = verbs.first(where: { $0.name == word.text }) else {
      throw CommandLineError(UsageError("unknown verb '\(word)'\(Self.advice(on: word.text))"), help: help)
    }
    return try await perform(verb, Array(words.dropFirst()), to: &output, &progress)
  }

  private func perform<Work: Verb>(
    _: Work.Type, _ words: [CommandWord], to output: inout some ByteOutput, _ progress: inout ProgressLine
  ) async throws -> Int32 {
    if words.prefix(while: { $0 != "--" }).contains("--help") {
      try output.writeLine(help(of: Work.self))
      return ExitStatus.success
    }
    let work: Work
    let suspect: StorePath?
    do {
      var grammar = Work.grammar
      grammar.flags.formUnion(Self.commonFlags)
      grammar.values.formUnion(Self.commonValues)
      var arguments = try Arguments(words, grammar)
      arguments.projections = projections
      arguments.inline = inline
      arguments.selections = selections
      work = try Work(arguments)
      suspect = try arguments.trustsNobody(byDefault: Work.checksEveryPage) ? arguments.store : nil
    } catch {
      throw CommandLineError(error, help: "usage: \(name) \(Work.name) \(Work.synopsis)")
    }
    if let suspect { try check(suspect, &progress) }
    return try await work.run(to: &output, &progress)
  }
}

extension Command {
  /// Checks every page of a store before LMDB reads it. The verb reports a missing store.
  private func check(_ store: StorePath, _ progress: inout ProgressLine) throws(AnnalsError) {
    progress.update("checking pages")
    do throws(AnnalsError) { try EventLog.mustHaveSoundPages(store.url) } catch {
      guard error.code == .noSuchStore else { throw error }
    }
  }

  /// What the error for an unknown verb says of one that only the commands of plans have.
  private static func advice(on verb: String?) -> String {
    guard let verb, GenericCommand.verbsOfPlans.contains(verb) else { return "" }
    let other = verb == "forget" ? "; without inline projections, 'annals keys forget' does the same" : ""
    return
      ": it needs a plan, so only the command for the stores of one plan has it (MaintenanceCommand)\(other)"
  }

  /// The help of the command.
  private var help: String {
    let width = verbs.map { $0.name.count }.max() ?? 0
    let list = verbs.map { verb in
      "  \(verb.name)\(String(repeating: " ", count: width - verb.name.count))  \(verb.summary)"
    }
    return """
      usage: \(name) <verb> <store> [options]

      \(list.joined(separator: "\n"))

      \(Self.describingHelp) With --json results and errors are JSON, one object a line.
      \(ExitStatus.help)
      """
  }

  private func help(of verb: any Verb.Type) -> String {
    """
    usage: \(name) \(verb.name) \(verb.synopsis)

    \(verb.summary)
    \(verb.help)
    \(Self.commonHelp)
    """
  }

  /// The help of the options that every verb has.
  static let commonHelp = """
      --json             results and errors as JSON, one object a line
      --trust WHOM       'nobody': every page is checked first, which reads the whole file, and a damaged
                         one is an error; 'own': only the meta pages are, and a damaged page that is met
                         later can end the command with a signal. 'verify' finds damaged pages
    """
}

/// The error for an invalid command line, with advice.
struct CommandLineError: Error {
  let failure: UsageError
  let help: String

  init(_ failure: UsageError, help: String) {
    self.failure = failure
    self.help = help
  }
}
