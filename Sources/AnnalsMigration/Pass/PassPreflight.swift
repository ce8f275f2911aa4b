internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// The preflight of a pass: whether it may run, whether there is anything to do, and the space for it.
struct PassPreflight {
  /// The space in bytes that a pass takes in addition to the entries.
  private static let overhead = 16 << 20
  /// The number of places of the log at which a few entries are rewritten for the estimate.
  private static let samples = 32
  private static let sampleLength: UInt64 = 64

  let entries: UInt64
  let schemaEpoch: UInt64
  /// The features that the store requires of programs.
  let requires: [StoreMeta.Requirement]
  /// A pass that was not finished.
  let unfinished: PassRow?
  /// The archive that it writes; `nil` if it has none.
  let archive: PassArchiveRow?
  /// Whether the log is to be copied: there are entries of older versions, or it is copied anyway.
  let isNeeded: Bool
  /// The events that the plan retains as they are stored.
  private let retained: [MigrationReport.Retained]
  private let source: Generation
  /// The number of bytes that the generation has in use.
  let used: Int
  private let growth: Double

  /// Reads the generation in use.
  ///
  /// - Throws: ``AnnalsError`` with code `appendsSuspended`, `noPath`, `newerSchema` and other errors that
  ///   keep the plan from reading the store; `wrongUse` if the pass would change what the machines of a
  ///   cluster must have in common.
  init(_ source: Generation, _ work: PassWork) throws(AnnalsError) {
    self.source = source
    let (meta, pass, archive, isDue, last, retained) = try source.read {
      (reader) throws(AnnalsError) -> (
        StoreMeta, PassRow?, PassArchiveRow?, Bool, UInt64, [MigrationReport.Retained]
      ) in
      // Without a plan the census decides nothing, and may be what is to be repaired.
      let (census, kinds) = (work.reach == nil ? [:] : try reader.census(), try reader.kinds())
      try work.mustReach(census, kinds)
      let isDue = work.isDue(census, kinds, withQuarantine: true)
      let retained = MigrationReport.Retained.all(work.reach?.plan, census, kinds)
      return (
        try reader.meta(), try reader.pass(), try reader.passArchive(), isDue, try reader.last(), retained
      )
    }
    let used = try source.usedBytes()
    guard meta.state == .live else {
      throw AnnalsError(
        meta.state == .appendsSuspended ? .appendsSuspended : .storeReplaced,
        "the store takes no migration pass now: the last one is to be accepted or rolled back first")
    }
    if meta.requires.contains(.cluster), work.move != nil || work.retagging != nil {
      throw AnnalsError(
        .wrongUse,
        "the store belongs to a cluster, and this pass would move entries to other streams or compute tags again, which the other machines would not have: use the plan of the cluster's programs; the pass changed nothing"
      )
    }
    schemaEpoch = meta.schemaEpoch
    requires = meta.requires
    unfinished = pass
    self.archive = archive.flatMap { $0.id == pass?.id ? $0 : nil }
    isNeeded = isDue || work.isForced
    self.retained = retained
    entries = last
    self.used = used
    growth = pass == nil && isDue ? try Self.growth(source, work, last, requires) : 1
  }

  /// The report of a pass that does nothing.
  var report: MigrationReport {
    var report = MigrationReport(
      isDone: false, generation: source.current.generation, predecessor: source.current.generation,
      entries: entries)
    report.retained = retained
    return report
  }

  /// The number of bytes that the new generation is likely to take, by a sample of the entries.
  var estimate: Int { Int(Double(used) * max(growth, 0.1)) + Self.overhead }

  /// Returns the size of a sample of entries in the new generation, divided by its size in the old one.
  private static func growth(
    _ source: Generation, _ work: PassWork, _ last: UInt64, _ requires: [StoreMeta.Requirement]
  ) throws(AnnalsError) -> Double {
    let old = RewriteSource(source.environment, log: source.meta.log)
    let registry = try source.read { (reader) throws(AnnalsError) in try reader.kinds() }
    // The pass itself reports failures, in order: a sample with one does not count.
    let kinds = try GenerationKinds(registry, reach: work.reach)
    var rewriting = work.rewriting(old, kinds, isSettingAside: false)
    if requires.contains(.cluster) { rewriting = rewriting.keepingOriginals(kinds) }
    var (before, after) = (0, 0)
    // A short log is read once, without overlapping samples.
    let step = max(last / UInt64(samples), sampleLength)
    for sample in 0..<UInt64(samples) {
      let start = 1 + step * sample
      guard start <= last else { break }
      let range = start...min(start + sampleLength - 1, last)
      before += try source.read { (reader) throws(AnnalsError) in try reader.entryBytes(range) }
      do throws(AnnalsError) {
        try rewriting.run(range, threads: 1) { (run) in
          after += run.byteCount
          return true
        }
      } catch {
        continue
      }
    }
    return before > 0 && after > 0 ? Double(after) / Double(before) : 1
  }

  /// Throws `wrongUse` if there is no unfinished pass, and the options want one.
  func mustHaveUnfinished(_ options: MigrationOptions) throws(AnnalsError) {
    guard unfinished == nil, options.unfinished == .mustBeThere else { return }
    throw AnnalsError(.wrongUse, "there is no unfinished migration pass that could be continued")
  }

  /// Throws `diskFull` if there is no space for the new generation next to the old one.
  func mustHaveRoom() throws(AnnalsError) {
    let free = try files { () throws(StoreFileError) in try source.directory.fileSystem().free }
    guard estimate > free else { return }
    throw AnnalsError(
      .diskFull,
      "a migration pass writes a new log next to the old one and needs about \(estimate) bytes of disk, and \(free) are free; nothing was changed"
    )
  }
}

extension StoreReader {
  /// The number of bytes that the entries at some positions have.
  fileprivate func entryBytes(_ positions: ClosedRange<UInt64>) throws(AnnalsError) -> Int {
    var count = 0
    for position in positions { count += try bytes(at: Position(position)).count }
    return count
  }
}
