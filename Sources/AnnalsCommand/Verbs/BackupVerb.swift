import Annals

/// `backup`: copies a store, also while it is in use.
struct BackupVerb: Verb {
  static let name = "backup"
  static let summary =
    "Copies a store while others go on writing, and checks the copy before it gets its name."
  static let synopsis = "<store> DEST [--json]"
  static let help = """

    The backup is a store of its own, of one state of the log: every verb takes it. It has the generation in
    use and no unused pages. A damaged store is not backed up: the error names the place, and no file stays.

      DEST               where the backup will be; nothing may be there, and the directory above must exist
    """
  static let checksEveryPage = true
  static let grammar = Arguments.Grammar(operands: ["<store>", "DEST"])

  let store: StorePath
  let destination: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    destination = try arguments.path(operand: 1)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try log().backup(to: destination.url) { done in
      progress.update("\(done.done) of \(done.total) entries checked")
    }
    try output.write(isJSON ? report.line : report.text("backed up"))
    return ExitStatus.success
  }

  /// Opens the store for writing, which records the backup, or for reading where it cannot be written.
  private func log() throws(AnnalsError) -> EventLog {
    do throws(AnnalsError) {
      return try EventLog(at: store.url, options: StoreOptions(creation: .never))
    } catch {
      guard [.permission, .readOnly, .diskFull].contains(error.code) else { throw error }
      return try EventLog(at: store)
    }
  }
}
