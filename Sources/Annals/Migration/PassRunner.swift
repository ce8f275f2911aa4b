internal import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Begins a pass or goes on with an unfinished one, and clears up behind it.
struct PassRunner: Sendable {
  let log: EventLog
  let work: PassWork
  let options: MigrationOptions
  let control: PassControl
  /// Where what entries lose is written; `nil` for nowhere.
  var archive: ArchivePlace?

  /// What tells the pass from others.
  private var mark: [UInt8] { archive.map { PlanMark.archiving(work.mark, $0.path) } ?? work.mark }

  /// Begins a run of a pass on a thread of its own.
  static func start(
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
    let control = PassControl()
    var work = work
    work.drops = FieldDrops(options.dropFields.union(log.options.dropFields))
    var runner = PassRunner(log: log, work: work, options: options, control: control)
    runner.archive = try options.archive.map { (url) throws(AnnalsError) in try ArchivePlace(url) }
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
    var report = try run(source, lock)
    report.seconds = begin.duration(to: .now) / .seconds(1)
    control.show(finished(report))
    _ = consume hold
    return report
  }

  /// The generation in use, behind what a rollback or a switch may have left to do that was cut short.
  private func inUse(_ opening: StoreOpening) throws(AnnalsError) -> Generation {
    let source = try log.core.newest()
    try source.unsealIfStale(within: log.options.lockTimeout)
    try opening.record()
    return source
  }

  private func finished(_ report: MigrationReport) -> MigrationProgress {
    MigrationProgress(phase: .finished, done: report.entries, total: report.entries)
  }

  private func run(_ source: Generation, _ lock: FileLock) throws(AnnalsError) -> MigrationReport {
    var preflight = try PassPreflight(source, work)
    try work.mustKnow(source.read { (reader) throws(AnnalsError) in try reader.inlineRows() })
    try mustNotBeInTheWay(preflight)
    if preflight.unfinished != nil || preflight.isNeeded || work.isForced {
      try work.mustLoseNothing(log, control)
      if preflight.unfinished == nil {
        try preflight.mustHaveRoom()
        try archive?.mustBeFree()
      }
      // What ends before this has changed nothing, for no program.
      if try work.begin(log) { preflight = try PassPreflight(source, work) }
    }
    let building = try locks(lock, source.directory, queue: lock, write: lock)
    var unfinished: (PassTarget, PassRow)?
    if let row = preflight.unfinished {
      let leftover = UnfinishedPass(
        source: source, directory: source.directory, locks: building, row: row, boot: options.boot(),
        isMoving: work.move != nil)
      let isOurs = row.plan == mark
      if options.unfinished != .discard, isOurs { unfinished = try leftover.target() }
      if unfinished == nil { try leftover.remove { options.atPoint?($0) } }
    }
    guard unfinished != nil || options.unfinished != .mustBeThere else {
      throw AnnalsError(.wrongUse, "there is no unfinished migration pass that could be continued")
    }
    guard unfinished != nil || preflight.isNeeded || work.isForced else {
      var report = MigrationReport(
        isDone: false, generation: source.current.generation, predecessor: source.current.generation,
        entries: preflight.entries)
      report.retained = preflight.retained
      return report
    }
    if unfinished == nil {
      try preflight.mustHaveRoom()
      try archive?.mustBeFree()
    }
    options.atPoint?(.begin)
    return try run(source, building, unfinished, preflight)
  }

  /// Throws where an unfinished pass of another plan, or with another archive, is there, and nobody has said
  /// what is to become of it.
  private func mustNotBeInTheWay(_ preflight: PassPreflight) throws(AnnalsError) {
    guard let row = preflight.unfinished, row.plan != mark, options.unfinished != .discard else { return }
    try mustHaveArchive(row, preflight.archive)
    if options.discardsOthers { return }
    throw AnnalsError(
      .wrongUse,
      "an unfinished migration pass \(row.version.map { "to version \($0)" } ?? "without a plan") by another plan has left generation \(row.other): finish it with the program that began it, or throw it away with MigrationOptions.Unfinished.discard ('--restart')",
      details: AnnalsError.Details { $0.version = row.version })
  }

