/// The entries of one stream in one snapshot, one after the other.
///
/// A stream is a chain of links from its newest entry back. Read backwards, the chain is followed as it is; read
/// forwards, it is followed back through a window of revisions at a time, which are then read from their oldest.
public struct StreamEntries: ~Copyable, ~Escapable {
  /// How many revisions are looked up at a time for reading forwards.
  private static let window: UInt64 = 256

  private let reader: StoreReader
  private let reading: EntryReading
  private let stream: StreamName
  private let head: Head?
  private let backwards: Bool
  /// The next revision; `nil` at the end.
  private var upcoming: UInt64?
  private var remaining: Int
  /// Where the next revisions stand: forwards a window, in reverse order; backwards the very next one.
  private var ahead: [Position] = []
  /// How many entries were read to find and deliver those that were asked for.
  private(set) var touched = 0

  @_lifetime(copy reader)
  init(
    _ reader: StoreReader, _ kinds: KindRegistry, _ stream: StreamName, _ head: Head?, start: Revision?,
    backwards: Bool, limit: Int
  ) {
    self.reader = reader
    reading = EntryReading(kinds: kinds)
    self.stream = stream
    self.head = head
    self.backwards = backwards
    remaining = max(limit, 0)
    guard let head else { return }
    let last = head.revision.rawValue
    let first = start?.rawValue ?? (backwards ? last : 0)
    upcoming = backwards ? min(first, last) : first <= last ? first : nil
  }

  /// The next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `formatVersion`, `needsNewer` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> LogEntry? {
    guard remaining > 0, let head, let revision = upcoming else { return nil }
    if ahead.isEmpty { try look(ahead: revision, head) }
    guard let position = ahead.popLast() else { return nil }
    touched += 1
    let bytes = try reader.bytes(at: position)
    let header = try reader.header(bytes, at: position)
    try reader.check(header, at: position, is: Revision(revision), of: head.id)
    if backwards && revision > 0 {
      do { ahead.append(try header.linked(level: 0, from: position, in: bytes)) } catch {
        throw AnnalsError(error, place: "position \(position)", position: position)
      }
    }
    let entry = try reading.entry(bytes, header, at: position, stream)
    remaining -= 1
    upcoming =
      backwards
      ? (revision == 0 ? nil : revision - 1) : (revision == head.revision.rawValue ? nil : revision + 1)
    return entry
  }

  /// Finds where the entries from `revision` on stand.
  private mutating func look(ahead revision: UInt64, _ head: Head) throws(AnnalsError) {
    if backwards {
      ahead = [try reader.position(of: Revision(revision), from: head, touched: &touched)]
      return
    }
    let wanted = min(UInt64(remaining), Self.window) - 1
    let end = revision + min(head.revision.rawValue - revision, wanted)
    ahead = try reader.walk(revision...end, of: head, touched: &touched) { _, _, position in position }
      .reversed()
  }
}
