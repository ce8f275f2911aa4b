internal import AnnalsCoding
internal import AnnalsFormat

/// Chooses the next entry of a stream, and finds its position.
///
/// A stream is a chain of links from its newest entry back. A backward read follows the chain directly. A
/// forward read follows it back through some revisions at a time, and then reads these from their
/// oldest.
package struct StreamSteps: Sendable {
  /// The most revisions that are looked up at a time for reading forwards.
  private static let largestShare: UInt64 = 256

  let stream: StreamName
  /// The stream's head when the read began.
  let head: Head?
  private let backwards: Bool
  /// The oldest revision that is read.
  private let oldest: UInt64
  /// The next revision; `nil` at the end.
  private var upcoming: UInt64?
  private var remaining: Int
  /// The number of revisions that are looked up next.
  private var share: UInt64
  /// The next entries: forwards some, the last one first; a single one, as always backwards, is in no window.
  private var ahead: [LinkFind] = []
  /// The entry that was found last; `nil` before the first one.
  private var latest: (position: Position, revision: UInt64)?
  /// The number of entries that were read to find and lend the requested ones.
  private(set) var touched = 0

  init(
    stream: StreamName, head: Head?, oldest: Revision = 0, start: Revision?, through: Revision? = nil,
    backwards: Bool, limit: Int, likely: Int
  ) {
    self.stream = stream
    self.head = head
    self.oldest = oldest.rawValue
    self.backwards = backwards
    remaining = max(limit, 0)
    share = min(UInt64(max(min(limit, likely), 1)), Self.largestShare)
    guard let head else { return }
    let last = head.revision.rawValue
    let first = start?.rawValue ?? (backwards ? last : 0)
    let nearest = backwards ? min(first, last) : max(first, oldest.rawValue)
    upcoming = nearest >= oldest.rawValue && nearest <= last ? nearest : nil
    if let through {
      let end = through.rawValue
      guard backwards ? end <= nearest : end >= nearest else {
        upcoming = nil
        return
      }
      let distance = Int(clamping: backwards ? nearest - end : end - nearest)
      remaining = min(remaining, distance == .max ? .max : distance + 1)
      share = min(share, UInt64(max(remaining, 1)))
    }
  }

  /// Whether the last revision or the limit has been reached.
  var isAtEnd: Bool { remaining <= 0 || upcoming == nil }

  /// Returns the position of the next entry, and its number in `window` if that has it; `nil` at the end or
  /// the limit.
  ///
  /// - Parameter window: The entries that were read to find positions, in the snapshot of `reader`.
  mutating func next(
    _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) -> (position: Position, index: Int)? {
    guard remaining > 0, let head, let revision = upcoming else { return nil }
    if ahead.isEmpty { try look(ahead: revision, head, reader, &window) }
    remaining -= 1
    guard let found = ahead.popLast() else { return nil }
    latest = (found.position, revision)
    return (found.position, found.index)
  }

  /// Moves on after an entry that was compared with the stream's chain when it was found.
  mutating func pass() {
    guard let head, let revision = upcoming else { return }
    upcoming = revision == head.revision.rawValue ? nil : revision + 1
  }

  /// Compares the entry at the position that `next` returned with the stream's chain, and moves on.
  mutating func check(
    _ header: EntryHeader, _ bytes: Span<UInt8>, at position: Position, _ reader: StoreReader
  ) throws(AnnalsError) {
    guard let head, let revision = upcoming else { return }
    touched += 1
    try reader.check(header, at: position, is: Revision(revision), of: head.id)
    guard backwards else {
      upcoming = revision == head.revision.rawValue ? nil : revision + 1
      return
    }
    upcoming = revision <= oldest ? nil : revision - 1
    if revision > oldest { find(try reader.linked(header, level: 0, from: position, in: bytes)) }
  }

  /// Throws `.streamMoved` if the entry that was read last, or the stream's newest one at the start of the
  /// read, is elsewhere in a stream now: entries were added before it, or removed.
  func mustBeWhatItWas(_ reader: StoreReader) throws(AnnalsError) {
    guard let head else { return }
    // As many entries may have come as went, so that the newest one alone shows nothing.
    for place in [latest, (head.last, head.revision.rawValue)] {
      guard let place else { continue }
      let bytes = try reader.bytes(at: place.position)
      let header = try reader.header(bytes, at: place.position)
      guard header.stream == head.id, header.revision.rawValue == place.revision else {
        throw AnnalsError(
          .streamMoved,
          "stream '\(stream)': while it was read, a migration pass, or its rollback, gave streams other entries: read it again from its beginning",
          details: AnnalsError.Details {
            $0.stream = stream
            $0.position = place.position
          })
      }
    }
  }

  /// Notes where the next entry is, which no window has.
  private mutating func find(_ position: Position) {
    ahead.append(LinkFind(position: position, index: .max))
  }

  /// Finds the positions of the entries from `revision` on.
  private mutating func look(
    ahead revision: UInt64, _ head: Head, _ reader: StoreReader, _ window: inout StreamWindow
  ) throws(AnnalsError) {
    if backwards {
      find(try reader.position(of: Revision(revision), from: head, touched: &touched))
      return
    }
    let wanted = min(UInt64(remaining), share) - 1
    // If more entries are read than was likely, few look-ups still suffice.
    share = min(2 * share, Self.largestShare)
    let end = revision + min(head.revision.rawValue - revision, wanted)
    window.removeAll()
    let position = try reader.position(of: Revision(end), from: head, touched: &touched)
    guard revision < end else { return find(position) }
    ahead = try LinkWalk.read(revision...end, at: position.rawValue, of: head, reader, into: &window)
    touched += ahead.count
  }
}