  /// Throws where an unfinished pass differs from this one in nothing but its archive.
  private func mustHaveArchive(_ row: PassRow, _ begun: PassArchiveRow?) throws(AnnalsError) {
    let restart = "or throw it away with MigrationOptions.Unfinished.discard ('--restart')"
    if let begun, row.plan == PlanMark.archiving(work.mark, begun.path) {
      let path = ArchivePlace(path: begun.path).text
      let given = archive.map { "in '\($0.text)'" } ?? "nowhere"
      throw AnnalsError(
        .wrongUse,
        "the unfinished migration pass, which has left generation \(row.other), archives what entries lose in '\(path)', and this one \(given): go on with MigrationOptions.archive ('--archive \(path)'), \(restart)",
        details: AnnalsError.Details { $0.version = row.version })
    }
    guard let archive, row.plan == work.mark else { return }
    throw AnnalsError(
      .wrongUse,
      "the unfinished migration pass, which has left generation \(row.other), was begun without an archive, so that '\(archive.text)' would lack what it has done: go on without one, \(restart)",
      details: AnnalsError.Details { $0.version = row.version })
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
    _ preflight: PassPreflight
  ) throws(AnnalsError) -> MigrationReport {
    let directory = source.directory
    let row = if unfinished != nil { try Self.unfinished(source) } else { try name(source) }
    let leftover = UnfinishedPass(
      source: source, directory: directory, locks: building, row: row, boot: options.boot(),
      isMoving: work.move != nil)
    // An archive that cannot be gone on with leaves the pass as it is.
    let known = try unfinished.map { (target, _) throws(AnnalsError) in try openArchive(target) } ?? nil
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
        schemaEpoch: preflight.schemaEpoch, resumedAt: unfinished?.1.position ?? 0, target: target,
        archive: unfinished == nil ? openArchive(target) : known)
      waited = try pass?.run() ?? .zero
    } catch {
      // The file has to be closed before it is removed.
      pass?.target.close()
      pass = nil
      unfinished?.0.close()
      if mustStay(error) { throw error }
      do { try leftover.remove { options.atPoint?($0) } } catch {
        // What stays is found, and removed, by the next pass. The first failure is the one to tell.
      }
      throw error
    }
    options.atPoint?(.unlocked)
    guard let pass else { throw AnnalsError(.inputOutput, "the pass has ended without a result") }
    return try settle(pass, waited, preflight)
  }

  /// The archive as the new generation knows it.
  private func openArchive(_ target: PassTarget) throws(AnnalsError) -> PassArchive? {
    guard archive != nil else { return nil }
    guard let row = try target.read({ (reader) throws(AnnalsError) in try reader.passArchive() }) else {
      throw AnnalsError(.damaged, "table 'meta': the row '\(PassArchiveRow.name)' is missing")
    }
    return try PassArchive(row)
  }

  /// Whether what is done must not be removed.
  private func mustStay(_ error: AnnalsError) -> Bool {
    if error.code == .outcomeUnknown { return true }
    if case .stop = control.wish { return error.code == .cancelled }
    return false
  }

  /// Gives the new generation a number, and names it in the old one, so that what is left of it is known for what it is.
  private func name(_ source: Generation) throws(AnnalsError) -> PassRow {
    var result: PassRow?
    // A generation that was rolled back from had a number that the one in use need not know.
    let names = try files { () throws(StoreFileError) in try source.directory.names() }
    let taken = names.compactMap { GenerationRemoval.number(ofFile: $0) }.max() ?? 0
    try source.environment.write(within: log.options.lockTimeout) { (transaction) throws(AnnalsError) in
      let newest = max(try newest(in: transaction, source), taken)
      guard newest < CurrentFile.maximumGeneration else {
        throw AnnalsError(
          .tooLarge, "the log has used up its numbers for generations: back it up by dump and import")
      }
      let row = PassRow(id: UUID(), other: newest + 1, plan: mark, version: work.version)
      if let archive {
        let noted = PassArchiveRow(id: row.id, path: archive.path)
        try transaction.put(noted.encoded(), PassArchiveRow.name, in: source.tables.meta)
      } else {
        try transaction.remove(PassArchiveRow.name, in: source.tables.meta)
      }
      try transaction.put(row.encoded(), PassRow.name, in: source.tables.meta)
      try transaction.put(NewestRow(generation: newest + 1).encoded(), NewestRow.name, in: source.tables.meta)
      result = row
    }
    guard let result else { throw AnnalsError(.inputOutput, "the pass got no name") }
    return result
  }

  /// The highest number that a generation has ever had, if the one in use takes a pass.
  private func newest(
    in transaction: borrowing WriteTransaction, _ source: Generation
  ) throws(AnnalsError) -> UInt64 {
    let reader = StoreReader(transaction.view, source.tables)
    let state = try reader.state()
    guard state == .live else {
      throw AnnalsError(
        state == .held ? .held : .storeReplaced,
        "the store takes no migration pass now: accept the last one or roll it back")
    }
    return try reader.newestGeneration()
  }

  private func create(
    _ current: CurrentFile, _ source: Generation, _ building: EnvironmentLocks, _ row: PassRow
  ) throws(AnnalsError) -> PassTarget {
    let directory = source.directory
    let (meta, facts) = try source.read { (reader) throws(AnnalsError) in
      // How far they are folded is not taken over: nothing is, in the new generation.
      let inline = try reader.inlineRows().filter { $0.state == .live }
      return (
        try reader.meta(), try reader.frozenFacts() + inline.map { ($0.rowName, $0.encoded()) }
      )
    }
    var new = meta
    new.generation = current.generation
    new.state = .building(pass: row.id)
    new.checkpoint = 0
    var own = row
    own.other = source.current.generation
    var rows = facts + work.facts
    if let archive {
      rows.append((PassArchiveRow.name, PassArchiveRow(id: row.id, path: archive.path).encoded()))
    }
    return try PassTarget.create(
      current, in: directory, building, new, own, rows, newest: current.generation,
      boot: options.boot()
    ) { options.atPoint?(.tables) }
  }

  /// Lets `CURRENT` name the new generation, and removes what only the pass needed.
  private func settle(
    _ pass: Pass, _ waited: Duration, _ preflight: PassPreflight
  ) throws(AnnalsError) -> MigrationReport {
    let (directory, current) = (pass.directory, pass.target.current)
    var report = MigrationReport(
      isDone: true, generation: current.generation, predecessor: pass.source.current.generation,
      entries: pass.machine.copied)
    do throws(StoreFileError) {
      try directory.removeBuildMark(of: current)
      try directory.replace(CurrentFile.name, with: current.encoded().span)
      options.atPoint?(.current)
      report.bytesBefore = UInt64(clamping: try directory.status(of: pass.source.current.fileName)?.size ?? 0)
      report.bytesAfter = UInt64(clamping: try directory.status(of: current.fileName)?.size ?? 0)
    } catch {
      // The seal is what counts: every open follows it, and writes CURRENT anew.
    }
    options.atPoint?(.done)
    pass.tally.fill(&report)
    do throws(AnnalsError) {
      // An interrupted pass has set entries aside before this one went on.
      (report.quarantined, report.retained) = try pass.target.read {
        (reader) throws(AnnalsError) -> (UInt64, [MigrationReport.Retained]) in
        let census = try reader.census()
        return (
          census.values.reduce(0) { $0 &+ $1.quarantined },
          MigrationReport.Retained.all(work.reach?.plan, census, try reader.kinds())
        )
      }
      // This process lets go of the old generation as soon as it can.
      _ = try log.core.newest()
    } catch {
      // The switch has happened; what cannot be looked at now is met by whoever looks next.
    }
    report.secondsLocked = waited / .seconds(1)
    report.resumedAt = pass.resumedAt
    report.isHeld = options.isHolding
    report.digest = pass.digest.total.text
    return report
  }
}

extension PassRunner {
  /// The row of the unfinished pass as the generation has it that is copied.
  private static func unfinished(_ source: Generation) throws(AnnalsError) -> PassRow {
    guard let row = try source.read({ (reader) throws(AnnalsError) in try reader.pass() }) else {
      throw AnnalsError(.storeReplaced, "the unfinished pass is gone; begin anew")
    }
    return row
  }
}
