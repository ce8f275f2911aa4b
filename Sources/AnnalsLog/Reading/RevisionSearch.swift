internal import AnnalsCoding
internal import AnnalsFormat

/// A search for the position of one revision of a stream, between two entries of the stream that are known.
///
/// Links lead from the later one back. In a stream with a large share of the entries around, a guess comes
/// near first: it looks where the entry would be if the stream's entries were evenly spread. What a guess
/// reads is checked like any other entry, and a guess that fails costs a few neighbouring entries.
struct RevisionSearch {
  /// The most guesses, and the most neighbouring entries that each looks at.
  private static let guesses = 2
  private static let neighbours: UInt64 = 16
  /// The most positions for each entry of the stream, with which one of its entries is probably nearby.
  private static let widest: UInt64 = 8
  /// The distance in revisions up to which links lead through few entries, from any entry on.
  private static let near: UInt64 = 16

  private let stream: Position
  private let wanted: UInt64
  /// The entry at the wanted revision or after it from which links lead on.
  private var at: UInt64
  private(set) var position: Position
  /// The nearest known entry at the wanted revision or after it, for guesses.
  private var upper: UInt64
  private var upperPosition: Position
  /// A known entry before it.
  private var lower: UInt64 = 0
  private var lowerPosition: Position
  /// The number of entries that were read.
  private(set) var touched = 0

  /// Begins a search with the entries that the stream's head knows.
  init(for revision: Revision, from head: Head) {
    stream = head.id
    wanted = revision.rawValue
    (at, position) = (head.revision.rawValue, head.last)
    (upper, upperPosition) = (at, position)
    lowerPosition = head.id
    guard wanted > 0 else {
      (at, position) = (0, head.id)
      return
    }
    for level in stride(from: head.levels.count, to: 0, by: -1) {
      let multiple = head.revision.rawValue - head.revision.rawValue % Head.step(ofLevel: level)
      if multiple >= wanted {
        (at, position) = (multiple, head.newest(atLevel: level))
        break
      }
      (lower, lowerPosition) = (multiple, head.newest(atLevel: level))
    }
    (upper, upperPosition) = (at, position)
  }

  /// Searches until the position is found.
  mutating func run(_ reader: StoreReader) throws(AnnalsError) {
    for _ in 0..<Self.guesses where !isFound { if !guess(reader) { break } }
    while !isFound { try follow(reader) }
  }

  /// Whether ``position`` is that of the wanted revision.
  ///
  /// Where two entries are as far apart in the log as in the stream, all entries between them are the
  /// stream's, so the position follows without reading any of them.
  private var isFound: Bool {
    mutating get {
      if at > wanted, position.rawValue &- lowerPosition.rawValue == at - lower {
        position = Position(position.rawValue - (at - wanted))
        at = wanted
      }
      return at <= wanted
    }
  }

  /// Looks for an entry of the stream where the wanted one would be if all were evenly spread.
  ///
  /// - Returns: Whether another guess may come nearer.
  private mutating func guess(_ reader: StoreReader) -> Bool {
    let (entries, places) = (upper - lower, upperPosition.rawValue &- lowerPosition.rawValue)
    guard at - wanted >= Self.near, places / entries < Self.widest else { return false }
    let (high, low) = places.multipliedFullWidth(by: wanted - lower)
    let start = lowerPosition.rawValue + max(entries.dividingFullWidth((high, low)).quotient, 1)
    for place in start..<max(min(start + Self.neighbours, upperPosition.rawValue), start) {
      touched += 1
      let header: EntryHeader
      do throws(AnnalsError) {
        header = try reader.header(try reader.bytes(at: Position(place)), at: Position(place))
      } catch {
        // It is of another stream, or the links lead to it and show what is wrong.
        return false
      }
      guard header.stream == stream else { continue }
      let revision = header.revision.rawValue
      // Otherwise the log is damaged, which the links show.
      guard revision > lower, revision < upper else { return false }
      if revision >= wanted {
        (upper, upperPosition) = (revision, Position(place))
        // From farther away, links would lead through more entries than from the head.
        if revision - wanted < Self.near { (at, position) = (revision, Position(place)) }
      } else {
        (lower, lowerPosition) = (revision, Position(place))
      }
      return true
    }
    return false
  }

  /// Goes back along the longest link that does not lead past the wanted revision.
  private mutating func follow(_ reader: StoreReader) throws(AnnalsError) {
    touched += 1
    let bytes = try reader.bytes(at: position)
    let header = try reader.header(bytes, at: position)
    try reader.check(header, at: position, is: Revision(at), of: stream)
    var level = Head.levels(dividing: Revision(at)) - 1
    while at - Head.step(ofLevel: level) < wanted {
      let linked = try reader.linked(header, level: level, from: position, in: bytes)
      if at - Head.step(ofLevel: level) >= lower {
        (lower, lowerPosition) = (at - Head.step(ofLevel: level), linked)
        if isFound { return }
      }
      level -= 1
    }
    position = try reader.linked(header, level: level, from: position, in: bytes)
    at -= Head.step(ofLevel: level)
  }
}
