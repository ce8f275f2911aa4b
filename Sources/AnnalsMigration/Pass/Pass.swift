internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A migration pass: copies a generation into a new one, entry by entry in the current version, and switches
/// to it.
///
/// It follows the decisions of ``PassMachine``. Until the seal, nothing that others can see has changed
/// except one row of `meta`.
struct Pass {
  let log: EventLog
  let work: PassWork
  let options: MigrationOptions
  let control: PassControl
  let source: Generation
  /// The locks under which the new generation is built.
  let building: EnvironmentLocks
  /// The locks that all writers of the store take.
  let everybody: EnvironmentLocks
  /// The row of the pass in the old generation.
  let row: PassRow
  /// The number of activations when the pass began.
  let schemaEpoch: UInt64
  /// The position up to which an interrupted pass had copied.
  let resumedAt: UInt64

  /// The kinds of the new generation.
  let kinds: GenerationKinds
  /// The old generation, as the threads of the pass read it.
  let old: RewriteSource

  /// Whether the new generation has an index of event ids.
  private let isIndexed: Bool

  var target: PassTarget
  var machine: PassMachine
  var pace: PassPace
  var clock = PassClock()
  var tally = PassTally()
  var safety: PassTarget.Safety
  /// The groups that cannot be folded, searched once; `nil` if the plan has no folds.
  let failing: FailingGroups?
  /// Assigns places to entries that move to other streams; created when needed.
  var relinking: StreamRelinking?
  /// The digest of the new generation, up to where it is compared.
  var digest = EventDigest()
  /// What the older generation delivers: noted when entries are copied, or by the comparison of those that an
  /// interrupted pass has copied.
  var delivered = EventDigest()
  /// The archive for lost values; `nil` for none.
  let archive: PassArchive?
  /// The context in which inline projections are folded again; `nil` if the pass knows none.
  let inline: InlineContext?
  /// Copies the rows of inline projections that the pass does not fold.
  var inlineCopy: InlineCopy

  init(
    log: EventLog, work: PassWork, options: MigrationOptions, control: PassControl, source: Generation,
    building: EnvironmentLocks, everybody: EnvironmentLocks, row: PassRow, schemaEpoch: UInt64,
    resumedAt: UInt64, target: PassTarget, archive: PassArchive?
  ) throws(AnnalsError) {
    try Self.check(work.patch, fits: source)
    old = RewriteSource(source.environment, log: source.meta.log, patch: work.patch)
    kinds = try GenerationKinds(
      source.read { (reader) throws(AnnalsError) in try reader.kinds() }, reach: work.reach,
      target: target.read { (reader) throws(AnnalsError) in try reader.kinds() })
    failing = work.failingGroups(of: old)
    isIndexed = try target.read { (reader) throws(AnnalsError) in try reader.idempotency() } == .always
    self.log = log
    self.work = work
    self.archive = archive
    inline = work.move == nil ? work.inline?.room() : nil
    inlineCopy = InlineCopy(source, work)
    self.options = options
    self.control = control
    self.source = source
    self.building = building
    self.everybody = everybody
    self.row = row
    self.schemaEpoch = schemaEpoch
    self.resumedAt = resumedAt
    self.target = target
    safety = try target.safety(in: source.directory)
    if resumedAt > 0 {
      tally = PassTally(try target.read { (reader) throws(AnnalsError) in try reader.passTally() })
    }
    machine = PassMachine(copied: resumedAt, goal: try source.lastPosition())
    pace = PassPace(rate: options.rate, at: .now)
  }

  var directory: Directory { source.directory }
  var now: ContinuousClock.Instant { .now }

  func point(_ point: PassPoint) { options.atPoint?(point) }

