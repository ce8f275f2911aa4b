public import AnnalsCoding

/// Which entries of a log are read as lines, and in which form.
public struct EntrySelection: Sendable {
  /// The stream whose entries are read; `nil` for the whole log.
  public var stream: StreamName?
  /// The first entry: its revision where there is a stream, its position otherwise; `nil` for the end at which reading begins.
  public var start: UInt64?
  /// Whether they come newest first.
  public var backwards: Bool
  /// The most entries to read.
  public var limit: Int
  /// Whether header and stored bytes are shown in place of what they mean.
  public var isRaw: Bool

  /// The whole log, oldest first, unless told otherwise.
  public init(
    stream: StreamName? = nil, start: UInt64? = nil, backwards: Bool = false, limit: Int = .max,
    isRaw: Bool = false
  ) {
    self.stream = stream
    self.start = start
    self.backwards = backwards
    self.limit = limit
    self.isRaw = isRaw
  }
}

/// Entries of a log as lines of JSON, a page of whole lines at a time.
///
/// Each page has a snapshot of its own, so that however slowly pages are taken, no snapshot lives meanwhile and no space
/// on disk is held. Reading ends at the head that the log had when it began. What is damaged ends it too, after the
/// lines before have been given.
public struct EntryLines: Sendable {
  /// How many bytes fill a page. An entry is never divided, so that a page may be longer.
  private static let pageSize = 256 << 10

  let log: EventLog
  private let isRaw: Bool
  /// Which entries are read.
  let selection: EntrySelection
  /// The wait for more entries.
  var wait = CommitWait()
  /// Where reading stands.
  var steps: EntrySteps
  private var writer = JSONWriter()
  /// What ended the last page, to be thrown in place of the next one.
  private var failure: AnnalsError?
  /// How many entries have been given.
  public private(set) var count: UInt64 = 0

  /// The position of the last entry, or its revision where a stream is read.
  public var end: UInt64 { steps.end }

  /// The entries of `log` that `selection` names.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `tooManyReaders` or `inputOutput`.
  public init(_ log: EventLog, _ selection: EntrySelection = EntrySelection()) throws(AnnalsError) {
    self.log = log
    self.selection = selection
    isRaw = selection.isRaw
    steps = try Self.steps(log, selection)
  }

  static func steps(_ log: EventLog, _ selection: EntrySelection) throws(AnnalsError) -> EntrySteps {
    let source: EntrySource =
      if let stream = selection.stream {
        .stream(stream, from: selection.start.map { Revision($0) })
      } else {
        .log(from: selection.start.map { Position($0) })
      }
    return try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.steps(of: source, backwards: selection.backwards, limit: selection.limit)
    }
  }

  /// The next lines, each with its end; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `formatVersion`, `needsNewer`, `tooManyReaders` or `inputOutput`.
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
  private mutating func fill() throws(AnnalsError) {
    let snapshot = try LogSnapshot(log.core)
    try steps.enter(snapshot)
    var cursor = try EntryCursor(snapshot.reader, steps)
    let reading = EntryReading(kinds: snapshot.kinds)
    while writer.bytes.count < Self.pageSize, let entry = try cursor.next() {
      let end = writer.bytes.count
      do throws(AnnalsError) {
        if isRaw {
          try writer.rawEntry(at: entry.position, cursor.reader, reading.kinds)
        } else {
          try writer.entry(reading.entry(entry, cursor.name(of: entry)))
        }
      } catch {
        writer.bytes.removeSubrange(end...)
        throw error
      }
      count += 1
    }
    steps = cursor.steps
  }
}
