internal import LMDB

/// Decides and stores append calls, one transaction each, on the writer's thread.
struct LogWriter {
  let core: LogCore

  /// Decides `request` against the newest state of the store, and stores it where it is accepted.
  func commit(_ request: AppendRequest) -> Result<Appended, AnnalsError> {
    do throws(AnnalsError) {
      let (appended, kinds) = try core.environment.decide(failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in try run(request, in: &transaction)
      }
      // Only now are the kinds that the call registered in the store.
      core.publish(kinds)
      return .success(appended)
    } catch {
      return .failure(error)
    }
  }

  private func run(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Decision<(Appended, KindRegistry)> {
    let ground = try look(request, StoreReader(transaction.view, core.tables))
    switch ground.verdict {
    case .accepted(let heads):
      guard request.parts.contains(where: { !$0.events.isEmpty }) else {
        return .abort((Appended(positions: [], revisions: [], wasRepeated: false), ground.kinds))
      }
      var batch = AppendBatch(heads: heads, kinds: ground.kinds, last: ground.last, tables: core.tables)
      try batch.store(request, in: &transaction)
      return .commit((batch.appended, batch.kinds))
    case .repeated(let places):
      let appended = Appended(
        positions: places.map(\.position), revisions: places.map(\.revision), wasRepeated: true)
      return .abort((appended, ground.kinds))
    case .duplicateID(let id, let stream):
      throw AnnalsError(
        .duplicateID, "stream '\(stream)': the call holds the event id \(id) twice; give each event its own",
        details: AnnalsError.Details {
          $0.stream = stream
          $0.id = id
        })
    case .partlyThere(let id, let stream):
      throw AnnalsError(
        .partlyThere,
        "stream '\(stream)': the event id \(id) is there already, but not all events of the call are, in the same order; nothing was written",
        details: AnnalsError.Details {
          $0.stream = stream
          $0.id = id
        })
    case .conflict(let violations):
      throw AnnalsError(
        .conflict, violations.map(\.description).joined(separator: "; ") + "; read again and decide anew",
        details: AnnalsError.Details {
          $0.violations = violations
          $0.stream = violations.first?.stream
        })
    }
  }

  /// Far beyond what any disk holds, and far enough from the end of the numbers that sums cannot wrap.
  private static let maximumPosition: UInt64 = 1 << 60

  /// What a call is decided by and stored upon.
  private struct Ground {
    var verdict: AppendVerdict
    var kinds: KindRegistry
    var last: UInt64
  }

  private func look(
    _ request: AppendRequest, _ reader: StoreReader
  ) throws(AnnalsError) -> Ground {
    var meta = core.meta
    for name in [StoreMeta.Name.state, .schemaEpoch, .requires, .checkpoint] {
      try reader.read(name, into: &meta)
    }
    try StoreMeta.check(meta.requires, forWriting: true)
    switch meta.state {
    case .live: break
    case .held:
      throw AnnalsError(
        .held, "the store refuses appends until the last migration is accepted or rolled back")
    case .building, .sealed:
      throw AnnalsError(.storeReplaced, "a migration pass has replaced this generation; open the store again")
    }
    let last = try reader.last()
    guard meta.checkpoint == last, last < Self.maximumPosition else {
      throw AnnalsError(
        .damaged,
        "table 'meta': the stream heads are written up to \(meta.checkpoint), and the log ends at \(last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    let verdict = try AppendDecision.decide(request, in: StoreState(reader, window: meta.window))
    if case .accepted(let heads) = verdict, let head = heads.values.first(where: { $0.last.rawValue > last })
    {
      throw AnnalsError(
        .damaged,
        "table 'heads', key \(head.id): it leads to position \(head.last), behind the log's end at \(last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "heads" })
    }
    return Ground(
      verdict: verdict, kinds: try core.kinds(in: reader), last: last)
  }
}
