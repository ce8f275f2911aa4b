import Annals

/// `restore`: creates a store from a backup.
struct RestoreVerb: Verb {
  static let name = "restore"
  static let summary = "Makes a store out of a backup, which is checked first and not changed."
  static let synopsis = "SRC DEST [--json]"
  static let help = """

    Nothing in SRC is trusted: its bytes are copied to the new place, and there every page, entry and row is
    checked before anything is used. The new store is another incarnation of the log, which branches off
    after its last position. SRC stays as it is.

      SRC                the backup; or a store, if it takes appends more slowly than it can be copied
      DEST               where the store will be; nothing may be there, and the directory above must exist
    """
  static let grammar = Arguments.Grammar(operands: ["SRC", "DEST"])

  let source: StorePath
  let destination: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    source = try arguments.path(operand: 0)
    destination = try arguments.path(operand: 1)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try EventLog.restore(source.url, to: destination.url) { done in
      progress.update("\(done.done) of \(done.total) entries checked")
    }
    try output.write(isJSON ? report.line : report.text("restored"))
    return ExitStatus.success
  }
}
