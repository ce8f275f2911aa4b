internal import AnnalsCoding

/// Which entry of a stream is read next, and where it stands.
///
/// A stream is a chain of links from its newest entry back. Read backwards, the chain is followed as it is; read
/// forwards, it is followed back through a window of revisions at a time, which are then read from their oldest.
struct StreamSteps: Sendable {
  /// The most revisions that are looked up at a time for reading forwards.
  private static let largestWindow: UInt64 = 256

  let stream: StreamName
  /// The stream's head when the read began.
  let head: Head?
  private let backwards: Bool
  /// The next revision; `nil` at the end.
  private var upcoming: UInt64?
  private var remaining: Int
  /// How many revisions are looked up next.
  private var window: UInt64
  /// Where the next revisions stand: forwards a window, the last of it first; backwards the very next one.
  private var ahead: [Position] = []
  /// How many entries were read to find and lend those that were asked for.
  private(set) var touched = 0

  init(stream: StreamName, head: Head?, start: Revision?, backwards: Bool, limit: Int, likely: Int) {
    self.stream = stream
    self.head = head
    self.backwards = backwards
    remaining = max(limit, 0)
    window = min(UInt64(max(min(limit, likely), 1)), Self.largestWindow)
    guard let head else { return }
    let last = head.revision.rawValue
    let first = start?.rawValue ?? (backwards ? last : 0)
    upcoming = backwards ? min(first, last) : first <= last ? first : nil
  }

  /// Whether the last revision or the limit has been reached.
  var isAtEnd: Bool { remaining <= 0 || upcoming == nil }

  /// Where the next entry stands; `nil` at the end or the limit.
  mutating func next(_ reader: StoreReader) throws(AnnalsError) -> Position? {
    guard remaining > 0, let head, let revision = upcoming else { return nil }
    if ahead.isEmpty { try look(ahead: revision, head, reader) }
    remaining -= 1
    touched += 1
    return ahead.popLast()
  }

  /// Compares the entry at the position that `next` gave with what the stream must hold there, and moves on.
  mutating func check(
    _ header: EntryHeader, _ bytes: Span<UInt8>, at position: Position, _ reader: StoreReader
  ) throws(AnnalsError) {
    guard let head, let revision = upcoming else { return }
    try reader.check(header, at: position, is: Revision(revision), of: head.id)
    guard backwards else {
      upcoming = revision == head.revision.rawValue ? nil : revision + 1
      return
    }
    upcoming = revision == 0 ? nil : revision - 1
    if revision > 0 { ahead.append(try reader.linked(header, level: 0, from: position, in: bytes)) }
  }

  /// Throws `.streamMoved` where the newest entry that there was when the read began stands elsewhere in a stream: then entries came before it, or went.
  func mustBeWhatItWas(_ reader: StoreReader) throws(AnnalsError) {
    guard let head else { return }
    let bytes = try reader.bytes(at: head.last)
    let header = try reader.header(bytes, at: head.last)
    guard header.stream == head.id, header.revision == head.revision else {
      throw AnnalsError(
        .streamMoved,
        "stream '\(stream)': while it was read, a migration pass, or its rollback, gave streams other entries: read it again from its beginning",
        details: AnnalsError.Details {
          $0.stream = stream
          $0.position = head.last
        })
    }
  }

  /// Finds where the entries from `revision` on stand.
  private mutating func look(
    ahead revision: UInt64, _ head: Head, _ reader: StoreReader
  ) throws(AnnalsError) {
    if backwards {
      ahead = [try reader.position(of: Revision(revision), from: head, touched: &touched)]
      return
    }
    let wanted = min(UInt64(remaining), window) - 1
    // Where more entries are read than was likely, they are found in few looks all the same.
    window = min(2 * window, Self.largestWindow)
    let end = revision + min(head.revision.rawValue - revision, wanted)
    ahead = try reader.walk(revision...end, of: head, touched: &touched) { _, _, position in position }
      .reversed()
  }
}
