internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// Where the inline projections of one store fold, without the type of its events. Used by one thread, inside one transaction.
class InlineRoom {
  final let set: InlineSet
  /// By member, its rows that were read or changed.
  final let stagings: [RowStaging]
  /// The names of streams that were met.
  final var names = StreamNames()

  fileprivate init(_ set: InlineSet, _ stagings: [RowStaging]) {
    self.set = set
    self.stagings = stagings
  }

  /// Where lifted events go.
  var sink: Sink { preconditionFailure("a room without events is not used") }

  /// Folds what was lifted into one projection, and keeps what was lifted.
  func apply(member: Int, _ source: RowSource) throws(AnnalsError) {}

  /// Forgets what was lifted.
  func clear() {}

  /// Forgets all rows: those that were not stored, and those that somebody else may have changed.
  final func forget() {
    clear()
    for staging in stagings { staging.forget() }
  }

  /// Folds what was lifted into some of the projections, and puts what that changes.
  ///
  /// - Parameter members: The projections, each with the number of its rows.
  /// - Returns: Why it is refused; nothing is put then.
  /// - Throws: What ends the whole transaction.
  final func fold(
    into members: [(member: Int, number: UInt16)], _ table: Table, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    do throws(AnnalsError) {
      for (member, number) in members {
        let source = RowSource(
          transaction.view, table, prefix: InlineRow.keyPrefix(number), name: set.members[member].outline.name
        )
        try apply(member: member, source)
        // Whoever did not look at the error has taken a row for missing.
        if let failure = stagings[member].failure { throw failure }
        // Before anything is put: the rows of other calls are in the transaction.
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

/// Where the inline projections of one store fold.
final class InlineFoldingRoom<Event: SchemaEvent>: InlineRoom {
  private let folds: [InlineFold<Event>]
  private let delivery = Delivery<Event>()

  init(_ set: InlineSet, _ folds: [InlineFold<Event>]) {
    self.folds = folds
    super.init(set, folds.map { RowStaging($0.outline, $0.tables) })
  }

  override var sink: Sink { delivery }

  override func clear() { delivery.keep(first: 0) }

  override func apply(member: Int, _ source: RowSource) throws(AnnalsError) {
    let fold = folds[member]
    var rows = ProjectionRows(stagings[member], source)
    for entry in delivery.entries where fold.selection.includes(entry) {
      stagings[member].enter(entry.position.rawValue)
      do { try fold.apply(entry, &rows) } catch {
        throw AnnalsError(error, foldingInline: entry.position, of: entry.stream, in: fold.outline.name)
      }
    }
  }
}

extension AnnalsError {
  /// What a caller is told of an event that an inline projection does not take.
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