  /// Runs the whole pass.
  ///
  /// - Returns: How long writers waited for the switch.
  mutating func run() throws(AnnalsError) -> Duration {
    try target.write(.full) { (transaction) throws(AnnalsError) in
      try GenerationWriter(tables: target.tables, kinds: kinds, isIndexed: isIndexed).putActivatedSchemas(
        in: &transaction)
    }
    let rows = try target.read { (reader) throws(AnnalsError) in try reader.ruleRows() }
    // Even if this pass folds none: a program that knows the projections folds them in the new generation.
    if !rows.isEmpty { try target.create(later: StoreTables.inline) }
    if isIndexed { try target.create(later: StoreTables.ids) }
    try ContextCopy(source: source, target: target).run(safety == .synced ? .full : .none)
    try MovedCopy(source: source, target: target).run()
    while true {
      try check()
      let last = try source.lastPosition()
      switch machine.next(PassMachine.Sight(last: last)) {
      case .copy(let range): try copy(range)
      case .copyHeads: try copyHeads()
      case .mergeHeads: try mergeHeads()
      case .check: try checkFile()
      case .compare(let range): try compare(range)
      case .verify:
        try verify()
        try copyInline()
      case .follow(let range): try follow(range)
      case .slow(let range): if let waited = try slow(range) { return waited }
      case .seal:
        try copyInline()
        return try seal(turn())
      }
    }
  }

  /// Copies the rows of inline projections that the pass does not fold, while writers continue.
  private mutating func copyInline() throws(AnnalsError) {
    var copy = inlineCopy
    try copy.run(target, .full) { () throws(AnnalsError) in try check() }
    inlineCopy = copy
  }

  /// Rests while the pass is paused, and throws if it is to end.
  mutating func check() throws(AnnalsError) {
    while true {
      switch control.wish {
      case .go: return
      case .pause:
        var progress = control.progress
        progress.pause = .asked
        control.show(progress)
        WriterThread.pause(milliseconds: 20)
        pace.skip(.milliseconds(20))
      case .stop:
        throw AnnalsError(
          .cancelled,
          "the migration pass was stopped after \(machine.copied) entries; begin it again, and it goes on there"
        )
      case .cancel:
        throw AnnalsError(.cancelled, "the migration pass was cancelled; the store is as it was before it")
      }
    }
  }

  /// Returns the right to write to the old generation, exclusively. While a stopped process keeps it, the
  /// pass can be ended.
  mutating func turn() throws(AnnalsError) -> Environment.Turn {
    while true {
      try check()
      let environment = source.environment
      let turn = try storage { () throws(EnvironmentError) in try environment.turnIfFree(within: .seconds(1))
      }
      if let turn { return turn }
    }
  }

  /// Publishes the progress of a phase.
  mutating func show(
    _ phase: MigrationProgress.Phase, _ done: UInt64, of total: UInt64, pause: MigrationProgress.Pause? = nil
  ) {
    if let progress = clock.note(phase, done: done, total: total, pause: pause, at: now) {
      control.show(progress)
    }
  }
}

// Copying.
extension Pass {
  /// The size in bytes of the entries at which a commit ends: LMDB keeps uncommitted pages in memory.
  private static let batchBytes = 16 << 20

  /// The number of entries, in thousands, that may be rewritten while a durable commit waits for the disk.
  private static let ahead = 24

  /// Copies the entries at `range`, with a commit for each batch.
  mutating func copy(_ range: ClosedRange<UInt64>) throws(AnnalsError) {
    let phase: MigrationProgress.Phase = machine.hasHeads ? .following : .copying
    var next = range.lowerBound
    show(phase, next - 1, of: range.upperBound)
    while next <= range.upperBound {
      try choose()
      let rest = next...range.upperBound
      if safety == .synced {
        next = try copyDurably(rest, phase) + 1
      } else {
        // Threads of one batch: they are to rest with the pass.
        var line = try line(rest)
        next = try batch(next, &line, phase, total: range.upperBound) + 1
      }
    }
    point(.copied)
  }

  /// Copies entries with durable commits, until a writer is at work.
  ///
  /// - Returns: The position of the last one.
  private mutating func copyDurably(
    _ range: ClosedRange<UInt64>, _ phase: MigrationProgress.Phase
  ) throws(AnnalsError) -> UInt64 {
    var line = try line(range, length: Self.ahead)
    var end = range.lowerBound - 1
    repeat {
      end = try batch(end + 1, &line, phase, total: range.upperBound)
      try choose()
    } while end < range.upperBound && safety == .synced
    return end
  }

