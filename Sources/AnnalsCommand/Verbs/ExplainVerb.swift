import Annals

/// `explain`: shows an entry as it is stored, after each stage, and in the current version.
struct ExplainVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "explain" }
  static var summary: String {
    "Shows an entry as it is stored, after each stage with what took it, and now."
  }
  static var synopsis: String { "<store> POSITION [--json]" }
  static var help: String {
    """

    A stage that fails for the entry is shown with the reason, and the exit status is 1. An entry that was
    removed is shown with its coordinates and the reason.

      POSITION           the entry's place in the log, from 1
    """
  }
  static var grammar: Arguments.Grammar { Arguments.Grammar(operands: ["<store>", "POSITION"]) }

  let store: StorePath
  let position: Position
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    let text = try arguments.text(operand: 1)
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw UsageError("POSITION needs a whole number, not '\(text)'")
    }
    // Numbers too large for any log are clamped.
    let number = UInt64(text) ?? .max
    guard number > 0 else { throw UsageError("POSITION 0: positions are counted from 1") }
    position = Position(number)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let explanation = try EventLog(at: store).explain(position, plan: Plan.self)
    if isJSON {
      for line in try ExplanationLines(explanation).lines() { try output.write(line.bytes) }
    } else {
      for line in explanation.lines { try output.writeLine(PlainText.line(line)) }
    }
    return explanation.failure == nil ? ExitStatus.success : ExitStatus.failure
  }
}
