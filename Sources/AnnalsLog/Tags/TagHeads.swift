package import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// The heads of the tags that a transaction extends.
///
/// Unlike the heads of streams, they are in their rows with the commit: an entry has few tags, and a snapshot
/// needs nothing from memory. Rows that were read stay here for the next transactions of the same writer.
package struct TagHeads {
  /// The number of heads beyond which they are forgotten after a transaction: about 20 MB.
  private static let limit = 100_000

  private struct Slot {
    let tag: EventTag
    /// `nil` for a tag that no entry has.
    var head: TagHead?
    var isDirty = false
  }

  private var index = TagIndex()
  private var slots: [Slot] = []
  private var dirty: [Int] = []

  package init() {}

  /// The head of a tag inside the transaction; `nil` if no entry has the tag.
  ///
  /// - Parameter table: The table `tags`; `nil` if the store has none.
  package func head(
    of tag: EventTag, _ hash: StreamHash, in table: Table?, _ reader: StoreReader
  ) throws(AnnalsError) -> TagHead? {
    if let slot = slot(of: tag, hash) { return slots[slot].head }
    guard let table else { return nil }
    return try reader.tagHead(of: tag, in: table)
  }

  /// Extends a tag by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links.
  package mutating func extend(
    _ tag: EventTag, _ hash: StreamHash, to position: UInt64, index: Int, in table: Table,
    _ reader: StoreReader
  ) throws(AnnalsError) -> (ordinal: UInt64, links: EntryLinks) {
    let slot = try slot(of: tag, hash, in: table, reader)
    if !slots[slot].isDirty {
      slots[slot].isDirty = true
      dirty.append(slot)
    }
    // Only numbers are copied: a copy of the head would make its levels be copied with each change.
    guard let last = slots[slot].head?.last, let ordinal = slots[slot].head?.ordinal else {
      slots[slot].head = TagHead(beginningAt: position, index: index)
      return (0, EntryLinks())
    }
    guard last < position else {
      throw AnnalsError(
        .damaged,
        "table 'tags', key '\(tag)': it leads to position \(last), after the log's end at \(position - 1); run 'annals verify'",
        details: AnnalsError.Details { $0.table = StoreTables.tags.name })
    }
    let links = slots[slot].head?.extend(to: position) ?? EntryLinks()
    return (ordinal + 1, links)
  }

  private func slot(of tag: EventTag, _ hash: StreamHash) -> Int? {
    index.first(of: hash) { slots[$0].tag == tag }
  }

  private mutating func slot(
    of tag: EventTag, _ hash: StreamHash, in table: Table, _ reader: StoreReader
  ) throws(AnnalsError) -> Int {
    if let slot = slot(of: tag, hash) { return slot }
    let head = try reader.tagHead(of: tag, in: table)
    index.add(hash, slots.count)
    slots.append(Slot(tag: tag, head: head))
    return slots.count - 1
  }

  /// Writes the rows of the heads that were extended.
  package mutating func put(in table: Table, _ transaction: inout WriteTransaction) throws(AnnalsError) {
    // Rows of neighbouring tags are on one page.
    var texts = FrozenNames()
    for slot in dirty { texts.add(slots[slot].tag.text.utf8.span, id: UInt64(slot)) }
    texts.sort()
    var row: [UInt8] = []
    for index in 0..<texts.count {
      let slot = Int(texts.id(index))
      slots[slot].isDirty = false
      let text = slots[slot].tag.text
      let key = text.utf8.span
      row.removeAll(keepingCapacity: true)
      slots[slot].head?.write(to: &row)
      Row.seal(&row, key: key)
      do throws(EnvironmentError) { try transaction.put(near: row.span, forKey: key, in: table) } catch {
        throw AnnalsError(error)
      }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// Frees memory after a transaction, if many tags were met.
  package mutating func trim() {
    if slots.count > Self.limit { self = TagHeads() }
  }
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
