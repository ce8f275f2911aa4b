import Annals

/// `check`: checks that a plan is valid, still has the released versions, and opens a store.
struct CheckVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "check" }
  static var summary: String { "Checks the plan: by itself, against a lock file, against a store." }
  static var synopsis: String {
    "[--propose] [--lock FILE [--update]] [--store STORE [--scan]] [--full] [--json]"
  }
  static var help: String {
    """

    Shows what each stage does to each record and what is wrong with the plan or worth knowing. The exit
    status is 1 if an error is found, if something released has changed, or if the plan does not open the
    store as it is. The last lines about a store say whether the plan may begin at a later version. A store
    with older events is refused then.

      --propose          prints lines of Swift for fields and records that are perhaps renamed, or are new
                         without a value: originalName, formerly and Default. Nothing is edited
      --lock FILE        compares the plan with what the file says was released
      --update           adds to the file what is not in it; what is there is never changed
      --store STORE      says of each kind in the store whether the plan reads it, through which stages, and
                         what is due
      --scan             reads the store's log for fields that the plan does not declare: an adoption or a
                         pass would lose them
      --full             what older programs cannot read is a warning, not a note
    """
  }
  static var grammar: Arguments.Grammar {
    Arguments.Grammar(
      flags: ["--update", "--full", "--scan", "--propose"], values: ["--lock", "--store"], operands: [])
  }

  let lock: StorePath?
  let isUpdating: Bool
  let store: StorePath?
  let isScanning: Bool
  let isProposing: Bool
  let compatibility: PlanCheck.Compatibility
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    lock = try arguments.path("--lock")
    isUpdating = arguments.has("--update")
    store = try arguments.path("--store")
    compatibility = arguments.has("--full") ? .full : .backward
    isJSON = arguments.has("--json")
    isScanning = arguments.has("--scan")
    isProposing = arguments.has("--propose")
    guard !isScanning || store != nil else { throw UsageError("--scan needs --store") }
    guard !isUpdating || lock != nil else { throw UsageError("--update needs --lock") }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let (check, refusal) = try plan()
    try output.write(isJSON ? Self.lines(check) : PlainText.lines(check.description))
    if let refusal {
      try output.write(
        isJSON ? Self.line(.error, refusal.message) : PlainText.lines("error: \(refusal.message)"))
    }
    if isProposing {
      let proposals = PlanCheck.proposals(for: Plan.self)
      try output.write(isJSON ? Self.lines(proposals) : PlainText.lines(Self.text(of: proposals)))
    }
    // The result for a store means nothing if the plan itself is invalid.
    guard check.errors.isEmpty, refusal == nil else { return ExitStatus.failure }
    guard let store else { return ExitStatus.success }
    let found = try Plan.check(store: store.url, scanning: isScanning)
    try output.write(isJSON ? Self.lines(found) : PlainText.lines("\n\(found)"))
    return found.opens && found.undeclared?.isEmpty ?? true ? ExitStatus.success : ExitStatus.failure
  }

  /// Returns the plan's check, and the error if the lock file refuses the plan.
  private func plan() throws(AnnalsError) -> (PlanCheck, AnnalsError?) {
    let alone = PlanCheck(of: Plan.self, compatibility: compatibility)
    guard let lock else { return (alone, nil) }
    do throws(AnnalsError) {
      return (
        try Plan.check(lock: lock.url, recording: isUpdating, compatibility: compatibility), nil
      )
    } catch  where error.code == .shapeChanged || error.code == .invalidPlan {
      // The plan's own errors are already in its report.
      return (alone, error.code == .invalidPlan && !alone.errors.isEmpty ? nil : error)
    }
  }
}

extension CheckVerb {
  /// Returns the proposals, those of each stage together.
  private static func text(of proposals: [PlanCheck.Proposal]) -> String {
    guard !proposals.isEmpty else { return "\nnothing to propose" }
    var text = ""
    var before: PlanCheck.Proposal?
    for proposal in proposals {
      if before?.from != proposal.from {
        text += "\nproposed for \(proposal.from) -> \(proposal.to):\n"
      }
      text += "  in the \(proposal.place.rawValue): \(proposal)\n"
      before = proposal
    }
    return String(text.dropLast())
  }

