internal import LMDB

/// Folds entries into a view's file: rows and checkpoint of a batch in one transaction. Used by one thread.
final class ViewFold<P: Projection> {
  /// What became of a batch.
  enum Outcome {
    /// It is stored.
    case stored
    /// Somebody else has folded: the view is at this checkpoint, and nothing was stored.
    case elsewhere(Checkpoint?)
  }

  /// How many rows are kept in memory from batch to batch, and how many bytes of them.
  private static var most: (rows: Int, bytes: Int) { (200_000, 32 << 20) }

  let file: ViewFile
  private let staging: RowStaging
  /// The number of the last commit of this fold.
  private var known: UInt64?

  init(_ file: ViewFile) throws(AnnalsError) {
    self.file = file
    staging = RowStaging(try ProjectionOutline(P.self), P.tables)
  }

  /// Folds the selected ones of `entries`, which lead from one checkpoint to the other.
  ///
  /// - Throws: What ``Projection/apply(_:to:)`` threw, as `ruleFailed` with the entry's position: then nothing is stored.
  func fold(
    _ entries: borrowing [Entry<P.Event>], from start: Checkpoint?, to end: Checkpoint, durability: Durability
  ) throws(AnnalsError) -> Outcome {
    var transaction = try begin(durability)
    do throws(AnnalsError) {
      let found = try file.checkpoint(transaction.view)
      guard found == start else {
        transaction.abort()
        staging.forget()
        known = nil
        return .elsewhere(found)
      }
      if transaction.id != known.map({ $0 + 1 }) { staging.forget() }
      try apply(entries, transaction)
      try staging.flush(into: &transaction, file.rows)
      try transaction.put(end.encoded(), "checkpoint", in: file.meta)
    } catch {
      transaction.abort()
      staging.forget()
      known = nil
      throw error
    }
    let id = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch {
      staging.forget()
      known = nil
      throw AnnalsError(error)
    }
    known = id
    if staging.count > Self.most.rows || staging.size > Self.most.bytes {
      staging.forget()
    } else {
      staging.settle()
    }
    return .stored
  }

  private func begin(_ durability: Durability) throws(AnnalsError) -> WriteTransaction {
    do { return try file.environment.beginWrite(durability: durability) } catch { throw AnnalsError(error) }
  }

  private func apply(
    _ entries: borrowing [Entry<P.Event>], _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) {
    let selection = P.events
    var rows = ProjectionRows(staging, file.source(transaction.view))
    for index in entries.indices where selection.includes(entries[index].event) {
      do { try P.apply(entries[index], to: &rows) } catch {
        throw AnnalsError(error, folding: entries[index].position, of: entries[index].stream, in: P.name)
      }
    }
  }
}

extension AnnalsError {
  /// What is told of an event that a projection could not fold.
  init(_ cause: any Error, folding position: Position, of stream: StreamName, in projection: String) {
    if let error = cause as? AnnalsError, error.code == .damaged || error.code == .inputOutput {
      self = error
      return
    }
    self.init(
      .ruleFailed,
      "position \(position), stream '\(stream)': the projection '\(projection)' cannot fold the event: \(cause)",
      details: Details {
        $0.position = position
        $0.stream = stream
      }, underlying: cause)
  }
}
