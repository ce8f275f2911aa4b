import Annals
import AnnalsCommand
import AnnalsKeys

/// `prune`: removes keys that no event needs any more.
struct PruneVerb: Verb {
  static let name = "prune"
  static let summary = "Removes the older keys of persons that no event of the store needs any more."
  static let synopsis = "<store> [--json]"
  static let help = """

    It reads the whole log. No program may have the store open with a plan meanwhile, and 'discard-previous'
    comes first. Backups that were made before the keys were renewed need the older keys.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  private let store: StorePath
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let count = try SubjectKeys.removeUnused(ofStoreAt: store.url)
    if isJSON {
      var line = ReportLine()
      line.add("removed", UInt64(count))
      try output.write(line.bytes)
    } else {
      try output.writeLine(count == 1 ? "1 key was removed" : "\(count) keys were removed")
    }
    return ExitStatus.success
  }
}
