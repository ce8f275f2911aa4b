import Annals

/// `accept`: lets a held generation take appends.
struct AcceptVerb: Verb {
  static let name = "accept"
  static let summary = "Lets a store take appends again, after a switch with --hold."
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
    let report = try EventLog.accept(store.url)
    if isJSON {
      var line = ReportLine()
      line.add("generation", report.generation)
      line.add("wasHeld", report.wasHeld)
      try output.write(line.bytes)
    } else {
      try output.writeLine(
        report.wasHeld
          ? "generation \(report.generation) takes appends" : "generation \(report.generation) was not held")
    }
    return ExitStatus.success
  }
}
