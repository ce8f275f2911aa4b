import Annals
import Synchronization

/// `activate`: from then on, events are stored in the plan's current version only.
struct ActivateVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "activate" }
  static var summary: String {
    "Makes the plan's current version the one that is stored; older programs append no more."
  }
  static var synopsis: String {
    "<store> [--dry-run] [--supersede] [--quarantine] [--drop-fields F] [--json]"
  }
  static var help: String {
    """

    What stages have to know of the whole log is worked out first. Older events stay as they are, and are
    upcast as they are read.

      --dry-run       says what is there and changes nothing
      --supersede     also if programs of older versions have the store open; they then append nothing more
      --quarantine    passes over entries that cannot be read, and lists them; what stages work out is frozen
                      without them
    \(FieldArguments.help)
    """
  }
  static var grammar: Arguments.Grammar {
    Arguments.Grammar(
      flags: ["--dry-run", "--supersede", "--quarantine"], values: [FieldArguments.value],
      operands: ["<store>"])
  }

  let store: StorePath
  let isRehearsal: Bool
  let superseding: Bool
  let isQuarantining: Bool
  let isJSON: Bool
  private let fields: FieldArguments
  private let inline: [any InlineProjection<Plan.Current.Event>.Type]

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    fields = try FieldArguments(arguments)
    inline = (arguments.inline as? KnownInline<Plan>)?.types ?? []
    isRehearsal = arguments.has("--dry-run")
    superseding = arguments.has("--supersede")
    isQuarantining = arguments.has("--quarantine")
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var options = StoreOptions(creation: .never)
    options.access = isRehearsal ? .readOnly : .readWrite
    let passedOver = PassedOver()
    if isQuarantining { options.unreadable = .quarantine { passedOver.add($0) } }
    options.dropFields = fields.names
    try fields.compare(with: store.url, Plan.self, isComplete: false)
    if !isRehearsal, Plan.hasContexts || Plan.adopted != nil {
      // Without this option such a store does not open. The open must not proceed without programs that are
      // to be waited for.
      let programs = try EventLog(at: store.url, options: options).programs()
      let older = programs.filter { $0.version.map { $0 < Plan.Current.version } ?? true }
      options.activating = superseding || older.isEmpty
    }
    let store = try EventStore(at: store.url, plan: Plan.self, options: options, inline: inline)
    let report = try store.activate(superseding: superseding, isRehearsal: isRehearsal)
    let entries = passedOver.entries
    let inForce = try store.log.inlineProjections().filter { $0.state == .live }
    if isJSON {
      var line = line(report, entries)
      line.add("inline", inForce.map { "\($0.name) \($0.version)" })
      try output.write(line.bytes)
    } else {
      for entry in entries { try output.writeLine(PlainText.line("passed over: \(entry.cause.message)")) }
      try output.write(PlainText.lines(report.description))
      for info in inForce {
        let name = PlainText.line(info.name)
        try output.writeLine("inline projection '\(name)', version \(info.version), is in force")
      }
    }
    return ExitStatus.success
  }

  private func line(_ report: ActivationReport, _ passedOver: [QuarantinedEntry]) -> ReportLine {
    var line = ReportLine()
    line.add("version", report.version)
    line.add("phase", report.phase.rawValue)
    line.add("olderEvents", report.olderEvents)
    line.add("olderPrograms", report.olderPrograms.map(\.line))
    line.add("activated", report.isActivated)
    line.add("passedOver", passedOver.map(\.position.description))
    return line
  }
}

/// The entries that an activation has skipped, each once, in the order of the log.
private final class PassedOver: Sendable {
  private let found = Mutex<[Position: QuarantinedEntry]>([:])

  /// Records an entry. Several stages may report the same one.
  func add(_ entry: QuarantinedEntry) {
    found.withLock { _ = $0.updateValue(entry, forKey: entry.position) }
  }

  var entries: [QuarantinedEntry] {
    found.withLock { $0.values.sorted { $0.position < $1.position } }
  }
}
