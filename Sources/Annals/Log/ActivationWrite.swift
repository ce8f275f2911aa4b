internal import LMDB

/// The transaction that keeps an activation.
struct ActivationWrite {
  private let log: EventLog

  init(_ log: EventLog) {
    self.log = log
  }

  /// One durable transaction of its own, if `body` says that it changed something; the schema epoch then rises.
  ///
  /// - Returns: What `body` returned.
  func run(
    _ body: (inout WriteTransaction, KindRegistry) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> Bool {
    let core = log.core
    var transaction = try core.environment.write(turn(), .full)
    do throws(AnnalsError) {
      var meta = core.meta
      for name in [StoreMeta.Name.state, .requires] {
        try StoreReader(transaction.view, core.tables).read(name, into: &meta)
      }
      try StoreMeta.check(meta.requires, forWriting: true)
      guard meta.state == .live else {
        throw AnnalsError(.held, "the store takes no changes now: a migration pass has built on it")
      }
      let kinds = try StoreReader(transaction.view, core.tables).kinds()
      guard kinds.epoch < .max else {
        throw AnnalsError(
          .damaged, "table 'meta': the row 'schemaEpoch' has a number that no store reaches",
          details: AnnalsError.Details { $0.table = "meta" })
      }
      guard try body(&transaction, kinds) else {
        transaction.abort()
        return false
      }
      meta.schemaEpoch = kinds.epoch + 1
      try transaction.put(
        meta.value(of: .schemaEpoch), StoreMeta.Name.schemaEpoch.rawValue, in: core.tables.meta)
    } catch {
      transaction.abort()
      throw error
    }
    do throws(EnvironmentError) { try transaction.commit() } catch {
      // What the failed write of a meta page leaves behind would fail every later transaction of this process.
      if case .panicked = error {
        _ = try storage { () throws(EnvironmentError) in try core.environment.reopen(within: .seconds(2)) }
      }
      throw AnnalsError(error)
    }
    return true
  }

  /// The turn at writing, waited for as long as an append would wait.
  private func turn() throws(AnnalsError) -> Environment.Turn {
    let start = ContinuousClock.now
    while start.duration(to: .now) < log.options.lockTimeout {
      let turn = try storage { () throws(EnvironmentError) in try log.core.environment.turnIfFree() }
      if let turn { return turn }
      WriterThread.pause(milliseconds: 10)
    }
    throw AnnalsError(
      .busy,
      "another process has been writing for \(log.options.lockTimeout); nothing was changed; try again later")
  }

  /// Notes that a version is active from here on.
  static func activate(
    _ version: SchemaVersion?, _ stability: SchemaStability, _ kinds: inout KindRegistry,
    _ tables: StoreTables, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let ordinal: UInt16
    do throws(KindRegistry.Refusal) { ordinal = try kinds.ordinal(of: version) } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions")
    }
    // A draft that is activated before anything of it is stored is a draft still.
    var row =
      kinds.schemas[ordinal]
      ?? SchemaRow(version: version, stability: stability == .draft ? .draft : .released)
    row.phase = .active
    kinds.take(ordinal: ordinal, row)
    try transaction.put(row.encoded(), UInt64(ordinal), in: tables.schemas)
  }
}
