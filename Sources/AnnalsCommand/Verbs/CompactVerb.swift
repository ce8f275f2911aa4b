import Annals

/// `compact`: copies every entry unchanged to a file without holes.
struct CompactVerb: Verb {
  static let name = "compact"
  static let summary =
    "Copies the log into a file without unused pages, while reads and appends continue, and switches to it."
  static let synopsis = "<store> [--rate N] [--hold] [--json] …"
  static let help = """

    The old generation is kept until 'discard-previous'. Ctrl-C keeps the finished work: run the same
    command again to continue.

    \(PassArguments.help)
    """
  static let grammar = Arguments.Grammar(
    flags: PassArguments.flags, values: PassArguments.values, operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  private let pass: PassArguments

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    pass = try PassArguments(arguments)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var options = StoreOptions(creation: .never)
    options.access = pass.options.isRehearsal ? .readOnly : .readWrite
    let log = try EventLog(at: store.url, options: options)
    return try await PassWatch(run: log.compact(pass.options), isJSON: isJSON).finish(to: &output, &progress)
  }
}
