import Annals

/// `discard-previous`: removes the generations that are not in use.
struct DiscardPreviousVerb: Verb {
  static let name = "discard-previous"
  static let summary =
    "Removes the generations that are not in use: what passes have copied, and what was rolled back."
  static let synopsis = "<store> [--json]"
  static let help = """

    It also removes the rows of views that were withdrawn because of an erasure, unless a program has them
    open. What the removed files held is gone from the store. The file system, snapshots of the disk and
    backups may still have it.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try EventLog.discardPrevious(store.url)
    if isJSON {
      try output.write(Self.line(report).bytes)
    } else {
      try output.writeLine(Self.text(report))
    }
    return ExitStatus.success
  }

  private static func line(_ report: DiscardReport) -> ReportLine {
    var line = ReportLine()
    line.add("generation", report.inUse)
    line.add("discarded", report.discarded.map { "\($0)" })
    line.add("bytes", UInt64(clamping: report.bytes))
    line.add(
      "kept",
      report.kept.map { kept in
        var line = ReportLine()
        line.add("file", kept.file)
        line.add("reason", kept.reason)
        return line
      })
    line.add("views", report.views)
    return line
  }

  private static func text(_ report: DiscardReport) -> String {
    var lines: [String] = []
    if report.discarded.isEmpty {
      lines.append("there was nothing to remove except generation \(report.inUse)")
    } else {
      let list = report.discarded.map { "\($0)" }.joined(separator: ", ")
      lines.append(
        "removed generation \(list), \(report.bytes) bytes; generation \(report.inUse) is in use")
    }
    for view in report.views { lines.append("removed the former rows of the view '\(PlainText.line(view))'") }
    for kept in report.kept { lines.append("left alone: \(PlainText.line(kept.file)), \(kept.reason)") }
    return lines.joined(separator: "\n")
  }
}
