public import AnnalsCoding
public import AnnalsFormat
public import AnnalsLog

/// The entries of a log to read as lines, and their form.
public struct EntrySelection: Sendable {
  /// The stream whose entries are read; `nil` for the whole log.
  public var stream: StreamName?
  /// The first entry to read: its revision for a stream, its position otherwise; `nil` for the end at which
  /// reading begins.
  public var start: UInt64?
  /// The revision of a stream, or the position of the log, that reading begins after, in its direction.
  public var after: UInt64?
  /// The last entry to read, in the direction of the read: its revision for a stream, its position otherwise.
  public var end: UInt64?
  /// The record types, as they are stored, and the tags of the entries to read; `nil` for all entries.
  public var query: LogQuery?
  /// Whether the newest entries come first.
  public var backwards: Bool
  /// The maximum number of entries to read.
  public var limit: Int
  /// Whether to show the header and stored bytes in place of their meaning.
  public var isRaw: Bool

  /// Creates a selection; by default the whole log, oldest first.
  public init(
    stream: StreamName? = nil, start: UInt64? = nil, after: UInt64? = nil, through end: UInt64? = nil,
    matching query: LogQuery? = nil, backwards: Bool = false, limit: Int = .max, isRaw: Bool = false
  ) {
    self.stream = stream
    self.start = start
    self.after = after
    self.end = end
    self.query = query
    self.backwards = backwards
    self.limit = limit
    self.isRaw = isRaw
  }
}

/// Entries of a log as lines of JSON, a page of whole lines at a time.
///
/// Each page has its own snapshot, so however slowly pages are taken, no snapshot is open in between and no
/// space on disk is held. Reading ends at the head that the log had when it began. Damage ends it too, after
/// the lines before it have been delivered.
public struct EntryLines: Sendable {
  /// The number of bytes that fill a page. An entry is never divided, so a page may be longer.
  private static let pageSize = 256 << 10

  private let log: EventLog
  private let isRaw: Bool
  /// Which entries are read.
  private let selection: EntrySelection
  /// The wait for more entries.
  private var wait = CommitWait()
  /// The read, which ends at the head that the log had when it began.
  private var reader: EntryReader
  private var writer = JSONWriter()
  /// The error that ended the last page, to be thrown in place of the next one.
  private var failure: AnnalsError?
  /// The number of delivered entries.
  public private(set) var count: UInt64 = 0
  /// The lines that are too long for an import.
  package private(set) var tooLong = LongLines()

  /// The position of the last entry, or its revision if a stream is read.
  public var end: UInt64 { reader.end }

  /// Creates the lines of the entries of `log` that `selection` names.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `tooManyReaders` or `inputOutput`.
  public init(_ log: EventLog, _ selection: EntrySelection = EntrySelection()) throws(AnnalsError) {
    self.log = log
    self.selection = selection
    isRaw = selection.isRaw
    reader = try EntryReader(log, selection)
  }

  /// Returns the next lines, each with its end; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `formatVersion`, `needsNewer`, `tooManyReaders` or
  ///   `inputOutput`.
  public mutating func nextPage() throws(AnnalsError) -> [UInt8]? {
    if let failure { throw failure }
    do {
      try fill()
    } catch {
      guard !writer.bytes.isEmpty else { throw error }
      failure = error
    }
    guard !writer.bytes.isEmpty else { return nil }
    let page = writer.bytes
    writer = JSONWriter()
    return page
  }

  /// Reads entries until the page is full or they end.
  ///
  /// While no entry matches, each snapshot lasts no longer than a page of them would.
  private mutating func fill() throws(AnnalsError) {
    let limits = PageLimits(elements: Self.pageSize, bytes: .max)
    let most = UInt64(clamping: selection.limit)
    var reader = reader
    var isAtEnd = false
    while count < most, writer.bytes.isEmpty, !isAtEnd {
      let end = try reader.page { (cursor, snapshot) throws(AnnalsError) in
        let reading = EntryReading(kinds: snapshot.kinds)
        return cursor.page(limits) { (entry, stream) throws(AnnalsError) in
          let end = writer.bytes.count
          do throws(AnnalsError) {
            if isRaw {
              try writer.rawEntry(at: entry.position, snapshot.reader, reading.kinds)
            } else {
              let read = try reading.entry(entry, stream, snapshot.reader)
              try writer.entry(read)
              tooLong.add(writer.bytes.count - end, of: read)
            }
          } catch {
            writer.bytes.removeSubrange(end...)
            throw error
          }
          count += 1
          return count < most ? writer.bytes.count : .max
        }
      }
      self.reader = reader
      isAtEnd = end.isLast
      if let error = end.failure { throw error }
    }
  }
}

extension EntryReader {
  /// A read of the entries of a selection, up to the newest one that the log has now.
  fileprivate init(_ log: EventLog, _ selection: EntrySelection) throws(AnnalsError) {
    var limit = selection.limit
    var source: EntrySource?
    if let stream = selection.stream {
      source = EntrySource(
        in: stream, after: selection.after.map { Revision($0) }, from: selection.start.map { Revision($0) },
        through: selection.end.map { Revision($0) }, backwards: selection.backwards)
      if source == nil { (source, limit) = (.stream(stream, from: nil), 0) }
    }
    // Entries that do not match are no part of the limit, which the lines keep themselves then.
    self.init(
      log.core,
      source
        ?? EntrySource(
          after: selection.after.map { Position($0) }, from: selection.start.map { Position($0) },
          through: selection.end.map { Position($0) }, streamPrefix: nil, backwards: selection.backwards),
      matching: selection.query?.source, backwards: selection.backwards,
      limit: selection.query == nil || limit == 0 ? limit : .max)
    try begin(in: LogSnapshot(log.core))
  }
}

extension EntryLines {
  /// Waits until there are entries after the last one that was read, and continues with them. Entries must be
  /// read oldest first.
  ///
  /// An append of this process is seen at once, one of another process within a few milliseconds.
  ///
  /// - Returns: Whether there are more; `false` if the limit is reached or the task is cancelled.
  /// - Throws: As ``init(_:_:)``.
  @concurrent public mutating func waitForMore() async throws(AnnalsError) -> Bool {
    var rest = selection
    guard let limit = UInt64(exactly: selection.limit), count < limit, !selection.backwards else {
      return false
    }
    rest.limit = Int(clamping: limit - count)
    // The first revision of a stream is 0, the first position of a log 1.
    let next = selection.stream != nil && !reader.hasEntries ? 0 : end + 1
    if let end = selection.end, next > end { return false }
    rest.start = max(selection.start ?? 0, next)
    var wait = wait
    let known = reader.stream
    let found = try await wait.first(in: log.core) { () throws(AnnalsError) -> EntryReader? in
      let found = try EntryReader(log, rest)
      if let known, let stream = found.stream, stream.first > known.newest {
        // The stream was erased, and its name is that of another one, which begins at revision 0.
        var whole = rest
        whole.start = selection.start
        return try EntryReader(log, whole)
      }
      return found.hasEntries && found.end >= rest.start ?? 0 ? found : nil
    }
    self.wait = wait
    if let found { reader = found }
    return found != nil
  }
}
