import Annals

/// `report`: writes a page about a store.
struct ReportVerb: Verb {
  static let name = "report"
  static let summary = ReportArguments.summary
  static let synopsis = ReportArguments.synopsis
  static let help = ReportArguments.help
  static let grammar = ReportArguments.grammar

  private let making: ReportMaking

  init(_ arguments: Arguments) throws(UsageError) {
    making = ReportMaking(arguments: try ReportArguments(arguments), plan: nil)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    try await making.run(to: &output, &progress)
  }
}

/// `report` with a plan: also what the plan makes of the store and of entries.
struct PlanReportVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { ReportVerb.name }
  static var summary: String { ReportArguments.summary }
  static var synopsis: String { ReportArguments.synopsis }
  static var help: String { ReportArguments.help }
  static var grammar: Arguments.Grammar { ReportArguments.grammar }

  private let making: ReportMaking

  init(_ arguments: Arguments) throws(UsageError) {
    making = ReportMaking(arguments: try ReportArguments(arguments), plan: ReportPlan(Plan.self))
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    try await making.run(to: &output, &progress)
  }
}

/// Makes reports and writes them.
struct ReportMaking {
  let arguments: ReportArguments
  let plan: ReportPlan?

  /// Writes one report, or one after another until an interruption.
  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let url = arguments.store.url
    var options = StoreReport.Options()
    options.plan = plan
    options.entries = arguments.entries
    if arguments.isVerifying {
      let verification = try StoreReport.Verification(of: url) { done in
        progress.update("\(done.done) of \(done.total) entries")
      }
      progress.clear()
      // LMDB would trust damaged pages, and could end the process.
      if !verification.report.isComplete { try EventLog.mustHaveSoundPages(url) }
      options.verification = verification
    }
    let log = try EventLog(at: arguments.store)
    guard arguments.isWatching, let file = arguments.file else {
      let report = try await StoreReport(of: log, at: url, options)
      let page =
        arguments.isJSON ? report.lines.flatMap(\.bytes) : Array(ReportPage(report: report).html.utf8)
      guard let file = arguments.file else {
        try output.write(page)
        return ExitStatus.success
      }
      try WholeFile(file.url, role: "report").replace(with: page)
      return ExitStatus.success
    }
    let pause = WatchPause()
    let interruption = Interruption { pause.end() }
    var pulse: StorePulse?
    repeat {
      let report = try await StoreReport(of: log, at: url, since: pulse, options)
      pulse = report.pulse
      let page = ReportPage(report: report, reload: arguments.interval)
      try WholeFile(file.url, role: "report").replace(with: Array(page.html.utf8))
      progress.update("report of \(report.time) written to \(file)")
    } while await pause.wait(seconds: arguments.interval)
    withExtendedLifetime(interruption) {}
    return ExitStatus.success
  }
}
