package import AnnalsCoding

/// The heads of tags in a writer's memory, by slots.
///
/// Slots hold only numbers, and all texts are in one buffer: a batch with many tags touches memory that is
/// mostly not in the cache, and follows no reference.
package struct TagTable: Sendable {
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

  /// The slot of a tag; `nil` if the tag has none.
  package func slot(of text: Span<UInt8>, _ hash: StreamHash) -> Int? {
    index.first(of: hash) { texts.isEqual($0, text) }
  }

  /// The head in a slot; `nil` for a tag that no entry has.
  package func head(_ slot: Int) -> TagHead? { slots[slot].head(levels.span) }

  /// The position of the newest entry with the tag of a slot; 0 if no entry has the tag.
  package func last(_ slot: Int) -> UInt64 { slots[slot].last }

  /// The text of a slot's tag.
  package func text(_ slot: Int) -> String {
    texts.withText(slot) { String(decoding: $0.copied, as: UTF8.self) }
  }

  /// Adds a tag that has no slot yet.
  ///
  /// - Parameter head: The head; `nil` for a tag that no entry has.
  /// - Returns: The slot.
  package mutating func add(_ tag: EventTag, _ hash: StreamHash, _ head: TagHead?) -> Int {
    let slot = slots.count
    index.add(hash, slot)
    texts.append(tag.text.utf8.span)
    slots.append(TagSlot(head, &levels))
    return slot
  }

  /// Extends the tag of a slot by the entry at `position`.
  ///
  /// - Parameter index: The place of the tag among the entry's tags.
  /// - Returns: The entry's place in the chain, and its links; `nil` if the newest entry with the tag is not
  ///   before it.
  package mutating func extend(
    _ slot: Int, to position: UInt64, index: Int
  ) -> (ordinal: UInt64, links: EntryLinks)? {
    guard slots[slot].last < position else { return nil }
    if !slots[slot].isDirty { dirty.append(slot) }
    return slots[slot].extend(to: position, index: index, &levels)
  }

  /// Finds the slots of all tags of a call.
  ///
  /// - Parameter found: Receives the slot of each tag; 0 for one without.
  /// - Returns: The indices of the tags without a slot, in the order of their texts. One tag may be there
  ///   twice.
  package func find(_ tags: Span<HashedTag>, _ found: inout [Int]) -> [Int] {
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
    if missing.isEmpty { return [] }
    var names = FrozenNames(capacity: missing.count)
    for place in missing { names.add(tags[place].tag.text.utf8.span, id: UInt64(place)) }
    names.sort()
    for number in missing.indices { missing[number] = Int(names.id(number)) }
    return missing
  }

  /// Begins to load the heads of the tags that are extended after the one at `place`.
  ///
  /// - Parameter found: The slots of the tags of a call.
  package func prefetch(after place: Int, of found: [Int]) {
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

  /// Passes the text and the row of each head that was extended to `put`, in the order of the texts.
  package mutating func eachRow(
    _ put: (_ text: Span<UInt8>, _ row: inout [UInt8]) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
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
      try texts.withText(slot) { (text) throws(AnnalsError) in try put(text, &row) }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// Frees memory after a transaction if many tags were met, and otherwise learns the order of new ones.
  package mutating func trim() {
    if slots.count > Self.limit || texts.bytes > Self.textLimit {
      self = TagTable()
    } else {
      order.learn(texts)
    }
  }
}
