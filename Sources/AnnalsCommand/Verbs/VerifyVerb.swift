import Annals

/// `verify`: checks every invariant of a store.
struct VerifyVerb: Verb {
  static let name = "verify"
  static let summary = "Checks every page, every entry and every table of a store."
  static let synopsis = "<store> [--json]"
  static let help = """

    Each finding names its place and the remedy. The exit status is 1 if there is one. Nothing is changed.

    Rows of inline projections are compared with their checksums. The command for the stores of one plan also
    folds the log for each of its projections that is in force, and compares the rows. For each of them this
    takes as long as reading the log, and memory for the rows. Without the keys of personal fields, as in a
    backup, these rows are not compared: a line says so, and the exit status is that of all other checks.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  private let inline: (any KnownInlineProjections)?

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    inline = arguments.inline
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var report = try EventLog.verify(store.url) { done in
      progress.update("\(done.done) of \(done.total) entries")
    }
    var omission: String?
    if report.isComplete, let inline {
      progress.update("folding inline projections")
      do { omission = try inline.verify(store, &report) } catch {
        // Findings made without the plan are still reported, unless the output is closed.
        do { try show(report.findings, to: &output) } catch .closed {}
        throw error
      }
    }
    do {
      try show(report.findings, to: &output)
      if isJSON {
        try output.write(Self.line(report, omission))
      } else {
        if let omission {
          try output.writeLine(
            PlainText.line("the rows of inline projections are not compared with the log: \(omission)"))
        }
        try output.writeLine(Self.text(report))
      }
    } catch .closed {
      // A reader that closes the output early still needs the exit status.
    }
    return report.isClean ? ExitStatus.success : ExitStatus.failure
  }

  private func show(_ findings: [Finding], to output: inout some ByteOutput) throws(OutputError) {
    for finding in findings { try output.write(isJSON ? Self.line(finding) : Self.text(finding)) }
  }

  private static func line(_ finding: Finding) -> [UInt8] {
    var line = ReportLine()
    line.add("place", finding.place)
    if let position = finding.position { line.add("position", position.rawValue) }
    line.add("problem", finding.problem)
    line.add("repair", finding.repair.rawValue)
    return line.bytes
  }

  private static func text(_ finding: Finding) -> [UInt8] {
    Array(
      "\(PlainText.line("\(finding.place): \(finding.problem); \(finding.repair.rawValue)"))\n".utf8)
  }

  private static func line(_ report: VerifyReport, _ omission: String?) -> [UInt8] {
    var line = ReportLine()
    line.add("entries", report.entries)
    line.add("streams", report.streams)
    line.add("findings", UInt64(clamping: report.count))
    line.add("isComplete", report.isComplete)
    if let omission { line.add("inlineNotCompared", omission) }
    return line.bytes
  }

  private static func text(_ report: VerifyReport) -> String {
    guard report.isComplete else {
      return "\(report.count) findings in the file's pages; the log was not read"
    }
    let read = "\(report.entries) entries in \(report.streams) streams"
    if report.isClean { return "\(read), nothing wrong" }
    let listed = report.findings.count < report.count ? ", the first \(report.findings.count) listed" : ""
    return "\(read), \(report.count) findings\(listed)"
  }
}
