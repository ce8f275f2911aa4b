internal import AnnalsCoding
internal import AnnalsFormat

/// Finds a run of revisions of a stream, in rounds. In each round it reads all entries that were found by
/// then.
///
/// All links of an entry that is read are followed, not only the one to the entry before it. So a stream of
/// 30 entries takes 7 rounds where one link after the other would take 30, and the memory of the entries of a
/// round is fetched at the same time.
struct LinkWalk {
  /// An entry that was found.
  struct Find: Sendable {
    /// The position; 0 before it is found.
    var position: Position
    /// The number of the entry in the window that has read it.
    var index: Int
  }

  private let lower, upper: UInt64
  private let stream: Position
  /// The entries, the one with the newest revision first.
  private var finds: [Find]
  /// The revisions in the order in which they were found, and so in the order of the window.
  private var order: [UInt64] = []
  /// Their positions.
  private var positions: [UInt64] = []

  /// Creates a walk through `revisions` of the stream with this head. The newest of them is at `position`.
  private init(_ revisions: ClosedRange<UInt64>, at position: Position, of head: Head) throws(AnnalsError) {
    (lower, upper, stream) = (revisions.lowerBound, revisions.upperBound, head.id)
    let count = Int(upper - lower) + 1
    finds = Array(repeating: Find(position: 0, index: 0), count: count)
    order.reserveCapacity(count)
    positions.reserveCapacity(count)
    try find(upper, at: position)
    for (index, position) in head.levels.enumerated() {
      let newest = head.revision.rawValue
      try find(newest - newest % Head.step(ofLevel: index + 1), at: position)
    }
    try find(0, at: head.id)
  }

  /// Notes where the entry with a revision is, if it is one of the run.
  private mutating func find(_ revision: UInt64, at position: Position) throws(AnnalsError) {
    guard revision >= lower, revision <= upper else { return }
    let place = Int(upper - revision)
    let known = finds[place].position
    if known == 0 {
      finds[place] = Find(position: position, index: order.count)
      order.append(revision)
      positions.append(position.rawValue)
    } else if known != position {
      throw AnnalsError(
        wrongEntry: position,
        expected: "no link to it for revision \(revision) of the stream that begins at \(stream)",
        found: "one, and another to position \(known)")
    }
  }

  /// Reads a run of revisions into an empty window.
  ///
  /// - Parameter position: The position of the newest of them.
  /// - Returns: Where the entries are, the one with the newest revision first.
  static func read(
    _ revisions: ClosedRange<UInt64>, at position: Position, of head: Head, _ reader: StoreReader,
    into window: inout StreamWindow
  ) throws(AnnalsError) -> [Find] {
    var walk = try LinkWalk(revisions, at: position, of: head)
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
    let revision = order[index]
    let position = Position(positions[index])
    let header = window.header(index)
    try reader.check(header, at: position, is: Revision(revision), of: stream)
    var links = ByteReader(window.bytes(index), from: header.links.lowerBound)
    for level in 0..<Head.levels(dividing: Revision(revision)) {
      let step = Head.step(ofLevel: level)
      guard revision - lower >= step else { return }
      let distance: UInt64
      do throws(FormatFailure) { distance = try links.varint() } catch {
        throw AnnalsError(error, place: "position \(position)", position: position)
      }
      try find(revision - step, at: Position(position.rawValue - distance))
    }
  }
}
