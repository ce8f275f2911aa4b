package import AnnalsFormat
internal import AnnalsSchema
package import AnnalsCoding
package import AnnalsLog
package import AnnalsStore
package import LMDB

extension InlineContext {
  /// The number of entries folded before their rows are put.
  private static var chunk: UInt64 { 4_096 }

  /// Folds stored entries into one projection, and puts the changed rows.
  ///
  /// - Parameters:
  ///   - row: The projection's row, which is updated with its progress, also after an error.
  ///   - last: The position of the last entry.
  ///   - kinds: The kinds of the generation, including those that the transaction has registered.
  ///   - deadline: The time at which it stops earlier, after a chunk; `nil` for never.
  ///   - hidden: The entries that are not folded.
  ///   - isShared: Whether the changes of the store come from the log of a cluster.
  /// - Returns: The reason that an entry cannot be folded. Entries before its chunk are put then, and none of
  ///   the chunk.
  /// - Throws: An error that ends the whole transaction.
  package func catchUp(
    member: Int, _ row: inout RuleRow, to last: UInt64, _ kinds: KindRegistry, _ tables: StoreTables,
    _ table: Table, until deadline: ContinuousClock.Instant? = nil, without hidden: HiddenEntries = .none,
    isShared: Bool = false, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> CatchUpFailure? {
    // Cached kinds must not outlive the transaction, which may have registered some that are never committed.
    let reach = PlanResolver(set.reach.plan)
    let past = StoredPast(transaction.environment, tables, kinds, log: set.log, reach)
    let upcaster = Upcaster(reach: reach, kinds: kinds, log: set.log, past: past)
    while row.folded < last {
      let end = min(row.folded + Self.chunk, last)
      clear()
      do throws(AnnalsError) {
        try upcast(row.folded + 1...end, upcaster, StoreReader(transaction.view, tables), without: hidden)
      } catch {
        return .unreadable(error)
      }
      if let refusal = try fold(into: [(member, row.number)], table, in: &transaction) {
        return .refused(AnnalsError(refusal, ofStoredEventIn: row, isShared: isShared))
      }
      stagings[member].forget()
      row.folded = end
      if let deadline, ContinuousClock.now >= deadline { break }
    }
    return nil
  }

  /// Upcasts stored entries.
  func upcast(
    _ range: ClosedRange<UInt64>, _ upcaster: Upcaster, _ reader: StoreReader,
    without hidden: HiddenEntries = .none
  ) throws(AnnalsError) {
    let start = Position(range.lowerBound)
    let log = LogSteps(start: start, backwards: false, last: range.upperBound, limit: range.count)
    var cursor = try EntryCursor(reader, EntrySteps(log: log, names: names))
    names = StreamNames()
    defer { names = cursor.steps.names }
    let end = cursor.page(PageLimits(scanned: .max, elements: .max, bytes: .max)) {
      (entry, stream) throws(AnnalsError) in
      if !hidden.contains(entry.header) { try upcaster.upcast(entry, of: stream, into: buffer) }
      return buffer.count
    }
    if let error = end.failure { throw error }
  }
}

/// The reason that a stored entry cannot be folded.
package enum CatchUpFailure {
  /// The entry cannot be upcast, or not be read.
  case unreadable(AnnalsError)
  /// The projection does not accept it.
  case refused(AnnalsError)

  package var error: AnnalsError {
    switch self {
    case .unreadable(let error), .refused(let error): error
    }
  }
}

extension AnnalsError {
  /// The refusal of an event that is stored already. The fold itself words it for one that is being appended.
  fileprivate init(_ refusal: AnnalsError, ofStoredEventIn row: RuleRow, isShared: Bool) {
    var message = refusal.message
    if refusal.code == .rejected, let position = refusal.details.position,
      let stream = refusal.details.stream
    {
      let cause = refusal.underlying
      let reason = (cause as? Rejection)?.reason ?? (cause as? AnnalsError)?.message ?? message
      message =
        "position \(position): the inline projection '\(row.name)' does not accept a stored event of stream '\(stream)': \(reason)"
    } else if refusal.code != .ruleFailed || !row.isInForce {
      self = refusal
      return
    }
    // The machines of a cluster stop here, so that none of them gets to an activation.
    let advice =
      isShared
      ? "when all machines of the cluster have stopped here, start a program on each in which this version does"
      : "open the store with a higher version that does, and activate it"
    let need =
      row.isInForce
      ? "version \(row.version) of it is in force, and has to accept each event as it is read since events were erased or truncated, keys were dropped, streams were moved, or the store was repaired: \(advice)"
      : "it has to accept each, and is not in force"
    self.init(
      refusal.code, "\(message); \(need)", details: refusal.details, underlying: refusal.underlying)
  }
}
