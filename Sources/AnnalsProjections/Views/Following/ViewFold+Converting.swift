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

  /// Converts and puts the rows of an earlier version, in as many transactions as needed.
  func carryRows(_ seed: RowSeed, _ isOver: () -> Bool) throws(AnnalsError) -> Checkpoint? {
    if let erased = seed.erased, try !erase(erased, from: seed.file) {
      try file.environment.write(durability: .none, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        try transaction.remove(ViewRow.carrying.rawValue, in: file.meta)
      }
      return nil
    }
    let snapshot: ReadTransaction
    do { snapshot = try seed.file.environment.beginRead() } catch { throw AnnalsError(error) }
    let checkpoint = try seed.file.checkpoint(snapshot.view)
    let tables = P.tables
    var cursor: Cursor
    do { cursor = try snapshot.view.cursor(in: seed.file.rows) } catch { throw AnnalsError(error) }
    var isLast = false
    while !isLast, !isOver() {
      reserve()
      try file.makeRoom()
      var transaction: WriteTransaction
      do { transaction = try file.environment.beginWrite(durability: .none) } catch {
        throw AnnalsError(error)
      }
      do throws(AnnalsError) {
        isLast = try carry(Self.batch, from: &cursor, seed, tables, transaction)
        try flush(into: &transaction)
        if isLast {
          if let checkpoint { try transaction.put(checkpoint.encoded(), .checkpoint, in: file) }
          try transaction.remove(ViewRow.carrying.rawValue, in: file.meta)
        }
      } catch {
        transaction.abort()
        free()
        throw error
      }
      do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
      free()
    }
    return isLast ? checkpoint : nil
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
  /// - Returns: Whether there are no more.
  private func carry(
    _ count: Int, from cursor: inout Cursor, _ seed: RowSeed, _ tables: [ProjectionTable],
    _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> Bool {
    let from = RowOpening(seed.file)
    var rows = lentRows(transaction)
    for _ in 0..<count {
      guard let row = try cursor.nextRow() else { return true }
      guard let step = seed.carrying.steps[row.key[0]] else { continue }
      let payload = try from.open(row.value, row.key)
      do {
        switch step {
        case .rule(let rule): try rule.run(payload, &rows)
        case .carry(let table, let conversion): try tables[table].carry(payload, conversion, &rows)
        }
      } catch {
        throw AnnalsError(
          .ruleFailed,
          "the view '\(P.name)': a row of version \(seed.version) cannot become one of version \(P.version): \(error)",
          underlying: error)
      }
      if !fits() { break }
    }
    return false
  }
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
