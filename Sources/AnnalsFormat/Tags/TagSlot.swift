internal import AnnalsCoding

/// The head of a tag in a writer's memory, as numbers alone.
struct TagSlot: BitwiseCopyable, Sendable {
  /// The position of the chain's first entry; 0 if no entry has the tag.
  private var first: UInt64 = 0
  private var ordinal: UInt64 = 0
  /// The position of the newest entry; 0 if no entry has the tag.
  private(set) var last: UInt64 = 0
  /// The place of the first level among those of all slots.
  private var start = 0
  /// The number of levels there is room for at the place.
  private var room: UInt8 = 0
  private var count: UInt8 = 0
  /// The number of the tag among those of the first entry.
  private var index: UInt8 = 0
  /// Whether it was extended after its row was written.
  var isDirty = false

  /// The place of its levels among those of all slots; `nil` if it has none.
  var levelsPlace: Int? { count == 0 ? nil : start }

  /// Creates a slot.
  ///
  /// - Parameters:
  ///   - head: The head; `nil` for a tag that no entry has.
  ///   - levels: The levels of all slots.
  init(_ head: TagHead?, _ levels: inout [UInt64]) {
    guard let head else { return }
    first = head.chain.first
    index = UInt8(head.chain.index)
    ordinal = head.ordinal
    last = head.last
    guard !head.levels.isEmpty else { return }
    start = levels.count
    levels += head.levels
    count = UInt8(head.levels.count)
    room = count
  }

  /// The head; `nil` for a tag that no entry has.
  func head(_ levels: Span<UInt64>) -> TagHead? {
    guard first > 0 else { return nil }
    var own: [UInt64] = []
    for level in 0..<Int(count) { own.append(levels[start + level]) }
    return TagHead(
      chain: TagChainID(first: first, index: UInt64(index)), ordinal: ordinal, last: last, levels: own)
  }

  /// Writes the row of the head.
  func write(_ levels: Span<UInt64>, to bytes: inout [UInt8]) {
    TagHead.write(
      TagChainID(first: first, index: UInt64(index)), ordinal: ordinal, last: last,
      levels.extracting(start..<start + Int(count)), to: &bytes)
  }

  /// Extends the chain by the entry at `position`, as ``TagHead/extend(to:)`` does.
  mutating func extend(
    to position: UInt64, index: Int, _ levels: inout [UInt64]
  ) -> (ordinal: UInt64, links: EntryLinks) {
    isDirty = true
    var links = EntryLinks()
    guard first > 0 else {
      (first, last, self.index) = (position, position, UInt8(index))
      return (0, links)
    }
    ordinal += 1
    links.append(position - last)
    last = position
    guard ordinal & 3 == 0 else { return (ordinal, links) }
    for level in 0..<Head.levels(dividing: Revision(ordinal)) - 1 {
      links.append(position - (level < count ? levels[start + level] : first))
      if level == count { addLevel(to: &levels) }
      levels[start + level] = position
    }
    return (ordinal, links)
  }

  private mutating func addLevel(to levels: inout [UInt64]) {
    if count == room {
      // The old place stays unused: a chain of a million entries has ten levels.
      let old = start
      start = levels.count
      for level in 0..<Int(count) { levels.append(levels[old + level]) }
      room = count + 2
      for _ in count..<room { levels.append(0) }
    }
    count += 1
  }
}
