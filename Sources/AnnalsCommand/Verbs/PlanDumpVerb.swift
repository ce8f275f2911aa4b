import Annals

/// `dump` with a plan: writes the whole log as lines of JSON, as stored or at a version of the plan.
struct PlanDumpVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { DumpVerb.name }
  static var summary: String {
    "Writes the log, or a part of it, as lines of JSON, as it is stored or as it is at a version of the plan."
  }
  static var synopsis: String {
    "<store> [--as V|current] [--type T…] [--tag T…] [--after N] [--through N] [--json]"
  }
  static var help: String {
    """

    Without --as the lines have entries as they are stored. With it each event is what the plan makes of it at
    that version. Each part of a split has a line of its own, and dropped entries have none. The dump ends at
    the newest entry that the log had when it began. An entry that is damaged, or that a rule fails for, ends
    it with an error, after the entries before it. Standard error names each field that is left out because no
    version of the plan declares it, and says how many lines are too long for 'import'. With --as, --type
    compares the names of record types at that version.

      --as V             the version, such as 2.0.0, or 'current'
    \(DumpVerb.options)
    """
  }
  static var checksEveryPage: Bool { true }
  static var grammar: Arguments.Grammar {
    var grammar = DumpVerb.grammar
    grammar.values.insert("--as")
    return grammar
  }

  private enum Form {
    case stored
    case at(SchemaVersion)
  }
  private let dump: DumpVerb
  private let form: Form

  init(_ arguments: Arguments) throws(UsageError) {
    dump = try DumpVerb(arguments)
    guard let text = try arguments.value("--as") else {
      form = .stored
      return
    }
    let versions = PlanCheck(of: Plan.self).versions
    let version = text == "current" ? Plan.Current.version : SchemaVersion(text)
    guard let version, versions.contains(version) else {
      let list = versions.map(\.description).joined(separator: ", ")
      throw UsageError("--as needs a version of the plan (\(list)) or 'current', not '\(text)'")
    }
    form = .at(version)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    guard case .at(let version) = form else { return try await dump.run(to: &output, &progress) }
    let selection = dump.selection
    var lines = try EventLines(
      EventLog(at: dump.store), plan: Plan.self, as: version, matching: selection.query,
      after: selection.after.map { Position($0) }, through: selection.end.map { Position($0) })
    try output.write(&lines, &progress)
    progress.note(lines.tooLong)
    let undeclared = lines.undeclared
    if !undeclared.isEmpty { progress.note(CommandNote(leftOut: undeclared)) }
    return ExitStatus.success
  }
}

extension CommandNote {
  /// Creates the note that the lines of a dump lack fields. `fields` is not empty.
  fileprivate init(leftOut fields: [UndeclaredField]) {
    let list = fields.map { "\n- \($0)" }.joined()
    text =
      "the lines leave out fields that their version does not declare; the store keeps them, and 'dump' without --as writes them:\(list)"
    var line = ReportLine()
    line.add("note", "undeclaredFields")
    line.add("fields", fields.map(\.line))
    self.line = line
  }
}
