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

  private let log: EventLog
  private let selection: EntrySelection
  /// The number of the next entry, position or revision; `nil` at the end.
  private var next: UInt64?
  /// The number of the last entry when reading began.
  private let last: UInt64
  private var remaining: Int
  private var writer = JSONWriter()
  /// What ended the last page, to be thrown in place of the next one.
  private var failure: AnnalsError?
  /// How many entries have been given.
  public private(set) var count: UInt64 = 0

  /// The position of the last entry, or its revision where a stream is read.
  public var end: UInt64 { last }

  /// The entries of `log` that `selection` names.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `tooManyReaders` or `inputOutput`.
  public init(_ log: EventLog, _ selection: EntrySelection = EntrySelection()) throws(AnnalsError) {
    self.log = log
    self.selection = selection
    remaining = max(selection.limit, 0)
    let bounds = try log.read { (snapshot) throws(AnnalsError) -> ClosedRange<UInt64>? in
      if let stream = selection.stream { return try snapshot.revision(of: stream).map { 0...$0.rawValue } }
      return try snapshot.head().map { 1...$0.rawValue }
    }
    last = bounds?.upperBound ?? 0
    if let bounds {
      let start = selection.start ?? (selection.backwards ? bounds.upperBound : bounds.lowerBound)
      let first = selection.backwards ? min(start, last) : max(start, bounds.lowerBound)
      next = bounds.contains(first) ? first : nil
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
}

extension EntryLines {
  /// Reads entries until the page is full or they end.
  private mutating func fill() throws(AnnalsError) {
    guard let start = next, remaining > 0 else { return }
    try log.read { (snapshot) throws(AnnalsError) in
      if let stream = selection.stream {
        var entries = try snapshot.entries(
          in: stream, from: Revision(start), backwards: selection.backwards, limit: remaining)
        while wantsMore, let entry = try entries.next() {
          try add(entry, number: entry.revision.rawValue, snapshot)
        }
      } else if selection.isRaw {
        while wantsMore, let number = next { try add(rawAt: Position(number), number: number, snapshot) }
      } else {
        var entries = try snapshot.entries(
          from: Position(start), backwards: selection.backwards, limit: remaining)
        while wantsMore, let entry = try entries.next() {
          try add(entry, number: entry.position.rawValue, snapshot)
        }
      }
    }
  }

  private var wantsMore: Bool { next != nil && remaining > 0 && writer.bytes.count < Self.pageSize }

  private mutating func add(
    _ entry: LogEntry, number: UInt64, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) {
    if selection.isRaw { return try add(rawAt: entry.position, number: number, snapshot) }
    let end = writer.bytes.count
    do { try writer.entry(entry) } catch {
      writer.bytes.removeSubrange(end...)
      throw error
    }
    advance(from: number)
  }

  private mutating func add(
    rawAt position: Position, number: UInt64, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) {
    let end = writer.bytes.count
    do { try writer.rawEntry(at: position, snapshot.reader, snapshot.kinds) } catch {
      writer.bytes.removeSubrange(end...)
      throw error
    }
    advance(from: number)
  }

  private mutating func advance(from number: UInt64) {
    count += 1
    remaining -= 1
    let end = selection.backwards ? (selection.stream == nil ? 1 : 0) : last
    next = number == end ? nil : selection.backwards ? number - 1 : number + 1
  }
}
