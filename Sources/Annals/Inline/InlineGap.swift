internal import AnnalsCoding
internal import LMDB

extension InlineRoom {
  /// How many entries are folded before their rows are put.
  private static var chunk: UInt64 { 4_096 }

  /// How many entries a call folds before its own at most; more keep other writers waiting for seconds, and are left to an open.
  static var longestGap: UInt64 { 50_000 }

  /// Folds stored entries into one projection, and puts what that changes.
  ///
  /// - Parameters:
  ///   - row: The projection's row, which then says how far it is; also after an error.
  ///   - last: The position of the last entry.
  ///   - kinds: The kinds of the generation, those included that the transaction has registered.
  ///   - deadline: When it stops before that, behind a chunk; `nil` for never.
  /// - Returns: Why an entry cannot be folded; what stands before its chunk is put then, and nothing of the chunk.
  /// - Throws: What ends the whole transaction.
  func catchUp(
    member: Int, _ row: inout InlineRow, to last: UInt64, _ kinds: KindRegistry, _ tables: StoreTables,
    _ table: Table, until deadline: ContinuousClock.Instant? = nil, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    // What is kept of kinds must not outlive the transaction: it may have registered some that are never committed.
    let reach = PlanReach(set.reach.plan)
    let past = StoredPast(transaction.environment, tables, kinds, log: set.log, reach)
    let lifting = EntryLifting(reach: reach, kinds: kinds, log: set.log, past: past)
    while row.folded < last {
      let end = min(row.folded + Self.chunk, last)
      clear()
      do throws(AnnalsError) {
        try lift(row.folded + 1...end, lifting, StoreReader(transaction.view, tables))
      } catch {
        return error
      }
      if let refusal = try fold(into: [(member, row.number)], table, in: &transaction) { return refusal }
      stagings[member].forget()
      row.folded = end
      if let deadline, ContinuousClock.now >= deadline { break }
    }
    return nil
  }

  /// Lifts stored entries.
  func lift(
    _ range: ClosedRange<UInt64>, _ lifting: EntryLifting, _ reader: StoreReader
  ) throws(AnnalsError) {
    let start = Position(range.lowerBound)
    let log = LogSteps(start: start, backwards: false, last: range.upperBound, limit: range.count)
    var cursor = try EntryCursor(reader, EntrySteps(log: log, names: names))
    names = StreamNames()
    defer { names = cursor.steps.names }
    let end = cursor.page(PageLimits(scanned: .max, elements: .max, bytes: .max)) {
      (entry, stream) throws(AnnalsError) in
      try lifting.lift(entry, of: stream, into: sink)
      return sink.count
    }
    if let error = end.failure { throw error }
  }
}
