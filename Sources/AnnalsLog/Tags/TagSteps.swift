internal import AnnalsCoding
internal import AnnalsFormat

/// The way through the chains of the tags of a query, in one snapshot.
///
/// Each alternative of the query follows the shortest chain of its tags. The next entry is the nearest of all
/// alternatives, so that each entry comes once, in the order of positions.
struct TagSteps: Sendable {
  /// The most entries of a chain that are looked up at a time for reading forwards.
  private static let largestShare: UInt64 = 256

  /// The way of one alternative.
  private struct Way: Sendable {
    let chain: TagChain
    /// Places that are known, the next one last.
    var ahead: [TagChain.Place] = []
    /// The next place after those; `nil` at the end of the chain.
    var upcoming: UInt64?
    /// The number of entries that are looked up next.
    var share: UInt64 = 4
  }

  private var ways: [Way]
  private let backwards: Bool
  /// The last position to return.
  private let end: UInt64
  /// The position that the next one must be beyond, if any was returned.
  private var passed: UInt64?

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
    ways = []
    guard backwards ? start >= end : start <= end else { return }
    for item in query.items {
      guard let chain = try Self.shortest(of: item.tags, from: start, through: end, backwards, head) else {
        continue
      }
      // Several alternatives may lead along one chain.
      if ways.contains(where: { $0.chain.tag == chain.tag }) { continue }
      if let way = try Self.way(along: chain, from: start, backwards, reader) { ways.append(way) }
    }
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
    var way = Way(chain: chain)
    if !backwards {
      guard let first = try reader.first(of: chain, where: { $0.position >= start }) else { return nil }
      way.upcoming = first.ordinal
      return way
    }
    guard let beyond = try reader.first(of: chain, where: { $0.position > start }) else {
      way.ahead = [chain.newest]
      return way
    }
    guard beyond.ordinal > 0 else { return nil }
    way.ahead = [try reader.place(before: beyond, of: chain)]
    return way
  }

  /// Returns the next position, and the number of its entry in `window` if that has it; `nil` at the end.
  ///
  /// - Parameter window: The entries that were read to find positions, in the snapshot of `reader`.
  mutating func next(
    _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> (position: UInt64, index: Int?)? {
    // With several ways, entries are read again when they are lent.
    let isAlone = ways.count == 1
    var nearest: UInt64?
    for index in ways.indices {
      guard let position = try peek(index, reader, &window) else { continue }
      nearest = nearest.map { backwards ? max($0, position) : min($0, position) } ?? position
    }
    guard let nearest, backwards ? nearest >= end : nearest <= end else { return nil }
    var found: Int?
    for index in ways.indices where ways[index].ahead.last?.position == nearest {
      let place = ways[index].ahead.removeLast()
      if isAlone, !backwards { found = ways[index].ahead.count }
      if backwards, place.ordinal > 0 {
        ways[index].ahead = [try reader.place(before: place, of: ways[index].chain)]
      }
    }
    // Links that do not lead back would make a read endless.
    if let passed, backwards ? nearest >= passed : nearest <= passed {
      throw AnnalsError(
        wrongEntry: Position(nearest), expected: "an entry beyond position \(passed)", found: "a link to it")
    }
    passed = nearest
    return (nearest, found)
  }

  /// The next position of a way; `nil` at its end.
  private mutating func peek(
    _ index: Int, _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> UInt64? {
    if let place = ways[index].ahead.last { return place.position }
    guard let start = ways[index].upcoming else { return nil }
    let chain = ways[index].chain
    let share = ways[index].share
    ways[index].share = min(4 * share, Self.largestShare)
    // The end of a chain is read at once: its newest entry is known, and the way to an earlier one would be
    // searched for.
    let rest = chain.head.ordinal - start
    let last = rest < ways[index].share ? chain.head.ordinal : start + share - 1
    guard var place = try reader.first(of: chain, where: { $0.ordinal >= last }) else { return nil }
    window.removeAll()
    var ahead: [TagChain.Place] = []
    while true {
      ahead.append(place)
      let before = try window.read(place, of: chain, reader)
      if place.ordinal == start { break }
      place = before
    }
    ways[index].ahead = ahead
    ways[index].upcoming = last < chain.head.ordinal ? last + 1 : nil
    return ahead.last?.position
  }
}
