internal import AnnalsCoding
internal import AnnalsFormat

/// The way through the chains of the tags of a query, in one snapshot.
///
/// Each alternative of the query follows the shortest chain of its tags. The next entry is the nearest of all
/// alternatives, so that each entry comes once, in the order of positions.
struct TagSteps: Sendable {
  /// The most entries of a chain that are looked up at a time.
  private static let largestShare: UInt64 = 256

  /// The way of one alternative.
  private struct Way: Sendable {
    let chain: TagChain
    /// The entries that are known, the next one last.
    var ahead: [LinkFind] = []
    /// The ordinal of the next entry after those; `nil` at the end of the chain.
    var upcoming: UInt64?
    /// Where the next entry is, when a chain is read backwards.
    var position: UInt64 = 0
    /// The number of entries that are looked up next.
    var share: UInt64
  }

  private var ways: [Way] = []
  /// The next entries of several ways, but of those that are due.
  private var heap: NearestWays
  /// The ways whose next entries are looked up with the next step.
  private var due: [Int] = []
  private let backwards: Bool
  /// The last position to return.
  private let end: UInt64
  /// The position that the next one must be beyond, if any was returned.
  private var passed: UInt64?
  /// How often entries were looked up.
  private(set) var runs = 0

  /// Creates the way from `start` to `end`.
  ///
  /// - Parameters:
  ///   - start: The position to begin at; read backwards, the highest one.
  ///   - end: The position to end at; read backwards, the lowest one.
  ///   - head: Returns the head of a tag; `nil` if no entry has the tag.
  init(
    _ query: StoredQuery, from start: UInt64, through end: UInt64, backwards: Bool, _ reader: StoreReader,
    head: (EventTag) throws(AnnalsError) -> TagHead?
  ) throws(AnnalsError) {
    self.backwards = backwards
    self.end = end
    heap = NearestWays(backwards: backwards)
    guard backwards ? start >= end : start <= end else { return }
    var known: Set<EventTag> = []
    for item in query.items {
      guard let chain = try Self.shortest(of: item.tags, from: start, through: end, backwards, head) else {
        continue
      }
      // Several alternatives may lead along one chain.
      if query.items.count > 1, !known.insert(chain.tag).inserted { continue }
      if let way = try Self.way(along: chain, from: start, backwards, reader) { ways.append(way) }
    }
    if ways.count > 1 { due = Array(ways.indices) }
  }

  /// The chain with the fewest entries; `nil` if no entry in the range can have all of the tags.
  private static func shortest(
    of tags: [EventTag], from start: UInt64, through end: UInt64, _ backwards: Bool,
    _ head: (EventTag) throws(AnnalsError) -> TagHead?
  ) throws(AnnalsError) -> TagChain? {
    var shortest: TagChain?
    for tag in tags {
      guard let head = try head(tag), head.last >= min(start, end), head.chain.first <= max(start, end) else {
        return nil
      }
      if shortest.map({ head.ordinal < $0.head.ordinal }) ?? true {
        shortest = TagChain(tag: tag, head: head)
      }
    }
    return shortest
  }

  private static func way(
    along chain: TagChain, from start: UInt64, _ backwards: Bool, _ reader: StoreReader
  ) throws(AnnalsError) -> Way? {
    // Often only the newest entry is wanted.
    var way = Way(chain: chain, share: backwards ? 1 : 4)
    if !backwards {
      guard let first = try reader.first(of: chain, where: { $0.position >= start }) else { return nil }
      way.upcoming = first.ordinal
      return way
    }
    var place = chain.newest
    if let beyond = try reader.first(of: chain, where: { $0.position > start }) {
      guard beyond.ordinal > 0 else { return nil }
      place = try reader.place(before: beyond, of: chain)
    }
    way.upcoming = place.ordinal
    way.position = place.position
    return way
  }

  /// Returns the next position, and the number of its entry in `window` if that has it; `nil` at the end.
  ///
  /// - Parameter window: The entries that were read to find positions, in the snapshot of `reader`.
  mutating func next(
    _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> (position: UInt64, index: Int?)? {
    var found: Int?
    let next: UInt64
    if ways.count == 1 {
      guard let position = try peek(0, reader, &window), isInside(position) else { return nil }
      found = ways[0].ahead.removeLast().index
      next = position
    } else {
      // Entries are read again when they are lent.
      guard let position = try nearest(reader, &window), isInside(position) else { return nil }
      while let other = heap.nearest, other.position == position {
        heap.removeNearest()
        ways[other.way].ahead.removeLast()
        due.append(other.way)
      }
      next = position
    }
    // Links that do not lead back would make a read endless.
    if let passed, backwards ? next >= passed : next <= passed {
      throw AnnalsError(
        wrongEntry: Position(next), expected: "an entry beyond position \(passed)", found: "a link to it")
    }
    passed = next
    return (next, found)
  }

  private func isInside(_ position: UInt64) -> Bool { backwards ? position >= end : position <= end }

  /// The nearest of the next positions of all ways; `nil` at the end of all.
  private mutating func nearest(
    _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> UInt64? {
    while let way = due.last {
      if let position = try peek(way, reader, &window) { heap.add(.init(position: position, way: way)) }
      due.removeLast()
    }
    return heap.nearest?.position
  }

  /// The next position of a way; `nil` at its end.
  private mutating func peek(
    _ index: Int, _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> UInt64? {
    if let find = ways[index].ahead.last { return find.position.rawValue }
    guard let start = ways[index].upcoming else { return nil }
    runs += 1
    window.removeAll()
    if backwards {
      try look(back: index, from: start, reader, &window)
    } else {
      try look(ahead: index, from: start, reader, &window)
    }
    return ways[index].ahead.last?.position.rawValue
  }

  /// Finds the entries from an ordinal on.
  private mutating func look(
    ahead index: Int, from start: UInt64, _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) {
    let chain = ways[index].chain
    let share = ways[index].share
    ways[index].share = min(4 * share, Self.largestShare)
    // The end of a chain is read at once: its newest entry is known, and the way to an earlier one would be
    // searched for.
    let rest = chain.head.ordinal - start
    let last = rest < ways[index].share ? chain.head.ordinal : start + share - 1
    ways[index].upcoming = nil
    guard let place = try reader.first(of: chain, where: { $0.ordinal >= last }) else { return }
    ways[index].ahead = try LinkWalk.read(
      start...last, at: place.position, of: chain, reader, into: &window)
    ways[index].upcoming = last < chain.head.ordinal ? last + 1 : nil
  }

  /// Finds the entries from an ordinal back.
  private mutating func look(
    back index: Int, from start: UInt64, _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) {
    let share = ways[index].share
    ways[index].share = min(4 * share, Self.largestShare)
    let last = start - min(start, share)
    var finds = try LinkWalk.read(
      last...start, at: ways[index].position, of: ways[index].chain, reader, into: &window)
    ways[index].upcoming = nil
    if last > 0 {
      // It is read again, for its links, with those before it.
      ways[index].upcoming = last
      ways[index].position = finds.removeLast().position.rawValue
    }
    finds.reverse()
    ways[index].ahead = finds
  }
}
