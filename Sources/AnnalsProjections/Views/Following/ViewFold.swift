internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// Folds entries into the file of one projection, with the rows and checkpoint of a batch in one transaction.
/// Used by one thread.
final class ViewFold<P: Projection>: ViewFolding<P.Event> {
  /// The most rows kept in memory between batches.
  private static var mostRows: Int { 200_000 }
  /// The longest wait for memory before a batch, in milliseconds.
  private static var patience: Int { 1_000 }

  private let outline: ProjectionOutline
  private var staging: RowStaging
  /// The memory of the rows. Nothing that it does calls back.
  private var memory: RowReservation {
    _read { yield reservation.value }
    _modify { yield &reservation.value }
  }
  private let reservation: SerialValue<RowReservation>
  private let places: LogPlaces
  private let selection: EventQuery<P.Event>
  /// Whether that selects every event, so that none has to be compared with it.
  private let selectsAll: Bool
  /// The lock that shows whether the projection has observers.
  private let observers: ObserverLock
  /// The number of the last commit of this fold.
  private var known: UInt64?

  init(
    _ file: ViewFile, _ outline: ProjectionOutline, _ budget: ViewBudget = ViewBudget(),
    _ places: LogPlaces = LogPlaces()
  ) {
    self.outline = outline
    self.places = places
    reservation = SerialValue(RowReservation(budget))
    staging = RowStaging(outline, P.tables)
    selection = P.events
    selectsAll = selection.cases == nil && !selection.hasTags
    observers = ObserverLock(P.name, in: file.directory)
    super.init(file)
  }

  override func fold(
    _ first: ViewPage<P.Event>, from start: Checkpoint?, _ durability: Durability,
    next: (Int) throws(FoldFailure) -> ViewPage<P.Event>?
  ) throws(FoldFailure) -> FoldOutcome {
    reserve()
    var transaction: WriteTransaction
    try other { () throws(AnnalsError) in try file.makeRoom() }
    do { transaction = try file.environment.beginWrite(durability: durability) } catch {
      throw .other(file.failure(error))
    }
    var end = first.end
    // The position at which a batch whose memory does not suffice ends.
    var goal: UInt64?
    do throws(FoldFailure) {
      let (found, successor) = try other { () throws(AnnalsError) in
        (try file.checkpoint(transaction.view), try file.successor(transaction.view))
      }
      // A checkpoint never goes back.
      let isBehind = first.end.position < start?.position ?? 0
      guard found == start, successor == nil, !isBehind else {
        transaction.abort()
        free()
        return successor == nil ? .elsewhere(found) : .succeeded
      }
      if transaction.id != known.map({ $0 + 1 }) { staging.forget() }
      var position = start?.position.rawValue ?? 0
      var page = first
      while true {
        if let stop = try apply(page.entries, after: position, through: goal ?? .max, transaction) {
          let last = if let goal { goal } else { try self.end(of: stop, durability) }
          goal = last
          if stop < last {
            // Nobody sees these rows before the rest of the call.
            try store(into: &transaction, at: Position(last), after: start?.position.rawValue ?? 0)
            free()
            reserve()
            position = stop
            continue
          }
        }
        if let goal, goal < page.end.position.rawValue {
          end = try other { () throws(AnnalsError) in try places.checkpoint(goal) }
          break
        }
        end = page.end
        position = end.position.rawValue
        guard goal != position, let further = try next(staging.changedSize) else { break }
        page = further
      }
      try store(into: &transaction, at: end.position, after: start?.position.rawValue ?? 0)
      try other { () throws(AnnalsError) in try transaction.put(end.encoded(), .checkpoint, in: file) }
    } catch {
      transaction.abort()
      free()
      throw error
    }
    let id = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch {
      free()
      throw .other(file.failure(error))
    }
    known = id
    if durability == .none {
      // This shortens the flush at the end.
      do { try file.environment.startWriteback() } catch { throw .other(file.failure(error)) }
    }
    staging.settle()
    if goal != nil || staging.count > Self.mostRows || !memory.settle(to: staging.memory) {
      free()
      known = id
    }
    return .stored(end)
  }

  override func carry(_ seed: RowSeed, _ isOver: () -> Bool) throws(AnnalsError) -> Checkpoint? {
    try carryRows(seed, isOver)
  }

  override var keepsRows: Bool { staging.count > 0 }

