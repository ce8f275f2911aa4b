import Annals

/// `repair`: replaces each unreadable entry with a stub, and rebuilds the other tables from the log.
struct RepairVerb: Verb {
  static let name = "repair"
  static let summary =
    "Repairs a store that has lost single entries, or rows that are derived from the log."
  static let synopsis = "<store> [--dry-run] [--json]"
  static let help = """

    Every other entry stays as it is. The old generation is kept with every byte until 'discard-previous', and
    'rollback' goes back to it. What an unfinished pass has copied is thrown away. A store with
    damaged pages is refused: restore a backup.

      --dry-run          only says what is lost
    """
  static let grammar = Arguments.Grammar(flags: ["--dry-run"], operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  private let isDryRun: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    isDryRun = arguments.has("--dry-run")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try EventLog.repair(store.url, isDryRun: isDryRun) { done in
      progress.update("\(done.done) of \(done.total) entries")
    }
    if isJSON {
      try output.write(Self.line(report).bytes)
    } else {
      try output.writeLine(Self.text(report))
    }
    return ExitStatus.success
  }

  private static func line(_ report: RepairReport) -> ReportLine {
    var line = ReportLine()
    line.add("isDone", report.isDone)
    line.add("isNeeded", report.isNeeded)
    line.add("generation", report.generation)
    line.add("predecessor", report.predecessor)
    line.add(
      "entries",
      report.entries.map { entry in
        var line = ReportLine()
        line.add("position", entry.position.rawValue)
        line.add("stream", entry.stream.text)
        line.add("revision", entry.revision.rawValue)
        line.add("isKnown", entry.isKnown)
        line.add("isFitted", entry.isFitted)
        line.add("problem", entry.problem)
        return line
      })
    line.add(
      "rebuilt",
      report.rebuilt.map { finding in
        var line = ReportLine()
        line.add("place", finding.place)
        line.add("problem", finding.problem)
        return line
      })
    return line
  }

  private static func text(_ report: RepairReport) -> String {
    guard report.isNeeded else { return "generation \(report.generation) is sound; nothing was done" }
    var lines = report.entries.map { PlainText.line(text($0)) }
    lines += report.rebuilt.map { PlainText.line("\($0.place): \($0.problem)") }
    let lost = "\(report.entries.count) entries lost, \(report.rebuilt.count) findings in tables"
    if report.isDone {
      lines.append(
        "\(lost); generation \(report.generation) is in use, and generation \(report.predecessor) is kept until 'discard-previous'"
      )
    } else {
      lines.append("\(lost); nothing was done")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ entry: RepairReport.Entry) -> String {
    let place = "position \(entry.position)"
    guard entry.isKnown else {
      return
        "\(place): the newest entry of a stream that nothing names, now in '\(entry.stream.text)': \(entry.problem)"
    }
    let fitted = entry.isFitted ? ", by its order" : ""
    return "\(place): revision \(entry.revision) of '\(entry.stream.text)'\(fitted): \(entry.problem)"
  }
}
