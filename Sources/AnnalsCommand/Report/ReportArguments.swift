import Annals

/// The arguments of `report`, with a plan or without one.
struct ReportArguments {
  static let summary = "Writes one self-contained HTML page about the store, without payloads."
  static let synopsis = "<store> [-o FILE] [--watch] [--interval N] [--verify] [--entry POSITION …] [--json]"
  static let help = """

    The page needs no network and has no script. It shows events and bytes along the log, versions that are
    still stored, the largest streams, views, consumers, programs and sizes. Of a log with more than 20,000
    entries, the charts are drawn from 20,000 evenly spaced ones; the counts are exact. With the command for
    the stores of one plan the page also says which schemas can be deleted and what a pass would change.

      -o FILE            writes the page to FILE, whole or not at all; standard output by default
      --watch            writes the page again and again until it is interrupted, and the page loads itself
                         again; needs -o
      --interval N       the seconds between two pages; 5 by default
      --verify           checks every page and entry first, once, and shows the findings
      --entry POSITION   also shows this entry with its payload: stored, and with a plan after each stage and
                         now; may be repeated
    """
  static let grammar = Arguments.Grammar(
    flags: ["--watch", "--verify"], values: ["-o", "--interval"], lists: ["--entry"], operands: ["<store>"])

  let store: StorePath
  let file: StorePath?
  let isWatching: Bool
  let interval: Int
  let isVerifying: Bool
  let entries: [Position]
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    file = try arguments.path("-o")
    isWatching = arguments.has("--watch")
    interval = try WatchInterval.seconds(arguments, byDefault: 5)
    isVerifying = arguments.has("--verify")
    isJSON = arguments.has("--json")
    entries = try arguments.list("--entry").map { (text) throws(UsageError) in
      guard let number = Arguments.wholeNumber(text), number > 0 else {
        throw UsageError("--entry needs a position, a whole number from 1, not '\(text)'")
      }
      return Position(number)
    }
    if isWatching, file == nil { throw UsageError("--watch needs a file to write: add -o FILE") }
    if isWatching, isJSON { throw UsageError("--watch and --json exclude each other") }
  }
}

/// The option of verbs that look at a store again and again.
enum WatchInterval {
  /// Returns the value of `--interval`.
  static func seconds(_ arguments: Arguments, byDefault usual: Int) throws(UsageError) -> Int {
    guard let seconds = try arguments.count("--interval") else { return usual }
    guard (1...86_400).contains(seconds) else {
      throw UsageError("--interval needs a number of seconds from 1 to 86400")
    }
    return seconds
  }
}
