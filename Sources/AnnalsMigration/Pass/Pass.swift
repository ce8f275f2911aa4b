internal import AnnalsCoding
internal import AnnalsFormat
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
  /// The features that the source required when the pass began.
  let requires: [StoreMeta.Requirement]
  /// The position up to which an interrupted pass had copied.
  let resumedAt: UInt64

  /// The kinds of the new generation.
  let kinds: GenerationKinds
  /// The old generation, as the threads of the pass read it.
  let old: RewriteSource

  /// Whether the new generation has an index of event ids.
  let isIndexed: Bool

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
  /// Upcasts the older generation again while the new file is indexed and checked; `nil` if the comparison
  /// does it.
  var repetition: Repetition?
  /// The archive for lost values; `nil` for none.
  let archive: PassArchive?
  /// The context in which inline projections are folded again; `nil` if the pass knows none.
  let inline: InlineContext?
  /// Copies the rows of inline projections that the pass does not fold.
  var inlineCopy: InlineCopy
  /// The ids of the streams whose names were erased, and leave with this pass.
  let nameless: Set<UInt64>
  /// The position up to which the limits of streams were taken over when the pass began.
  var limitsCopied: UInt64 = 0

  init(
    log: EventLog, work: PassWork, options: MigrationOptions, control: PassControl, source: Generation,
    building: EnvironmentLocks, everybody: EnvironmentLocks, row: PassRow, schemaEpoch: UInt64,
    requires: [StoreMeta.Requirement], resumedAt: UInt64, target: PassTarget, archive: PassArchive?,
    nameless: Set<UInt64>
  ) throws(AnnalsError) {
    try Self.check(work.patch, fits: source)
    // A repair restores what can be read, and nothing else.
    let hidden =
      work.patch == nil
      ? try source.read { (reader) throws(AnnalsError) in try HiddenEntries(reader) } : HiddenEntries.none
    old = RewriteSource(
      source.environment, log: source.meta.log, patch: work.patch, hidden: hidden, nameless: nameless)
    kinds = try GenerationKinds(
      source.read { (reader) throws(AnnalsError) in try reader.kinds() }, reach: work.reach,
      target: target.read { (reader) throws(AnnalsError) in try reader.kinds() })
    failing = work.failingGroups(of: old)
    isIndexed = try target.read { (reader) throws(AnnalsError) in try reader.idempotency() } == .always
    self.log = log
    self.work = work
    self.archive = archive
    // The machines of a cluster make no entry a stub at the same place, and their rows must stay equal.
    let folded = requires.contains(.cluster) ? nil : work.inline
    inline = work.move == nil ? folded?.room() : nil
    inlineCopy = InlineCopy(source, work, folded: folded)
    self.options = options
    self.control = control
    self.source = source
    self.building = building
    self.everybody = everybody
    self.row = row
    self.schemaEpoch = schemaEpoch
    self.requires = requires
    self.resumedAt = resumedAt
    self.nameless = nameless
    self.target = target
    safety = try target.safety(in: source.directory)
    let names = work.retagging?.names ?? []
    tally = PassTally(
      resumedAt > 0
        ? try target.read { (reader) throws(AnnalsError) in try reader.passTally() } : PassTallyRow(),
      retagging: names)
    machine = PassMachine(copied: resumedAt, goal: resumedAt)
    pace = PassPace(rate: options.rate, at: .now)
  }

  var directory: Directory { source.directory }
  /// Whether the store belongs to a cluster, in which a pass must not change what conditions find.
  var isShared: Bool { requires.contains(.cluster) }
  var now: ContinuousClock.Instant { .now }

  func point(_ point: PassPoint) { options.atPoint?(point) }

  /// Runs the whole pass.
  ///
  /// - Returns: How long writers waited for the switch.
  mutating func run() throws(AnnalsError) -> Duration {
    try target.write(.full) { (transaction) throws(AnnalsError) in
      try GenerationWriter(tables: target.tables, kinds: kinds, isIndexed: isIndexed).putActivatedSchemas(
        in: &transaction)
      if work.move != nil, resumedAt == 0 {
        try transaction.put(old.hidden.mark, PassHiddenRow.name, in: target.tables.meta)
      }
      if isShared { try transaction.require(.originals, target.tables) }
    }
    let rows = try target.read { (reader) throws(AnnalsError) in try reader.ruleRows() }
    // Even if this pass folds none: a program that knows the projections folds them in the new generation.
    if !rows.isEmpty { try target.create(later: StoreTables.inline) }
    if isIndexed { try target.create(later: StoreTables.ids) }
    try followTags()
    try ContextCopy(source: source, target: target).run(safety == .synced ? .full : .none)
    point(.contexts)
    try MovedCopy(source: source, target: target, renamed: try erasedNames(), isMoving: work.move != nil)
      .run()
    limitsCopied = try LimitCopy(
      source: source, target: target, isMoving: work.move != nil, isRepairing: work.patch != nil
    ).run()
    // After the rows above, which may name any entry that there was by then: the copy is verified as a whole.
    machine = PassMachine(copied: resumedAt, goal: try source.lastPosition())
    while true {
      try check()
      // Before each long step, or all of them would be in vain.
      try mustHideTheSame()
      let last = try source.lastPosition()
      switch machine.next(PassMachine.Sight(last: last)) {
      case .copy(let range): try copy(range)
      case .copyHeads:
        try beginRepetition()
        try copyHeads()
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

  /// Makes the table of tags, if the pass computes tags or once the old generation has tagged events, which
  /// may be during the pass.
  ///
  /// - Complexity: One look-up until there is a table.
  func followTags() throws(AnnalsError) {
    guard target.environment.tags == nil else { return }
    if work.retagging == nil {
      let isTagged = try source.read { (reader) throws(AnnalsError) in try reader.requires(.tags) }
      guard isTagged else { return }
    }
    try target.create(later: StoreTables.tags)
  }

  /// The erased names, and the placeholders that take their places.
  private func erasedNames() throws(AnnalsError) -> [StreamName: StreamName] {
    let nameless = nameless
    return try source.read { (reader) throws(AnnalsError) in
      var names: [StreamName: StreamName] = [:]
      for id in nameless {
        names[try reader.name(of: Position(id))] = SystemEntry.placeholder(of: Position(id))
      }
      return names
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
