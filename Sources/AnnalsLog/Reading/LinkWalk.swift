internal import AnnalsCoding
internal import AnnalsFormat

/// An entry that a ``LinkWalk`` has found.
struct LinkFind: Sendable {
  /// The position; 0 before it is found.
  var position: Position
  /// The number of the entry in the window that has read it.
  var index: Int
}

/// Finds a run of entries of a stream, or of those with a tag, in rounds. In each round it reads all entries
/// that were found by then.
///
/// All links of an entry that is read are followed, not only the one to the entry before it. So a stream of
/// 30 entries takes 7 rounds where one link after the other would take 30, and the memory of the entries of a
/// round is fetched at the same time.
struct LinkWalk<Chain: LinkedEntries> {
  private let lower, upper: UInt64
  private let chain: Chain
  /// The entries, the newest one first.
  private var finds: [LinkFind]
  /// The ordinals in the order in which they were found, and so in the order of the window.
  private var order: [UInt64] = []
  /// Their positions.
  private var positions: [UInt64] = []

  /// Creates a walk through entries of `chain`. The newest of them is at `position`.
  private init(_ ordinals: ClosedRange<UInt64>, at position: UInt64, of chain: Chain) throws(AnnalsError) {
    (lower, upper, self.chain) = (ordinals.lowerBound, ordinals.upperBound, chain)
    let count = Int(upper - lower) + 1
    finds = Array(repeating: LinkFind(position: 0, index: 0), count: count)
    order.reserveCapacity(count)
    positions.reserveCapacity(count)
    try find(upper, at: position)
    let newest = chain.newestOrdinal
    for level in stride(from: 1, through: chain.levelCount, by: 1) {
      try find(newest - newest % Head.step(ofLevel: level), at: chain.newestPosition(atLevel: level))
    }
    try find(0, at: chain.firstPosition)
  }

  /// Notes where the entry with an ordinal is, if it is one of the run.
  private mutating func find(_ ordinal: UInt64, at position: UInt64) throws(AnnalsError) {
    guard ordinal >= lower, ordinal <= upper else { return }
    let place = Int(upper - ordinal)
    let known = finds[place].position
    if known == 0 {
      finds[place] = LinkFind(position: Position(position), index: order.count)
      order.append(ordinal)
      positions.append(position)
    } else if known.rawValue != position {
      throw AnnalsError(
        wrongEntry: Position(position), expected: "no link to it for \(chain.name(of: ordinal))",
        found: "one, and another to position \(known)")
    }
  }

  /// Reads a run of entries into an empty window.
  ///
  /// - Parameter position: The position of the newest of them.
  /// - Returns: Where the entries are, the newest one first.
  static func read(
    _ ordinals: ClosedRange<UInt64>, at position: UInt64, of chain: Chain, _ reader: StoreReader,
    into window: inout StreamWindow
  ) throws(AnnalsError) -> [LinkFind] {
    var walk = try LinkWalk(ordinals, at: position, of: chain)
    window.reserveCapacity(walk.finds.count)
    var start = 0
    while start < walk.order.count {
      let end = walk.order.count
      try window.append(walk.positions, from: start, reader)
      for index in start..<end { try walk.follow(index, reader, window) }
      start = end
    }
    return walk.finds
  }

  /// Checks an entry of the window, and notes the entries to which its links lead.
  private mutating func follow(
    _ index: Int, _ reader: StoreReader, _ window: borrowing StreamWindow
  ) throws(AnnalsError) {
    let ordinal = order[index]
    let position = positions[index]
    let bytes = window.bytes(index)
    let start = try chain.links(of: ordinal, window.header(index), bytes, at: Position(position), reader)
    var links = ByteReader(bytes, from: start)
    for level in 0..<Head.levels(dividing: Revision(ordinal)) {
      let step = Head.step(ofLevel: level)
      guard ordinal - lower >= step else { return }
      let distance: UInt64
      do throws(FormatFailure) { distance = try links.varint() } catch {
        throw AnnalsError(error, place: "position \(position)", position: Position(position))
      }
      // A link that leads before the log is found by the read of the entry.
      try find(ordinal - step, at: position &- distance)
    }
  }
}
