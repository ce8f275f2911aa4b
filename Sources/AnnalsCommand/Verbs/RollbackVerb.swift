import Annals

/// `rollback`: returns to the generation before the last switch.
struct RollbackVerb: Verb {
  static let name = "rollback"
  static let summary =
    "Goes back to the generation before the last switch, as long as nothing was appended since."
  static let synopsis = "<store> [--json]"
  static let help = ""
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try EventLog.rollback(store.url)
    if isJSON {
      var line = ReportLine()
      line.add("from", report.from)
      line.add("to", report.to)
      try output.write(line.bytes)
    } else {
      try output.writeLine(
        "generation \(report.to) is in use again; generation \(report.from) is kept until 'discard-previous'")
    }
    return ExitStatus.success
  }
}
