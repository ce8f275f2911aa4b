import Annals

/// `migrate`: rewrites every entry in the plan's current version.
struct MigrateVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "migrate" }
  static var summary: String {
    "Rewrites the whole log in the plan's current version, while reads and appends continue, and switches to it."
  }
  static var synopsis: String {
    "<store> [--dry-run] [--to V] [--drop-fields F] [--archive FILE] [--renew-keys] [--rate N] [--threads N] [--hold] [--json] …"
  }
  static var help: String {
    """

    The contexts of stages are computed first, and stay even if the pass fails. The old generation is kept
    until 'discard-previous'. Ctrl-C keeps the finished work: run the same command again to continue.

    A stage that moves entries to other streams takes a pass of its own, up to that stage, and the rest takes
    another one. With --dry-run and --hold the command ends after the first pass; run 'migrate' again for the
    next.

      --to V          stops at version V of the plan
      --archive FILE  writes what entries lose to FILE, a line of JSON for each; FILE must not be there. Of several
                      passes the second one writes FILE.2, and so on
      --renew-keys    encrypts personal fields again that have an older key than their person's newest
    \(FieldArguments.help)
    \(PassArguments.help)
    """
  }
  static var grammar: Arguments.Grammar {
    Arguments.Grammar(
      flags: PassArguments.flags.union(["--renew-keys"]),
      values: PassArguments.values.union(["--to", "--archive", FieldArguments.value]),
      operands: ["<store>"])
  }

  let store: StorePath
  let isJSON: Bool
  private let pass: PassArguments
  private let fields: FieldArguments
  private let version: SchemaVersion?
  private let inline: [any InlineProjection<Plan.Current.Event>.Type]

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    inline = (arguments.inline as? KnownInline<Plan>)?.types ?? []
    var pass = try PassArguments(arguments)
    pass.options.renewsKeys = arguments.has("--renew-keys")
    pass.options.archive = try arguments.path("--archive")?.url
    if pass.options.archive != nil, pass.options.isRehearsal {
      throw UsageError("--archive and --dry-run exclude each other: a dry run writes nothing")
    }
    self.pass = pass
    fields = try FieldArguments(arguments)
    version = try arguments.value("--to").map { (text) throws(UsageError) in
      guard let version = SchemaVersion(text) else { throw UsageError("--to needs a version such as 2.0.0") }
      return version
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var options = StoreOptions(creation: .never)
    options.access = pass.options.isRehearsal ? .readOnly : .readWrite
    options.dropFields = fields.names
    // A rehearsal reports lost fields also for a store that must be activated first.
    try fields.compare(with: store.url, Plan.self, isComplete: pass.options.isRehearsal)
    // A pass to an earlier version must not commit other programs to the later ones.
    options.activating =
      !pass.options.isRehearsal && (version ?? Plan.Current.version) == Plan.Current.version
    // The computation of contexts skips the entries that the pass sets aside.
    if pass.options.unreadable == .quarantine { options.unreadable = .quarantine { _ in } }
    var migration = try PlanMigration(
      at: store.url, plan: Plan.self, to: version, options: options, inline: inline)
    var status = ExitStatus.success
    while status == ExitStatus.success, let run = try migration.next(pass.options) {
      status = try await PassWatch(run: run, isJSON: isJSON).finish(to: &output, &progress)
      // A further pass would be refused until this one is accepted.
      if pass.options.isHolding { break }
    }
    return status
  }
}
