package import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// The heads of the tags that a transaction extends.
///
/// Unlike the heads of streams, they are in their rows with the commit: an entry has few tags, and a snapshot
/// needs nothing from memory. Rows that were read stay in memory for the writer's next transactions.
package struct TagHeads {
  private var table = TagTable()

  package init() {}

  /// The head of a tag inside the transaction; `nil` if no entry has the tag.
  ///
  /// - Parameter rows: The table `tags`; `nil` if the store has none.
  package func head(
    of tag: EventTag, _ hash: StreamHash, in rows: Table?, _ reader: StoreReader
  ) throws(AnnalsError) -> TagHead? {
    if let slot = table.slot(of: tag.text.utf8.span, hash) { return table.head(slot) }
    guard let rows else { return nil }
    return try reader.tagHead(of: tag, in: rows)
  }

  /// The position of the newest entry with a tag inside the transaction; `nil` if no entry has the tag.
  ///
  /// - Parameter rows: The table `tags`; `nil` if the store has none.
  func last(
    of tag: EventTag, _ hash: StreamHash, in rows: Table?, _ reader: StoreReader
  ) throws(AnnalsError) -> UInt64? {
    if let slot = table.slot(of: tag.text.utf8.span, hash) {
      let last = table.last(slot)
      return last > 0 ? last : nil
    }
    guard let rows else { return nil }
    return try reader.tagHead(of: tag, in: rows)?.last
  }

  /// Extends a tag by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links.
  package mutating func extend(
    _ tag: EventTag, _ hash: StreamHash, to position: UInt64, index: Int, in rows: Table,
    _ reader: StoreReader
  ) throws(AnnalsError) -> (ordinal: UInt64, links: EntryLinks) {
    try extend(try slot(of: tag, hash, in: rows, reader), to: position, index: index)
  }

  /// Extends the tag of a slot by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links.
  mutating func extend(
    _ slot: Int, to position: UInt64, index: Int
  ) throws(AnnalsError) -> (ordinal: UInt64, links: EntryLinks) {
    if let extended = table.extend(slot, to: position, index: index) { return extended }
    throw AnnalsError(
      .damaged,
      "table 'tags', key '\(table.text(slot))': it leads to position \(table.last(slot)), after the log's end at \(position - 1); run 'annals verify'",
      details: AnnalsError.Details { $0.table = StoreTables.tags.name })
  }

  /// Finds the slots of all tags of a call, and reads the rows of those that are not known, in the order of
  /// their texts.
  ///
  /// - Parameter found: Receives the slot of each tag.
  mutating func find(
    _ tags: Span<HashedTag>, _ found: inout [Int], in rows: Table, _ reader: StoreReader
  ) throws(AnnalsError) {
    for place in table.find(tags, &found) {
      found[place] = try slot(of: tags[place].tag, tags[place].hash, in: rows, reader)
    }
  }

  /// The slot of a tag, which is added with its row if it is not known.
  private mutating func slot(
    of tag: EventTag, _ hash: StreamHash, in rows: Table, _ reader: StoreReader
  ) throws(AnnalsError) -> Int {
    if let known = table.slot(of: tag.text.utf8.span, hash) { return known }
    return table.add(tag, hash, try reader.tagHead(of: tag, in: rows))
  }

  /// Begins to load the heads of the tags that are extended after the one at `place`.
  ///
  /// - Parameter found: The slots of the tags of a call.
  @inline(__always)
  func prefetch(after place: Int, of found: [Int]) { table.prefetch(after: place, of: found) }

  /// Writes the rows of the heads that were extended.
  package mutating func put(in rows: Table, _ transaction: inout WriteTransaction) throws(AnnalsError) {
    try table.eachRow { (key, row) throws(AnnalsError) in
      Row.seal(&row, key: key)
      do throws(EnvironmentError) { try transaction.put(near: row.span, forKey: key, in: rows) } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Frees memory after a transaction if many tags were met, and otherwise learns the order of new ones.
  package mutating func trim() { table.trim() }
}

extension StoreReader {
  /// The head of a tag, as its row has it; `nil` if no entry has the tag.
  package func tagHead(of tag: EventTag, in table: Table) throws(AnnalsError) -> TagHead? {
    try row(tag.text, in: table) { (bytes) throws(FormatFailure) in try TagHead(bytes) }
  }
}

extension Environment {
  /// The table of tags, if the file has it and it is open.
  package var tags: Table? { later(StoreTables.tags.name) }

  /// Opens the optional tables that `verify` compares with the log, if the file has them.
  package func openIndexes() throws(AnnalsError) {
    try openIDs()
    try openTags()
  }

  /// Opens the table of tags, if the file has it: another process may have made it.
  package func openTags() throws(AnnalsError) {
    do throws(EnvironmentError) { _ = try open(later: StoreTables.tags) } catch { throw AnnalsError(error) }
  }
}

extension AnnalsError {
  /// The error for a store with tagged events that has no table of tags.
  package static var missingTags: AnnalsError {
    AnnalsError(
      .damaged, "table 'tags' is missing, which the store says it has; run 'annals repair'",
      details: Details { $0.table = StoreTables.tags.name })
  }
}
