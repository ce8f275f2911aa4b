public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsShapes

extension Erasure {
  /// An erasure that was begun and is not complete: its process was killed, or is still at work.
  public struct Unfinished: Hashable, Sendable {
    /// Who asked for it.
    public let author: String
    /// Why.
    public let reason: String
    /// The positions of the events, in ascending ranges; empty if the key of a person was dropped.
    ///
    /// Some of the events may be erased already.
    public let positions: [ClosedRange<Position>]
  }
}

extension EventLog {
  /// Returns the erasures, and the removals of keys, that were begun and are not complete.
  ///
  /// Until an erasure is complete, its events or results of them may still be read. The next open of the
  /// store with its plan completes it, and so does the next erasure. A removal of keys needs an open with
  /// these keys. ``finishErasures()`` completes erasures of a store without a plan.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `busy`, `permission` or `inputOutput`.
  public func unfinishedErasures() throws(AnnalsError) -> [Erasure.Unfinished] {
    // A removal that ends meanwhile is in the log by then.
    let drops = try KeyNotes.drops(in: core.generation.directory, isReadOnly: core.access == .readOnly)
    let row = try read { (snapshot) throws(AnnalsError) in try snapshot.reader.unfinishedErasure() }
    var unfinished = drops.map { Erasure.Unfinished(author: $0.author, reason: $0.reason, positions: []) }
    if let row {
      unfinished.append(
        Erasure.Unfinished(
          author: row.author, reason: row.reason,
          positions: row.positions.ranges.map { Position($0.lowerBound)...Position($0.upperBound) }))
    }
    return unfinished
  }

  /// Completes an erasure whose process was killed.
  ///
  /// - Throws: ``AnnalsError`` with code `needsPlan` if the store has inline projections, `busy` while a
  ///   migration pass or an erasure runs, and the errors of `append`.
  /// - Complexity: As the erasure itself.
  public func finishErasures() throws(AnnalsError) {
    guard let row = try read({ (snapshot) throws(AnnalsError) in try snapshot.reader.unfinishedErasure() })
    else { return }
    try Erasing(self, author: row.author, reason: row.reason).finish()
  }
}
