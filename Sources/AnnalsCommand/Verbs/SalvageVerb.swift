import Annals

/// `salvage`: writes every entry as it is stored, including damaged ones.
struct SalvageVerb: Verb {
  static let name = "salvage"
  static let summary = "Writes every entry as stored, as lines of JSON, and continues after damaged ones."
  static let synopsis = "<store> [--json]"
  static let help = """

    A sound entry has the line of 'read --raw'. One that cannot be read has its position, the problem and its
    stored bytes in hexadecimal digits. Keep the lines before 'repair', or before the store is moved aside.
    If a table that describes the store is damaged, the first line says so, and what may be missing. The
    status is 1 in both cases.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var lines = try SalvageLines(storeAt: store.url)
    try output.write(&lines, &progress)
    return lines.damaged == 0 && lines.problem == nil ? ExitStatus.success : ExitStatus.failure
  }
}