  /// Copies the entries of one commit.
  ///
  /// - Returns: The position of the last one.
  private mutating func batch(
    _ start: UInt64, _ line: inout RewritingLine, _ phase: MigrationProgress.Phase, total: UInt64
  ) throws(AnnalsError) -> UInt64 {
    let begin = now
    let isDurable = safety == .synced
    let end = try put(
      start, &line, isDurable ? .full : .none,
      entries: min(UInt64(clamping: isDurable ? options.durableBatch : options.batch), pace.batch),
      bytes: Self.batchBytes)
    point(.batchCommitted)
    try mergeMovedHeads(isDurable ? .full : .none)
    if !isDurable { try target.startWriteback() }
    machine.copy(upTo: end)
    show(phase, end, of: total)
    try rest(after: end - start + 1, begin.duration(to: now), phase, end, of: total)
    return end
  }

  /// Puts entries into the new generation, in one transaction.
  ///
  /// - Returns: The position of the last one.
  mutating func put(
    _ range: ClosedRange<UInt64>, _ durability: Durability, entries: UInt64, bytes: Int
  ) throws(AnnalsError) -> UInt64 {
    var line = try line(range)
    return try put(range.lowerBound, &line, durability, entries: entries, bytes: bytes)
  }

  /// Begins to rewrite the entries at `range`.
  private func line(_ range: ClosedRange<UInt64>, length: Int? = nil) throws(AnnalsError) -> RewritingLine {
    var rewriting = work.rewriting(
      old, kinds, isSettingAside: isSettingAside, failing, isArchiving: archive != nil)
    rewriting.runEntries = Int(
      clamping: min(UInt64(min(rewriting.runEntries, options.batch, options.durableBatch)), pace.batch))
    return try rewriting.line(range, threads: threads(for: range), length: length)
  }

  /// Puts the next entries of a line, which begins at `start`, into the new generation, in one transaction.
  ///
  /// - Returns: The position of the last one.
  private mutating func put(
    _ start: UInt64, _ line: inout RewritingLine, _ durability: Durability, entries: UInt64, bytes: Int
  ) throws(AnnalsError) -> UInt64 {
    var end = start - 1
    var size = 0
    var (tally, delivered) = (tally, EventDigest())
    let (target, row, work) = (target, row, work)
    let writer = GenerationWriter(tables: target.tables, kinds: kinds, isIndexed: isIndexed)
    let relinking = try relink()
    let folding = InlinePass(room: inline, tables: target.tables)
    archive?.begin()
    try target.write(durability, relinking) { (transaction) throws(AnnalsError) in
      while let run = try line.next() {
        if let relinking {
          try relinking.relink(run, in: &transaction)
          try writer.put(relinking.run, in: &transaction)
        } else {
          try writer.put(run, in: &transaction)
        }
        end = run.last.rawValue
        size += run.byteCount
        tally.add(run)
        if work.move == nil { delivered.add(run.delivered.whole) }
        try archive?.append(run.archive.bytes.span)
        line.take(back: run)
        guard end - start + 1 < entries, size < bytes, control.wish == .go else { break }
      }
      try folding.run(upTo: end, in: &transaction)
      // The commit must not count bytes of the archive that may not be on disk.
      if durability == .full { try archive?.synchronize() }
      point(.batch)
      var row = row
      row.other = source.current.generation
      row.position = end
      try transaction.put(row.encoded(), PassRow.name, in: target.tables.meta)
      try tally.put(in: &transaction, target.tables)
      if let archive {
        try transaction.put(archive.next.encoded(), PassArchiveRow.name, in: target.tables.meta)
      }
    }
    archive?.commit()
    self.tally = tally
    self.delivered.add(delivered)
    return end
  }

  var isSettingAside: Bool {
    if case .quarantine = options.unreadable { true } else { false }
  }

  /// Returns the number of threads for a range: a few entries are done sooner than a thread starts.
  func threads(for range: ClosedRange<UInt64>) -> Int {
    range.upperBound - range.lowerBound < 2_047 ? 1 : options.threads ?? min(Processors.count, 8)
  }
}