  /// Returns the proposals for programs.
  private static func lines(_ proposals: [PlanCheck.Proposal]) -> [UInt8] {
    proposals.flatMap { proposal in
      var line = ReportLine()
      line.add("from", proposal.from)
      line.add("to", proposal.to)
      line.add("record", proposal.record)
      line.add("place", proposal.place.rawValue)
      line.add("proposed", proposal.line)
      line.add("reason", proposal.reason)
      return line.bytes
    }
  }

  /// Returns the plan's report for programs: the versions, the changes to each record at each stage, the
  /// findings.
  private static func lines(_ check: PlanCheck) -> [UInt8] {
    var first = ReportLine()
    first.add("plan", check.plan)
    first.add("versions", check.versions.map(\.description))
    var bytes = first.bytes
    for stage in check.stages {
      for record in stage.bridge ?? [] {
        var line = ReportLine()
        line.add("from", stage.from)
        line.add("to", stage.to)
        line.add("bridged", record.name)
        line.add("form", record.form.rawValue)
        line.add("losing", record.losing)
        bytes += line.bytes
      }
      for record in stage.records { bytes += line(record, stage) }
    }
    for record in check.readers {
      var line = ReportLine()
      line.add("version", record.version)
      line.add("stored", record.record)
      line.add("oldestReader", record.oldest)
      line.add("reason", record.reason)
      bytes += line.bytes
    }
    for finding in check.findings { bytes += line(finding.severity, finding.message) }
    return bytes
  }

  private static func line(_ record: PlanCheck.RecordFate, _ stage: PlanCheck.Stage) -> [UInt8] {
    var line = ReportLine()
    line.add("from", stage.from)
    line.add("to", stage.to)
    line.add("record", record.name)
    record.add(to: &line)
    return line.bytes
  }

  private static func line(_ severity: PlanCheck.Finding.Severity, _ message: String) -> [UInt8] {
    var line = ReportLine()
    line.add("severity", severity.rawValue)
    line.add("message", message)
    return line.bytes
  }

  /// Returns the store's part for programs: its kinds, the stages, and the totals.
  private static func lines(_ check: StoreCheck) -> [UInt8] {
    var bytes: [UInt8] = []
    for kind in check.kinds {
      var line = ReportLine()
      line.add("type", kind.type)
      line.add("version", kind.version)
      line.add("count", kind.count)
      line.add("stubs", kind.stubs)
      line.add("quarantined", kind.quarantined)
      line.add("first", kind.first.rawValue)
      line.add("stages", kind.stages.map(\.description))
      line.add("newer", kind.isNewer)
      line.add("byName", kind.isByName)
      line.add("retainedBy", kind.retainedBy)
      line.add("problem", kind.problem)
      bytes += line.bytes
    }
    for stage in check.stages {
      var line = ReportLine()
      line.add("from", stage.from)
      line.add("to", stage.to)
      line.add("events", stage.events)
      line.add("due", stage.isDue)
      line.add("needsPass", stage.needsPass)
      line.add("scope", stage.scope.rawValue)
      line.add("bridge", stage.isBridge)
      line.add("phase", stage.phase.rawValue)
      bytes += line.bytes
    }
    for field in check.undeclared ?? [] {
      var line = ReportLine()
      line.add("undeclared", field.line)
      bytes += line.bytes
    }
    var line = ReportLine()
    line.add("opens", check.opens)
    line.add("needsActivation", check.needsActivation)
    line.add("needsPass", check.needsPass)
    line.add("unadopted", check.unadopted)
    line.add("refusal", check.refusal)
    line.add("oldest", check.oldest)
    line.add("current", check.current)
    line.add("raisable", check.raisable)
    return bytes + line.bytes
  }
}
