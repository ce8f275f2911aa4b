import Annals
import AnnalsCommand
import AnnalsSwiftData

/// `inspect`: shows what a file of SwiftData or Core Data has.
struct InspectVerb: Verb {
  static let name = "inspect"
  static let summary = "Shows the entities of a file with their rows, attributes and relationships."
  static let synopsis = "<file> [--json]"
  static let help = """

    It also says whether the file has the framework's persistent history. The file and what is next to it are
    copied first, and nothing there is changed.

    """
  static let grammar = Arguments.Grammar(operands: ["<file>"])

  private let file: StorePath
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    file = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let inspection = SwiftDataInspection(try SwiftDataFile(at: file.url))
    try output.write(Array((isJSON ? inspection.json() : inspection.text()).utf8))
    return ExitStatus.success
  }
}
