package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Begins or continues a pass, and cleans up after it.
package struct PassRunner: Sendable {
  /// How often a pass begins again because a feature came into use, or a stream was truncated: after so many
  /// times, another one is likely to be in vain.
  private static let restarts = 3

  let log: EventLog
  let work: PassWork
  let options: MigrationOptions
  let control: PassControl
  /// The archive for lost values.
  let archive: ArchiveRequest

  /// Begins a run of a pass on a thread of its own.
  package static func start(
    _ log: EventLog, _ work: PassWork, _ options: MigrationOptions
  ) throws(AnnalsError) -> MigrationRun {
    if let rate = options.rate, rate < 1 {
      throw AnnalsError(.wrongUse, "the rate of a migration pass is at least one entry a second")
    }
    if let threads = options.threads, !(1...64).contains(threads) {
      throw AnnalsError(.wrongUse, "a migration pass runs on 1 to 64 threads")
    }
    if options.archive != nil, options.isRehearsal {
      throw AnnalsError(.wrongUse, "a rehearsal of a migration pass writes no archive")
    }
    if options.archive != nil, work.reach == nil {
      throw AnnalsError(.wrongUse, "a pass without a plan loses nothing, so that it has no archive")
    }
    if options.renewsKeys {
      guard let reach = work.reach else {
        throw AnnalsError(.wrongUse, "a pass without a plan knows no personal fields, and renews no keys")
      }
      guard reach.plan.keys != nil else { throw AnnalsError.noKeys("a pass cannot renew keys that it lacks") }
    }
    let control = PassControl()
    var work = work
    work.renewsKeys = options.renewsKeys
    work.drops = FieldDrops(options.dropFields.union(log.options.dropFields))
    try work.prepare()
    let runner = PassRunner(
      log: log, work: work, options: options, control: control,
      archive: try ArchiveRequest(options.archive, mark: work.mark))
    return try MigrationRun(control, observer: options.observer) { [runner] () throws(AnnalsError) in
      try runner.run()
    }
  }

  /// The whole pass.
  func run() throws(AnnalsError) -> MigrationReport {
    let begin = ContinuousClock.now
    if options.isRehearsal {
      // Nobody waits for it.
      WriterThread.yieldToOthers()
      var report = try PassRehearsal(
        log: log, source: log.core.newest(), work: work, options: options, control: control
      ).run()
      report.seconds = begin.duration(to: .now) / .seconds(1)
      control.show(finished(report))
      return report
    }
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    let opening = StoreOpening(directory: log.core.generation.directory, options: log.options)
    let lock = try opening.passLock()
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
      let holder = try files { () throws(StoreFileError) in try lock.lastHolder() }
      throw AnnalsError(
        .busy,
        "\(holder.map { "process \($0)" } ?? "another process") is at work on this store's generations: a migration pass, a rollback or a clean-up; try again when it is done",
        details: AnnalsError.Details { $0.holder = holder })
    }
    let source = try inUse(opening)
    try files { () throws(StoreFileError) in try source.directory.removeUnfinishedReplacements() }
    var report = try runAgain(source, lock)
    report.seconds = begin.duration(to: .now) / .seconds(1)
    if report.isDone {
      log.options.observer?.passed(
        PassActivity(
          generation: report.generation, entries: report.entries, duration: .seconds(report.seconds)))
    }
    control.show(finished(report))
    _ = consume hold
    return report
  }

  /// Returns the generation in use, after completing an interrupted rollback or switch.
  private func inUse(_ opening: StoreOpening) throws(AnnalsError) -> Generation {
    let source = try log.core.newest()
    try source.unsealIfStale(within: log.options.lockTimeout)
    try opening.record()
    return source
  }

  private func finished(_ report: MigrationReport) -> MigrationProgress {
    MigrationProgress(phase: .finished, done: report.entries, total: report.entries)
  }

  /// Runs the pass, and from the start again if a feature came into use meanwhile, which the new generation
  /// must know of from its first entry on, or if a stream was truncated in a pass that moves streams.
  private func runAgain(_ source: Generation, _ lock: FileLock) throws(AnnalsError) -> MigrationReport {
    for _ in 0..<Self.restarts {
      do throws(AnnalsError) { return try run(source, lock) } catch {
        // A pass that must be continued is not begun.
        guard error.underlying is PassOutdated, options.unfinished != .mustBeThere else { throw error }
      }
    }
    return try run(source, lock)
  }

  private func run(_ source: Generation, _ lock: FileLock) throws(AnnalsError) -> MigrationReport {
    var preflight = try PassPreflight(source, work)
    try work.mustKnow(source.read { (reader) throws(AnnalsError) in try reader.ruleRows() })
    try preflight.mustHaveUnfinished(options)
    try mustNotBeInTheWay(preflight)
    if preflight.unfinished != nil || preflight.isNeeded {
      try work.mustLoseNothing(log, control)
      if preflight.unfinished == nil {
        try preflight.mustHaveRoom()
        try archive.mustBeFree()
      }
      // An error before this point has changed nothing, for any program.
      if try work.begin(log) { preflight = try PassPreflight(source, work) }
      // An unfinished copy whose pass moves streams is of no use if the rules hide more than when it began.
      if work.patch == nil { try log.retain() }
    }
    let building = try locks(lock, source.directory, queue: lock, write: lock)
    // Read once, so that an event which comes later is found at the switch. On the other machines of a
    // cluster the names still lead to the streams.
    let removesNames = work.patch == nil && !preflight.requires.contains(.cluster)
    let nameless =
      removesNames
      ? try log.read { (snapshot) throws(AnnalsError) in try snapshot.namelessStreams() } : []
    var unfinished: (PassTarget, PassRow)?
    if let row = preflight.unfinished {
      let leftover = UnfinishedPass(
        source: source, directory: source.directory, locks: building, row: row, boot: options.boot(),
        isMoving: work.move != nil)
      let isOurs = row.plan == archive.mark
      if options.unfinished != .discard, isOurs {
        unfinished = try leftover.target(except: removesNames ? nameless : nil)
      }
      if unfinished == nil {
        if options.unfinished == .mustBeThere { throw AnnalsError(unusable: row) }
        try leftover.remove { options.atPoint?($0) }
      }
    }
    guard unfinished != nil || preflight.isNeeded else { return preflight.report }
    if unfinished == nil {
      try preflight.mustHaveRoom()
      try archive.mustBeFree()
    }
    options.atPoint?(.begin)
    return try run(source, building, unfinished, preflight, nameless)
  }

  /// Throws if there is an unfinished pass of another plan or kind, or with another archive, and its
  /// treatment was not chosen.
  private func mustNotBeInTheWay(_ preflight: PassPreflight) throws(AnnalsError) {
    guard let row = preflight.unfinished, row.plan != archive.mark, options.unfinished != .discard else {
      return
    }
    try archive.mustBe(of: row, preflight.archive)
    if options.discardsOthers { return }
    try keysMustBe(of: row)
    let begun = Self.kind(row.plan, row.version)
    let isOtherPlan = row.version != nil && work.version != nil
    throw AnnalsError(
      .wrongUse,
      "generation \(row.other) is left of an unfinished pass: \(begun)\(isOtherPlan ? " by another plan" : ""). This one is \(Self.kind(work.mark, work.version)), and cannot continue it: finish it with a pass like the one that began it, or throw it away with MigrationOptions.Unfinished.discard ('--restart')",
      details: AnnalsError.Details { $0.version = row.version })
  }

  /// Throws if an unfinished pass differs from this one only in its treatment of keys.
  private func keysMustBe(of row: PassRow) throws(AnnalsError) {
    guard row.plan == archive.mark(of: work.mark(renewingKeys: !work.renewsKeys)) else { return }
    let (begun, advice) =
      work.renewsKeys
      ? ("keeps the keys of what it copies", "without it")
      : ("renews keys", "with MigrationOptions.renewsKeys ('--renew-keys')")
    throw AnnalsError(
      .wrongUse,
      "the unfinished migration pass, which has left generation \(row.other), \(begun), and this one \(work.renewsKeys ? "renews them" : "does not"): go on \(advice), or throw it away with MigrationOptions.Unfinished.discard ('--restart')",
      details: AnnalsError.Details { $0.version = row.version })
  }

  /// The kind of a pass with this mark of a plan and version, for a message.
  private static func kind(_ mark: [UInt8], _ version: SchemaVersion?) -> String {
    if let version { return "a migration to version \(version)" }
    return mark == PlanMark.repair ? "a repair" : "a compaction, which has no plan"
  }

  private func locks(
    _ pass: FileLock, _ directory: Directory, queue: FileLock?, write: FileLock?
  ) throws(AnnalsError) -> EnvironmentLocks {
    try files { () throws(StoreFileError) in
      func lock(_ known: FileLock?, _ name: String) throws(StoreFileError) -> FileLock {
        if let known { return known }
        return try FileLock(name, in: directory)
      }
      return EnvironmentLocks(
        open: try lock(nil, "open.lock"), queue: try lock(queue, "queue.lock"),
        write: try lock(write, "write.lock"))
    }
  }

  private func run(
    _ source: Generation, _ building: EnvironmentLocks, _ unfinished: (PassTarget, PassRow)?,
    _ preflight: PassPreflight, _ nameless: Set<UInt64>
  ) throws(AnnalsError) -> MigrationReport {
    let directory = source.directory
    let row = if unfinished != nil { try unfinishedRow(in: source) } else { try name(source) }
    let leftover = UnfinishedPass(
      source: source, directory: directory, locks: building, row: row, boot: options.boot(),
      isMoving: work.move != nil)
    // An archive that cannot be continued leaves the pass unchanged.
    let known = try unfinished.map { (target, _) throws(AnnalsError) in try archive.open(target) } ?? nil
    var pass: Pass?
    let waited: Duration
    do throws(AnnalsError) {
      options.atPoint?(.named)
      let current = CurrentFile(log: source.meta.log, generation: row.other)
      var target = unfinished?.0
      if target == nil { target = try create(current, source, building, row) }
      options.atPoint?(.created)
      guard let target else { throw AnnalsError(.inputOutput, "the new generation was not created") }
      pass = try Pass(
        log: log, work: work, options: options, control: control, source: source, building: building,
        everybody: try locks(building.write, directory, queue: nil, write: nil), row: row,
        schemaEpoch: preflight.schemaEpoch, requires: preflight.requires,
        resumedAt: unfinished?.1.position ?? 0, target: target,
        archive: unfinished == nil ? archive.open(target) : known, nameless: nameless)
      waited = try pass?.run() ?? .zero
    } catch {
      // The file has to be closed before it is removed.
      pass?.target.close()
      pass = nil
      unfinished?.0.close()
      if mustStay(error) { throw error }
      do { try leftover.remove { options.atPoint?($0) } } catch {
        // The next pass finds and removes remaining files. The first failure is the one to report.
      }
      throw error
    }
    options.atPoint?(.unlocked)
    guard let pass else { throw AnnalsError(.inputOutput, "the pass has ended without a result") }
    return try settle(pass, waited, preflight)
  }

  /// Whether the pass's work must not be removed.
  private func mustStay(_ error: AnnalsError) -> Bool {
    if error.code == .outcomeUnknown { return true }
    if case .stop = control.wish { return error.code == .cancelled }
    return false
  }
}