  override func free() {
    known = nil
    staging = RowStaging(outline, P.tables)
    memory.end()
  }

  /// Reserves memory for a batch, and waits for it if other views have it.
  func reserve() {
    if memory.cover(staging.memory) { return }
    free()
    // Views that fold store their batches in that time. If none does, this batch has one event.
    for _ in 0..<Self.patience {
      if memory.cover(0) { return }
      WriterThread.pause(milliseconds: 1)
    }
  }

  /// Counts an event that was folded.
  ///
  /// - Returns: Whether there is memory for another.
  func fits() -> Bool { !memory.isDue() || memory.cover(staging.measured()) }

  deinit { memory.end() }

  /// Makes the buffer for changes of rows in another file.
  func emptyStaging() -> RowStaging { RowStaging(outline, P.tables) }

  /// The bytes of changes that are not stored yet.
  var changedSize: Int { staging.changedSize }

  /// Returns the rows inside a transaction.
  @_lifetime(borrow transaction)
  func lentRows(_ transaction: borrowing WriteTransaction) -> ProjectionRows {
    ProjectionRows(staging, file.source(transaction.view))
  }

  /// Returns the position at which a batch ends whose memory does not suffice after an entry.
  private func end(of stop: UInt64, _ durability: Durability) throws(FoldFailure) -> UInt64 {
    if durability == .none { return stop }
    do throws(AnnalsError) { return try places.endOfCall(stop) } catch {
      throw error.recovery == [.retry] ? .other(error) : .log(error)
    }
  }

  /// Stores changes of a batch, for observers too. If a row cannot be encoded, the entry that changed it is
  /// to blame.
  ///
  /// - Parameter position: The position of the view when the changes become visible.
  private func store(
    into transaction: inout WriteTransaction, at position: Position, after start: UInt64
  ) throws(FoldFailure) {
    do throws(AnnalsError) { try staging.flush(into: &transaction, file.rows) } catch {
      guard error.code == .ruleFailed, let position = error.details.position?.rawValue, position > start
      else {
        throw .other(file.named(error))
      }
      throw .poison(position: position, error)
    }
    try other { () throws(AnnalsError) in
      // A view has no observers while it is built.
      guard try file.isReady(transaction.view) else { return }
      try ChangeJournal.note(
        staging, at: position, in: file.changes, isObserved: observers.isAnybody, &transaction)
    }
  }

  /// Stores the changes.
  func flush(into transaction: inout WriteTransaction) throws(AnnalsError) {
    try staging.flush(into: &transaction, file.rows)
  }

  /// Folds the entries of a page between two positions.
  ///
  /// - Returns: The position of the entry after which the memory does not suffice; `nil` if it does.
  private func apply(
    _ page: [Entry<P.Event>], after position: UInt64, through last: UInt64,
    _ transaction: borrowing WriteTransaction
  ) throws(FoldFailure) -> UInt64? {
    let staging = staging
    var rows = ProjectionRows(staging, file.source(transaction.view))
    let entries = page.span
    var fits = true
    for index in entries.indices {
      if entries[index].position.rawValue > last { break }
      // Two scans overlap when they merge, and a page is gone through again after its rows were stored.
      if entries[index].position.rawValue <= position { continue }
      do {
        try entries.lend(index, with: &rows) { (entry, rows) throws in
          guard selectsAll || selection.includes(entry) else { return }
          staging.enter(entry.position.rawValue)
          try P.apply(entry, to: &rows)
        }
      } catch {
        // A failed read may be the cause, regardless of the projection throws.
        if let failure = staging.failure { throw .other(failure) }
        let cause = AnnalsError(
          error, folding: entries[index].position, of: entries[index].stream, in: P.name)
        throw cause.code == .ruleFailed
          ? .poison(position: entries[index].position.rawValue, cause) : .other(cause)
      }
      fits = self.fits() && fits
      // The checkpoint counts the whole entry, so all parts of a split are folded with the first one.
      let isLastPart = index + 1 == entries.count || entries[index + 1].position != entries[index].position
      if !fits, isLastPart { return entries[index].position.rawValue }
    }
    return nil
  }
}

/// Runs `body`, whose errors are not the projection's.
private func other<R>(_ body: () throws(AnnalsError) -> R) throws(FoldFailure) -> R {
  do { return try body() } catch { throw .other(error) }
}
