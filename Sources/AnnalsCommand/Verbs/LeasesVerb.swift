import Annals

/// `leases`: lists the programs that have a store open with a plan.
struct LeasesVerb: Verb {
  static let name = "leases"
  static let summary = "Lists the programs that have the store open with a plan, and what they read."
  static let synopsis = "<store> [--json]"
  static let help = """

    Text has columns with a tab between: process, highest version that it reads, whether it passes over newer
    types. The version '?' is for a lease that cannot be read, which counts as below every version. Programs
    that were killed are not listed.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let options = StoreOptions(access: .readOnly, creation: .never)
    let programs = try EventLog(at: store.url, options: options).programs()
    if !isJSON { try output.writeLine("process\treads up to\tnewer types") }
    for program in programs {
      if isJSON {
        try output.write(program.line.bytes)
      } else {
        let columns = [
          program.process.map { "\($0)" } ?? "?", program.version.map { "\($0)" } ?? "?",
          program.skipsNewerTypes ? "skipped" : "an error",
        ]
        try output.writeLine(columns.joined(separator: "\t"))
      }
    }
    return ExitStatus.success
  }
}

extension LiveProgram {
  /// The program as a line for programs.
  var line: ReportLine {
    var line = ReportLine()
    line.add("process", process.map { "\($0)" })
    line.add("version", version)
    line.add("skipsNewerTypes", skipsNewerTypes)
    return line
  }
}
