public import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// A consistent state of the log, available inside a closure. It cannot be copied, so it cannot be kept.
public struct LogSnapshot: ~Copyable {
  package let transaction: ReadTransaction
  /// The generation of the whole snapshot, even if another generation succeeds it meanwhile.
  package let generation: Generation
  package let kinds: KindRegistry
  package let heads: SnapshotHeads
  /// The optional tables that were open when it began. It cannot use any other one.
  let laterTables: [Table]

  package init(_ core: LogCore) throws(AnnalsError) {
    var generation = core.generation
    while true {
      let laterTables = generation.environment.openLaterTables
      let transaction = try Self.begin(in: generation)
      if let kinds = try Self.kinds(in: transaction, generation) {
        // A table that was made or opened meanwhile can only be used by a later transaction.
        if kinds.hasTags, !laterTables.contains(where: { $0.definition == StoreTables.tags }) {
          try generation.environment.openTags()
          if generation.environment.tags != nil {
            transaction.end()
            continue
          }
        }
        self.transaction = transaction
        self.generation = generation
        self.kinds = kinds
        heads = SnapshotHeads(generation.heads)
        self.laterTables = laterTables
        return
      }
      transaction.end()
      generation = try core.successor(of: generation)
    }
  }

  private static func begin(in generation: Generation) throws(AnnalsError) -> ReadTransaction {
    try storage { () throws(EnvironmentError) in try generation.environment.beginRead() }
  }

  /// The kinds; `nil` if the generation is not in use any longer.
  private static func kinds(
    in transaction: borrowing ReadTransaction, _ generation: Generation
  ) throws(AnnalsError) -> KindRegistry? {
    let reader = StoreReader(transaction.view, generation.tables)
    guard try generation.isInUse(in: reader) else { return nil }
    return try generation.kinds(in: reader)
  }

  /// The head of `stream`; `nil` if it holds no entry.
  package func head(of stream: StreamName) throws(AnnalsError) -> Head? {
    try NameRule.check(stream.text, role: "stream")
    return try heads.head(of: stream, reader)
  }

  package var reader: StoreReader {
    @_lifetime(borrow self)
    get { StoreReader(transaction.view, generation.tables) }
  }

  /// Returns the position of the newest entry; `nil` in an empty log.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  /// - Complexity: O(log of the log's length).
  public func head() throws(AnnalsError) -> Position? {
    let last = try reader.last()
    return last == 0 ? nil : Position(last)
  }

  /// Returns the revision of the newest entry of `stream`; `nil` for a stream without entries.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: Two look-ups, regardless of the length of the stream.
  public func revision(of stream: StreamName) throws(AnnalsError) -> Revision? {
    try head(of: stream)?.revision
  }

  /// Returns the streams that a stage with `Streams` has moved entries of `stream` to. It is empty if none
  /// have moved.
  ///
  /// If entries of a new name have moved again, its own new streams come after it; it is left out if it holds
  /// no entries from before the last such pass. Of a stream that was split into more than 16 streams, only
  /// the first 16 are known. A stream may hold entries of its own in addition to moved ones, or only those.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: One look-up, and some for each name that is followed.
  public func moved(from stream: StreamName) throws(AnnalsError) -> [StreamName] {
    try NameRule.check(stream.text, role: "stream")
    guard try generation.hasMoved(in: reader) else { return [] }
    return try reader.movedStreams(from: stream)
  }

  /// Returns the entry at `position`; `nil` after the end of the log.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `formatVersion`, `needsNewer` or `inputOutput`.
  public func entry(at position: Position) throws(AnnalsError) -> LogEntry? {
    guard position.rawValue > 0, position.rawValue <= (try reader.last()) else { return nil }
    let entry = try reader.lend(try reader.bytes(at: position), at: position)
    return try EntryReading(kinds: kinds).entry(entry, reader.name(of: entry.stream), reader)
  }
}

@available(*, unavailable)
extension LogSnapshot: Sendable {}
