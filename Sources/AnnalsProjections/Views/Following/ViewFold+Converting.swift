internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// The rows of an earlier version, or of a file that was withdrawn for an erasure, with which a view begins
/// instead of the log.
struct RowSeed: Sendable {
  let file: ViewFile
  let version: Int
  let carrying: RowCarrying
  /// The erased events to take out of the rows of a withdrawn file first; `nil` for an earlier version.
  var erased: [ErasedEvent]?
}

extension ViewFold {
  /// The most rows converted in one transaction.
  private static var batch: Int { 20_000 }
  /// The bytes of changes after which a transaction ends. The map of a new file has room for them.
  private static var batchBytes: Int { 8 << 20 }

  /// Converts and puts the rows of an earlier version, in as many transactions as needed.
  func carryRows(_ seed: RowSeed, _ isOver: () -> Bool) throws(AnnalsError) -> Checkpoint? {
    if let erased = seed.erased, try !erase(erased, from: seed.file) {
      try file.environment.write(durability: .none, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        try transaction.remove(ViewRow.carrying.rawValue, in: file.meta)
      }
      return nil
    }
    return try seed.file.read { (view) throws(AnnalsError) in
      let checkpoint = try seed.file.checkpoint(view)
      var progress = CarryingProgress()
      var outgrown = 0
      while !progress.isLast, !isOver() {
        do throws(AnnalsError) {
          progress = try carryBatch(from: view, after: progress, seed, checkpoint)
        } catch {
          guard file.isEnlarged(beyond: &outgrown) else { throw error }
        }
      }
      return progress.isLast ? checkpoint : nil
    }
  }

  /// Converts and puts the next rows in one transaction, with the checkpoint after the last.
  private func carryBatch(
    from view: TransactionView, after start: CarryingProgress, _ seed: RowSeed, _ checkpoint: Checkpoint?
  ) throws(AnnalsError) -> CarryingProgress {
    reserve()
    try file.makeRoom()
    var transaction: WriteTransaction
    do { transaction = try file.environment.beginWrite(durability: .none) } catch { throw AnnalsError(error) }
    let end: CarryingProgress
    do throws(AnnalsError) {
      end = try carry(from: view, after: start, seed, transaction)
      try flush(into: &transaction)
      if end.isLast {
        if let checkpoint { try transaction.put(checkpoint.encoded(), .checkpoint, in: file) }
        try transaction.remove(ViewRow.carrying.rawValue, in: file.meta)
      }
    } catch {
      transaction.abort()
      free()
      throw error
    }
    free()
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    return end
  }

  /// Takes erased events out of the rows of a withdrawn file, which nobody reads or folds any more.
  ///
  /// Its pages keep the old bytes until the file is removed. The rows are then copied to a new file, which
  /// has never had them.
  ///
  /// - Returns: Whether that is done; `false` if the projection cannot, or more events have been erased, and
  ///   nothing has changed.
  private func erase(_ erased: [ErasedEvent], from file: ViewFile) throws(AnnalsError) -> Bool {
    guard let eraser = P.eraser else { return false }
    var outgrown = 0
    while true {
      do throws(AnnalsError) { return try erase(erased, from: file, with: eraser) } catch {
        guard file.isEnlarged(beyond: &outgrown) else { throw error }
      }
    }
  }

  private func erase(
    _ erased: [ErasedEvent], from file: ViewFile,
    with eraser: (ErasedEvent, inout ProjectionRows) throws -> Void
  ) throws(AnnalsError) -> Bool {
    try file.makeRoom()
    return try file.environment.decide(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      // Another event may have been erased since these were listed.
      guard try file.erased(transaction.view) == PositionRanges(erased.map(\.position)) else {
        return .abort(false)
      }
      if erased.isEmpty { return .abort(true) }
      let staging = emptyStaging()
      do {
        var rows = ProjectionRows(staging, file.source(transaction.view))
        for event in erased {
          staging.enter(event.position.rawValue)
          try eraser(event, &rows)
        }
      } catch {
        if let failure = staging.failure { throw failure }
        return .abort(false)
      }
      do throws(AnnalsError) {
        try staging.flush(into: &transaction, file.rows)
      } catch {
        guard error.code == .ruleFailed else { throw error }
        return .abort(false)
      }
      // The callback is not called again if this process ends before the copy does.
      var none: [UInt8] = []
      PositionRanges().append(to: &none)
      try transaction.put(none, .erased, in: file)
      return .commit(true)
    }
  }

  /// Converts the next rows.
  ///
  /// - Returns: How far it came.
  private func carry(
    from view: TransactionView, after start: CarryingProgress, _ seed: RowSeed,
    _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> CarryingProgress {
    let from = RowOpening(seed.file)
    let tables = P.tables
    var cursor: Cursor
    do { cursor = try view.cursor(in: seed.file.rows) } catch { throw AnnalsError(error) }
    if !start.key.isEmpty {
      // A row that was converted, which the snapshot still has.
      do throws(EnvironmentError) { _ = try cursor.seek(start.key.span) } catch { throw AnnalsError(error) }
    }
    var rows = lentRows(transaction)
    var end = start
    for _ in 0..<Self.batch {
      guard let row = try cursor.nextRow() else {
        end.isLast = true
        return end
      }
      end.key.removeAll(keepingCapacity: true)
      end.key.append(row.key)
      guard let step = seed.carrying.steps[row.key[0]] else { continue }
      let payload = try from.open(row.value, row.key)
      do {
        switch step {
        case .rules(let rules): for rule in rules { try rule.run(payload, &rows) }
        case .carry(let table): try tables[table].carry(payload, &rows)
        }
      } catch {
        throw AnnalsError(
          .ruleFailed,
          "the view '\(P.name)': a row of version \(seed.version) cannot become one of version \(P.version): \(error)",
          underlying: error)
      }
      if changedSize >= Self.batchBytes || !fits() { break }
    }
    return end
  }
}

/// How far the rows of an earlier version have been converted.
private struct CarryingProgress {
  /// The key of the last row; empty at the beginning.
  var key: [UInt8] = []
  /// Whether there are no more rows.
  var isLast = false
}

/// Opens stored rows of a file.
private struct RowOpening {
  let name: String

  init(_ file: ViewFile) { name = file.name }

  @_lifetime(copy stored)
  func open(_ stored: Span<UInt8>, _ key: Span<UInt8>) throws(AnnalsError) -> Span<UInt8> {
    do throws(FormatFailure) { return stored.extracting(try Row.open(stored, key: key)) } catch {
      throw AnnalsError(
        .damaged, "the view '\(name)': a row is not what was stored (\(error)); rebuild the view")
    }
  }
}

extension ViewFile {
  /// Whether the next transaction begins with a larger map than the one that was too small for the last.
  ///
  /// - Parameter outgrown: The size of the last map that was too small, in bytes.
  func isEnlarged(beyond outgrown: inout Int) -> Bool {
    guard environment.needsLargerMap, environment.mapSize > outgrown else { return false }
    outgrown = environment.mapSize
    return true
  }
}
