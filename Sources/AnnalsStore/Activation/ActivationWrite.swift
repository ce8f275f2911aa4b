package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
internal import AnnalsSchema
package import LMDB

/// The transaction that keeps an activation.
package struct ActivationWrite {
  private let log: EventLog
  /// Whether a change comes from the log of the cluster that the store belongs to, at this place in it.
  @TaskLocal private static var isShared = false

  /// Calls `body`, whose changes come from the log of the cluster that the store belongs to.
  package static func fromCluster<R>(
    _ body: () throws(AnnalsError) -> R
  ) throws(AnnalsError) -> R {
    // The standard library's function does not keep the type of an error.
    try $isShared.withValue(true) { Result { () throws(AnnalsError) in try body() } }.get()
  }

  package init(_ log: EventLog) {
    self.log = log
  }

  /// Runs one durable transaction. If `body` reports a change, the transaction commits and the schema epoch
  /// rises.
  ///
  /// - Parameters:
  ///   - risesEpoch: Whether the epoch rises. It need not if no reader uses the change yet.
  ///   - body: Receives the transaction, the tables of the generation in use, and its kinds. It runs again if
  ///     that generation has been succeeded.
  /// - Returns: The result of `body`.
  package func run(
    risesEpoch: Bool = true,
    _ body: (inout WriteTransaction, StoreTables, KindRegistry) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> Bool {
    var generation = log.core.generation
    while true {
      if let isChanged = try attempt(in: generation, risesEpoch, body) { return isChanged }
      generation = try log.core.successor(of: generation)
    }
  }

  /// Runs the transaction in one generation; returns `nil` if that generation must not be written to.
  private func attempt(
    in generation: Generation, _ risesEpoch: Bool,
    _ body: (inout WriteTransaction, StoreTables, KindRegistry) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> Bool? {
    let (environment, tables) = (generation.environment, generation.tables)
    try generation.unsealIfStale(within: log.options.lockTimeout)
    var transaction = try environment.write(environment.turn(within: log.options.lockTimeout), .full)
    do throws(AnnalsError) {
      var meta = generation.meta
      for name in [StoreMeta.Name.state, .requires] {
        try StoreReader(transaction.view, tables).read(name, into: &meta)
      }
      if case .sealed = meta.state {
        transaction.abort()
        return nil
      }
      try StoreMeta.check(meta.requires, forWriting: true)
      if meta.requires.contains(.cluster), !Self.isShared { throw AnnalsError.needsCluster }
      guard meta.state == .live else {
        throw AnnalsError(
          .appendsSuspended, "the store takes no changes until the last migration is accepted or rolled back")
      }
      let kinds = try StoreReader(transaction.view, tables).kinds()
      guard kinds.epoch < .max else {
        throw AnnalsError(
          .damaged, "table 'meta': the row 'schemaEpoch' has a number that no store reaches",
          details: AnnalsError.Details { $0.table = "meta" })
      }
      guard try body(&transaction, tables, kinds) else {
        transaction.abort()
        return false
      }
      if risesEpoch {
        meta.schemaEpoch = kinds.epoch + 1
        try transaction.put(
          meta.value(of: .schemaEpoch), StoreMeta.Name.schemaEpoch.rawValue, in: tables.meta)
      }
    } catch {
      transaction.abort()
      throw error
    }
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    return true
  }

  /// Marks a version as active from here on.
  static func activate(
    _ version: SchemaVersion?, _ stability: SchemaStability, _ kinds: inout KindRegistry,
    _ tables: StoreTables, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let ordinal: UInt16
    do throws(KindRegistry.Refusal) { ordinal = try kinds.ordinal(of: version) } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions")
    }
    // A draft that is activated before any of its events is stored is still a draft.
    var row =
      kinds.schemas[ordinal]
      ?? SchemaRow(version: version, stability: SchemaRow.Stability(stability))
    row.phase = .active
    kinds.take(ordinal: ordinal, row)
    try transaction.put(row.encoded(), UInt64(ordinal), in: tables.schemas)
  }
}
