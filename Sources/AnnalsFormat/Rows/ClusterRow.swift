package import AnnalsCoding

/// The names of the rows of `meta` that a store has as a member of a cluster.
package enum ClusterRow {
  /// The prefix of the names of all of them. A migration pass takes these rows over.
  package static let prefix = "cluster"
  /// The generation in the entry of an erasure that comes from a shared log: each machine notes its own.
  package static let anyGeneration = FormatRange.generations.upperBound

  /// Returns the name of the row with the generation in which this machine applied an erasure.
  ///
  /// - Parameter position: The position of the system entry that records the erasure.
  package static func name(erasedBy position: Position) -> String {
    "\(prefix) erased \(RowNumber.text(position.rawValue))"
  }

  /// Returns the name of a row with a number, so that rows are in the order of their numbers.
  package static func name(_ kind: String, _ number: UInt64) -> String {
    "\(prefix) \(kind) \(RowNumber.text(number))"
  }
}
