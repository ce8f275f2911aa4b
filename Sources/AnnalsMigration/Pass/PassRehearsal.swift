internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// A pass that writes nothing: every entry is upcast and encoded, and the results are counted.
struct PassRehearsal {
  let log: EventLog
  let source: Generation
  let work: PassWork
  let options: MigrationOptions
  let control: PassControl

  /// Runs the whole rehearsal.
  ///
  /// - Throws: The first error that would end the pass.
  func run() throws(AnnalsError) -> MigrationReport {
    let preflight = try PassPreflight(source, work)
    try preflight.mustHaveUnfinished(options)
    var report = preflight.report
    report.isRehearsal = true
    guard preflight.unfinished != nil || preflight.isNeeded else { return report }
    report.bytesBefore = UInt64(clamping: preflight.used)
    report.bytesAfter = UInt64(clamping: preflight.estimate)
    guard preflight.entries > 0 else { return report }
    try work.mustLoseNothing(log, control)
    let registry = try source.read { (reader) throws(AnnalsError) in try reader.kinds() }
    let isSettingAside = if case .quarantine = options.unreadable { true } else { false }
    let rewriting = work.rewriting(
      RewriteSource(source.environment, log: source.meta.log),
      try GenerationKinds(registry, reach: work.reach), isSettingAside: isSettingAside)
    var tally = PassTally()
    var clock = PassClock()
    try rewriting.run(1...preflight.entries, threads: options.threads ?? min(Processors.count, 8)) { run in
      tally.add(run)
      if let progress = clock.note(
        .copying, done: run.last.rawValue, total: preflight.entries, at: .now)
      {
        control.show(progress)
      }
      return control.wish != .stop && control.wish != .cancel
    }
    if control.wish == .stop || control.wish == .cancel {
      throw AnnalsError(.cancelled, "the rehearsal of a migration pass was ended; nothing was changed")
    }
    tally.fill(&report)
    return report
  }
}
