package import AnnalsCoding
package import AnnalsFormat
package import LMDB

/// The heads of the tags that a transaction extends.
///
/// Unlike the heads of streams, they are in their rows with the commit: an entry has few tags, and a snapshot
/// needs nothing from memory. Rows that were read stay here for the next transactions of the same writer.
///
/// Slots hold only numbers, and all texts are in one buffer: a batch with many tags touches memory that is
/// mostly not in the cache, and follows no reference.
package struct TagHeads {
  /// The number of heads beyond which they are forgotten after a transaction: about 20 MB.
  private static let limit = 200_000
  /// The number of bytes of texts beyond which they are.
  private static let textLimit = 8 << 20
  /// The number of tags ahead at which a tag's place in the index is fetched from memory. At half of it its
  /// slot is, and at a quarter what the slot leads to.
  private static let ahead = 16

  private var index = TagIndex()
  private var texts = TagTexts()
  private var slots: [TagSlot] = []
  /// The positions of the levels of all slots.
  private var levels: [UInt64] = []
  private var dirty: [Int] = []
  private var order = TagOrder()

  package init() {}

  /// The head of a tag inside the transaction; `nil` if no entry has the tag.
  ///
  /// - Parameter table: The table `tags`; `nil` if the store has none.
  package func head(
    of tag: EventTag, _ hash: StreamHash, in table: Table?, _ reader: StoreReader
  ) throws(AnnalsError) -> TagHead? {
    if let slot = slot(of: tag.text.utf8.span, hash) { return slots[slot].head(levels.span) }
    guard let table else { return nil }
    return try reader.tagHead(of: tag, in: table)
  }

  /// The position of the newest entry with a tag inside the transaction; `nil` if no entry has the tag.
  ///
  /// - Parameter table: The table `tags`; `nil` if the store has none.
  func last(
    of tag: EventTag, _ hash: StreamHash, in table: Table?, _ reader: StoreReader
  ) throws(AnnalsError) -> UInt64? {
    if let slot = slot(of: tag.text.utf8.span, hash) {
      let last = slots[slot].last
      return last > 0 ? last : nil
    }
    guard let table else { return nil }
    return try reader.tagHead(of: tag, in: table)?.last
  }

  /// Extends a tag by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links.
  package mutating func extend(
    _ tag: EventTag, _ hash: StreamHash, to position: UInt64, index: Int, in table: Table,
    _ reader: StoreReader
  ) throws(AnnalsError) -> (ordinal: UInt64, links: EntryLinks) {
    let slot =
      if let known = self.slot(of: tag.text.utf8.span, hash) { known } else {
        add(tag, hash, try reader.tagHead(of: tag, in: table))
      }
    return try extend(slot, to: position, index: index)
  }

  /// Extends the tag of a slot by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links.
  mutating func extend(
    _ slot: Int, to position: UInt64, index: Int
  ) throws(AnnalsError) -> (ordinal: UInt64, links: EntryLinks) {
    if slots[slot].last >= position {
      throw AnnalsError(
        .damaged,
        "table 'tags', key '\(text(slot))': it leads to position \(slots[slot].last), after the log's end at \(position - 1); run 'annals verify'",
        details: AnnalsError.Details { $0.table = StoreTables.tags.name })
    }
    if !slots[slot].isDirty { dirty.append(slot) }
    return slots[slot].extend(to: position, index: index, &levels)
  }

  /// Finds the slots of all tags of a call, and reads the rows of those that are not known, in the order of
  /// their texts.
  ///
  /// - Parameter found: Receives the slot of each tag.
  mutating func find(
    _ tags: Span<AppendRequest.HashedTag>, _ found: inout [Int], in table: Table, _ reader: StoreReader
  ) throws(AnnalsError) {
    found.removeAll(keepingCapacity: true)
    found.reserveCapacity(tags.count)
    var missing: [Int] = []
    for place in tags.indices {
      if place + Self.ahead < tags.count {
        index.prefetch(tags[place + Self.ahead].hash)
        if let slot = index.likely(tags[place + Self.ahead / 2].hash) { texts.prefetchPlace(slot) }
        if let slot = index.likely(tags[place + Self.ahead / 4].hash) { texts.prefetch(slot) }
      }
      let slot = slot(of: tags[place].tag.text.utf8.span, tags[place].hash)
      if slot == nil { missing.append(place) }
      found.append(slot ?? 0)
    }
    if missing.isEmpty { return }
    var names = FrozenNames()
    for place in missing { names.add(tags[place].tag.text.utf8.span, id: UInt64(place)) }
    names.sort()
    for number in 0..<names.count {
      let place = Int(names.id(number))
      let (tag, hash) = (tags[place].tag, tags[place].hash)
      // It may be there twice.
      found[place] =
        if let known = slot(of: tag.text.utf8.span, hash) { known } else {
          add(tag, hash, try reader.tagHead(of: tag, in: table))
        }
    }
  }

  /// Begins to load the heads of the tags that are extended after the one at `place`.
  ///
  /// - Parameter found: The slots of the tags of a call.
  @inline(__always)
  func prefetch(after place: Int, of found: [Int]) {
    guard place + Self.ahead / 2 < found.count else { return }
    prefetch(found[place + Self.ahead / 2])
    prefetchLevels(found[place + Self.ahead / 4])
  }

  @inline(__always)
  private func prefetch(_ slot: Int) { slots.span.prefetch(slot) }

  @inline(__always)
  private func prefetchLevels(_ slot: Int) {
    if let place = slots[slot].levelsPlace { levels.span.prefetch(place) }
  }

  private func slot(of text: Span<UInt8>, _ hash: StreamHash) -> Int? {
    index.first(of: hash) { texts.isEqual($0, text) }
  }

  private func text(_ slot: Int) -> String {
    texts.withText(slot) { String(decoding: $0.copied, as: UTF8.self) }
  }

  private mutating func add(_ tag: EventTag, _ hash: StreamHash, _ head: TagHead?) -> Int {
    let slot = slots.count
    index.add(hash, slot)
    texts.append(tag.text.utf8.span)
    slots.append(TagSlot(head, &levels))
    return slot
  }

  /// Writes the rows of the heads that were extended.
  package mutating func put(in table: Table, _ transaction: inout WriteTransaction) throws(AnnalsError) {
    // Rows of neighbouring tags are on one page.
    order.sort(&dirty, texts)
    var row: [UInt8] = []
    row.reserveCapacity(64)
    for (number, slot) in dirty.enumerated() {
      if number + Self.ahead / 2 < dirty.count {
        prefetch(dirty[number + Self.ahead / 2])
        texts.prefetchPlace(dirty[number + Self.ahead / 2])
        prefetchLevels(dirty[number + Self.ahead / 4])
        texts.prefetch(dirty[number + Self.ahead / 4])
      }
      slots[slot].isDirty = false
      row.removeAll(keepingCapacity: true)
      slots[slot].write(levels.span, to: &row)
      try texts.withText(slot) { (key) throws(AnnalsError) in
        Row.seal(&row, key: key)
        do throws(EnvironmentError) { try transaction.put(near: row.span, forKey: key, in: table) } catch {
          throw AnnalsError(error)
        }
      }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// Frees memory after a transaction if many tags were met, and otherwise learns the order of new ones.
  package mutating func trim() {
    if slots.count > Self.limit || texts.bytes > Self.textLimit {
      self = TagHeads()
    } else {
      order.learn(texts)
    }
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
