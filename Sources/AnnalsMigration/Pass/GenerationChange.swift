package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The right to change which generation of a store is in use: for one pass, rollback or removal at a time, in
/// all processes.
///
/// It holds `pass.lock`, the first of all locks. So it is taken with no other lock, no transaction and no
/// turn, and ends on the thread that took it. By then the work of a killed process is completed: the
/// generation in use is unsealed, and `CURRENT` names it.
package struct GenerationChange: ~Copyable {
  package let opening: StoreOpening
  /// The generation in use.
  package let inUse: Generation
  /// The generation whose interrupted rollback is complete now.
  package let finishedRollback: UInt64?
  private let lock: FileLock
  private let hold: FileLock.Hold

  package var options: StoreOptions { opening.options }

  /// Takes the right to change the store at `url`, which must exist.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` if another process has it, and the errors of an open.
  package init(_ url: URL, _ options: StoreOptions) throws(AnnalsError) {
    var options = options
    options.access = .readWrite
    options.creation = .never
    try self.init(StoreOpening(directory: StorePlace(url).open(options), options: options))
  }

  /// Takes the right to change the store that `opening` opens for writing.
  init(_ opening: StoreOpening) throws(AnnalsError) {
    // Before anything is created in it: a directory may be no store.
    _ = try opening.readCurrent()
    let lock = try opening.passLock()
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
      let holder: Int32?
      // The holder is only named in the message.
      do { holder = try lock.lastHolder() } catch { holder = nil }
      throw AnnalsError(
        .busy,
        "\(holder.map { "process \($0)" } ?? "another process") is migrating the store, or changing its generations; nothing was changed; wait for it, or end it",
        details: AnnalsError.Details { $0.holder = holder })
    }
    var opened = try opening.run()
    let finished = opened.isStale ? opened.previous : nil
    if opened.isStale {
      try Generation(opened, opening.directory, heads: 0).unsealIfStale(within: opening.options.lockTimeout)
      // Its rows have another epoch now.
      opened = try opening.run()
    }
    try opening.record()
    inUse = Generation(opened, opening.directory, heads: 0)
    finishedRollback = finished
    self.opening = opening
    self.lock = lock
    self.hold = hold
  }
}

extension GenerationChange {
  /// Runs one durable transaction in a generation, which commits if `body` reports a change.
  ///
  /// - Throws: Any error of `body`; `busy` if another process keeps the turn.
  package func write(
    in generation: Generation, _ body: (inout WriteTransaction) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let environment = generation.environment
    var transaction = try environment.write(environment.turn(within: options.lockTimeout), .full)
    let isChanged: Bool
    do throws(AnnalsError) { isChanged = try body(&transaction) } catch {
      transaction.abort()
      throw error
    }
    guard isChanged else { return transaction.abort() }
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
  }

  /// Returns the rows of the generation in use in a transaction, if it is still in use.
  package func meta(in transaction: borrowing WriteTransaction) throws(AnnalsError) -> StoreMeta {
    let meta = try StoreReader(transaction.view, inUse.tables).meta()
    try StoreMeta.check(meta.requires, forWriting: true)
    switch meta.state {
    case .live, .appendsSuspended: return meta
    case .building, .sealed:
      // Only the holder of `pass.lock` seals a generation.
      throw AnnalsError(
        .damaged, "'\(inUse.current.fileName)' was sealed by a program that did not take the store's locks",
        details: AnnalsError.Details { $0.file = inUse.current.fileName })
    }
  }

  /// Puts the seal of the generation in use, and removes its row `pass`. With the commit, which must be
  /// durable, `successor` is in use.
  ///
  /// By then, the successor is durably marked as live or held, and has the epoch after the one of the
  /// generation in use.
  package func seal(_ transaction: inout WriteTransaction, successor: UInt64) throws(AnnalsError) {
    var meta = try meta(in: transaction)
    guard meta.epoch < .max else {
      throw AnnalsError(
        .damaged, "table 'meta': the row 'epoch' has a number that no store reaches",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    meta.state = .sealed(Seal(successor: successor, epoch: meta.epoch + 1))
    try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: inUse.tables.meta)
    let name = Array(PassRow.name.utf8)
    _ = try storage { () throws(EnvironmentError) in
      try transaction.delete(key: name.span, in: inUse.tables.meta)
    }
  }

  /// Returns the file of a generation that is not in use.
  ///
  /// - Throws: ``AnnalsError`` with code `incomplete` if there is none.
  package func file(_ number: UInt64) throws(AnnalsError) -> StoreOpening.GenerationFile {
    guard let file = try opening.open(number, of: inUse.current.log) else {
      throw AnnalsError(
        StoreFileError.missing(file: CurrentFile.fileName(generation: number)))
    }
    return file
  }
}
