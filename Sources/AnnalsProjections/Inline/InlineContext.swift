internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore
internal import LMDB

/// The context in which the inline projections of one store fold, without the type of its events. Used by one
/// thread, inside one transaction.
package class InlineContext {
  package final let set: InlineSet
  /// The rows that were read or changed, by member.
  final let stagings: [RowStaging]
  /// The names of streams seen so far.
  final var names = StreamNames()
  /// The record types of the last call, and where their payloads enter the plan.
  final var entrances: (records: [RecordKind], list: [CompiledPlan.Entrance]) = ([], [])

  fileprivate init(_ set: InlineSet, _ stagings: [RowStaging]) {
    self.set = set
    self.stagings = stagings
  }

  /// The buffer for upcast events.
  var buffer: EventBuffer { preconditionFailure("a room without events is not used") }

  /// Folds the upcast events into one projection, and keeps them.
  func apply(member: Int, _ source: RowSource) throws(AnnalsError) {}

  /// Folds the upcast events of several calls into one projection, and keeps them.
  ///
  /// It ends with the first call that changes a row or cannot read one, or with the last one.
  ///
  /// - Parameters:
  ///   - ends: The number of upcast events up to the end of each call.
  ///   - next: The number of the first call. Afterwards that of the last one that was folded, also if its
  ///     fold throws.
  func apply(
    member: Int, _ source: RowSource, _ ends: [Int], _ next: inout Int, upTo last: Int
  ) throws(AnnalsError) {}

  /// Discards the upcast events.
  func clear() {}

  /// Discards all cached rows: those not stored, and those that other programs may have changed.
  package final func forget() {
    clear()
    for staging in stagings { staging.forget() }
  }

  /// Folds the upcast events into some of the projections, and puts the changed rows.
  ///
  /// - Parameter members: The projections, each with the number of its rows.
  /// - Returns: The reason for refusing the events; nothing is put then.
  /// - Throws: An error that ends the whole transaction.
  final func fold(
    into members: [(member: Int, number: UInt16)], _ table: Table, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    do throws(AnnalsError) {
      for (member, number) in members {
        let source = RowSource(
          transaction.view, table, prefix: RuleRow.keyPrefix(number), name: set.members[member].outline.name
        )
        try apply(member: member, source)
        // A fold that ignored this error took a row for missing.
        if let failure = stagings[member].failure { throw failure }
        // Checked before anything is put, because the transaction holds the rows of other calls.
        try stagings[member].check()
      }
    } catch {
      forget()
      return error
    }
    clear()
    for (member, _) in members {
      try stagings[member].flush(into: &transaction, table)
      stagings[member].settle()
    }
    return nil
  }
}

/// The context in which the inline projections of one store fold.
final class InlineFoldContext<Event: SchemaEvent>: InlineContext {
  private let folds: [InlineFold<Event>]
  private let delivery = TypedEventBuffer<Event>()

  init(_ set: InlineSet, _ folds: [InlineFold<Event>]) {
    self.folds = folds
    super.init(set, folds.map { RowStaging($0.outline, $0.tables) })
  }

  override var buffer: EventBuffer { delivery }

  override func clear() {
    guard delivery.count > 0 else { return }
    delivery.entries.removeAll(keepingCapacity: true)
    delivery.count = 0
  }

  override func apply(member: Int, _ source: RowSource) throws(AnnalsError) {
    var rows = ProjectionRows(stagings[member], source)
    for entry in delivery.entries { try apply(folds[member], entry, stagings[member], &rows) }
  }

  override func apply(
    member: Int, _ source: RowSource, _ ends: [Int], _ next: inout Int, upTo last: Int
  ) throws(AnnalsError) {
    let (fold, staging, entries) = (folds[member], stagings[member], delivery.entries)
    var rows = ProjectionRows(staging, source)
    var index = next == 0 ? 0 : ends[next - 1]
    while true {
      while index < ends[next] {
        try apply(fold, entries[index], staging, &rows)
        index += 1
      }
      if next == last || staging.hasChanges || staging.failure != nil { return }
      next += 1
    }
  }

  @inline(__always)
  private func apply(
    _ fold: InlineFold<Event>, _ entry: Entry<Event>, _ staging: RowStaging, _ rows: inout ProjectionRows
  ) throws(AnnalsError) {
    guard fold.selection.includes(entry) else { return }
    staging.enter(entry.position.rawValue)
    do { try fold.apply(entry, &rows) } catch {
      throw AnnalsError(error, foldingInline: entry.position, of: entry.stream, in: fold.outline.name)
    }
  }
}

extension AnnalsError {
  /// Creates the error for an event that an inline projection does not accept.
  init(_ cause: any Error, foldingInline position: Position, of stream: StreamName, in projection: String) {
    let details = Details {
      $0.position = position
      $0.stream = stream
    }
    if let rejection = cause as? Rejection {
      self.init(
        .rejected,
        "stream '\(stream)': the inline projection '\(projection)' refuses the event: \(rejection.reason); nothing of the call was stored",
        details: details, underlying: cause)
      return
    }
    if let error = cause as? AnnalsError, error.code == .conflict {
      self.init(
        .rejected, "stream '\(stream)': \(error.message); nothing of the call was stored", details: details,
        underlying: cause)
      return
    }
    self.init(cause, folding: position, of: stream, in: projection)
  }
}
