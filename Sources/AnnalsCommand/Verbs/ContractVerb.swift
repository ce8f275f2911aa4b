import Annals

/// `contract`: retires all versions below the plan's current one.
struct ContractVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "contract" }
  static var summary: String {
    "Gives up all versions below the plan's current one; programs of them do not open the store any more."
  }
  static var synopsis: String {
    "<store> [--dry-run] [--give-up-quarantined N] [--confirm N] [--json]"
  }
  static var help: String {
    """

    Every event must be of the current version by then ('migrate'), and no program of an older one may have
    the store open ('leases').

      --dry-run                  says what is in the way and what would be lost for good, and changes nothing
      --give-up-quarantined N    gives up the N events that a migration pass has set aside, and leaves stubs
      --confirm N                confirms what is lost for good by the number of dropped entries that
                                 --dry-run shows
    """
  }
  static var grammar: Arguments.Grammar {
    Arguments.Grammar(
      flags: ["--dry-run"], values: ["--give-up-quarantined", "--confirm"], operands: ["<store>"])
  }

  let store: StorePath
  let options: ContractOptions
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    options = ContractOptions(
      isRehearsal: arguments.has("--dry-run"),
      givingUpQuarantined: try arguments.number("--give-up-quarantined"),
      confirming: try arguments.number("--confirm"))
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var opening = StoreOptions(creation: .never)
    opening.access = options.isRehearsal ? .readOnly : .readWrite
    let store = try EventStore(at: store.url, plan: Plan.self, options: opening)
    let report = try store.contract(options)
    try output.write(isJSON ? line(report).bytes : PlainText.lines(report.description))
    return ExitStatus.success
  }

  private func line(_ report: ContractReport) -> ReportLine {
    var line = ReportLine()
    line.add("version", report.version)
    line.add("phase", report.phase.rawValue)
    line.add("older", report.older.map { Self.counted($0.type, $0.version, $0.count) })
    line.add("quarantined", report.quarantined)
    line.add("olderPrograms", report.olderPrograms.map(\.line))
    line.add("dropped", report.dropped.map { Self.counted($0.type, $0.version, $0.count) })
    line.add("droppedEntries", report.droppedEntries)
    line.add("retained", report.retained.map { Self.counted($0.type, $0.version, $0.count) })
    line.add("removedFields", report.removedFields.map(Self.field))
    line.add("convertedFields", report.convertedFields.map(Self.field))
    line.add("contexts", report.contexts.map(\.description))
    line.add("contracted", report.isContracted)
    return line
  }

  private static func field(_ field: ContractReport.RemovedField) -> ReportLine {
    var line = ReportLine()
    line.add("version", field.version)
    line.add("type", field.type)
    line.add("field", field.field)
    return line
  }

  private static func counted(_ type: String, _ version: SchemaVersion?, _ count: UInt64) -> ReportLine {
    var line = ReportLine()
    line.add("type", type)
    line.add("version", version)
    line.add("count", count)
    return line
  }
}
