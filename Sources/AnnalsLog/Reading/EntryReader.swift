package import AnnalsCoding
package import AnnalsFormat

/// Reads the entries of a log a page at a time, each page in a snapshot of its own.
///
/// Between two pages it holds no snapshot, so a slow reader keeps no page of the file from being used again.
/// A bounded read ends at the head that the log or the stream had when it began. A live read has no end:
/// each page goes up to the newest entry that its snapshot has.
package struct EntryReader: Sendable {
  package let core: LogCore
  private let source: EntrySource
  private let query: QuerySource?
  package let backwards: Bool
  private let limit: Int
  private let likely: Int
  /// Where the next page begins; `nil` before the first one.
  private var steps: EntrySteps?
  /// The position up to which a live read leaves entries out.
  private var floor: UInt64 = 0
  /// The position that the next page of a live read begins after; `nil` in a bounded read.
  private var position: UInt64?
  /// The checkpoint after what a live read has read; `nil` if only its position is known.
  package private(set) var checkpoint: Checkpoint?

  /// A bounded read.
  ///
  /// - Parameters:
  ///   - query: The query that entries must match; `nil` for all.
  ///   - limit: The most stored entries to read.
  ///   - likely: How many entries of a stream are likely to be read, so that not many more are looked up.
  package init(
    _ core: LogCore, _ source: EntrySource, matching query: QuerySource? = nil, backwards: Bool = false,
    limit: Int = .max, likely: Int = .max
  ) {
    self.core = core
    self.source = source
    self.query = query
    self.backwards = backwards
    self.limit = limit
    self.likely = likely
  }

  /// A live read from the first entry on, unless it is moved.
  package init(
    following core: LogCore, streamPrefix prefix: String? = nil, matching query: QuerySource? = nil
  ) {
    self.init(core, .log(from: nil, prefix: prefix), matching: query)
    position = 0
  }

  /// The size of a page. Each page looks up every tag of the query, so a query of many tags has long pages.
  var limits: PageLimits {
    let elements = min(max(4 * (query?.tags.list.count ?? 0), 256), 16_384)
    return PageLimits(elements: elements, bytes: max(elements << 9, 1 << 20))
  }

  /// The last position, or the last revision, that there was when the read began; 0 where there was none.
  package var end: UInt64 { steps?.end ?? 0 }

  /// Whether there was any entry when the read began.
  package var hasEntries: Bool { steps?.hasEntries ?? false }

  /// The positions of the first and the newest entry that the stream had when the read began; `nil` if no
  /// stream is read, or it had none.
  package var stream: (first: Position, newest: Position)? {
    steps?.stream?.head.map { ($0.id, $0.last) }
  }

  /// Begins a bounded read, which then ends at the head that `snapshot` has.
  package mutating func begin(in snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    steps = try snapshot.steps(
      of: source, matching: query, backwards: backwards, limit: limit, likely: likely)
  }

  /// Continues a live read after `position`.
  package mutating func move(to position: UInt64) {
    self.position = position
    checkpoint = nil
  }

  /// Continues a live read after `checkpoint`, leaving out entries up to position `floor`.
  package mutating func move(to checkpoint: Checkpoint, floor: UInt64? = nil) {
    self.checkpoint = checkpoint
    position = checkpoint.position.rawValue
    self.floor = floor ?? self.floor
  }

  /// Reads the next page.
  ///
  /// - Parameter body: Reads a page with the cursor, in the snapshot that the cursor is of.
  package mutating func page(
    _ body: (inout EntryCursor, borrowing LogSnapshot) throws(AnnalsError) -> PageEnd
  ) throws(AnnalsError) -> PageEnd {
    let snapshot = try LogSnapshot(core)
    let reader = snapshot.reader
    if steps == nil { try begin(in: snapshot) }
    var steps = steps ?? EntrySteps()
    try steps.enter(snapshot)
    if let position {
      steps.floor = floor
      let last = try reader.last()
      if steps.range != nil {
        steps.range = QueryPlace.Range(next: position + 1, end: last, backwards: false)
      } else {
        steps.log = LogSteps(start: Position(position + 1), backwards: false, last: last, limit: .max)
      }
    }
    var cursor = try EntryCursor(reader, consume steps)
    // The cursor alone has the names now, so that a name it meets does not make it copy them all.
    self.steps = nil
    defer { self.steps = cursor.steps }
    var end = try body(&cursor, snapshot)
    guard let position else { return end }
    if end.last != nil || checkpoint == nil {
      checkpoint = try reader.checkpoint(at: end.last ?? Position(position), log: core.log)
      self.position = checkpoint?.position.rawValue
    }
    if let failed = end.unreadable?.position {
      end.unreadable?.checkpoint = try reader.checkpoint(at: failed, log: core.log)
    }
    return end
  }

  /// Reads the next page as stored entries.
  package mutating func entries(_ limits: PageLimits) throws(AnnalsError) -> EntryPage<LogEntry> {
    var entries: [LogEntry] = []
    entries.reserveCapacity(min(limits.elements, 256))
    let start = core.observer.map { _ in ContinuousClock.now }
    let end = try page { (cursor, snapshot) throws(AnnalsError) in
      let reading = EntryReading(kinds: snapshot.kinds)
      return cursor.page(limits) { (entry, stream) throws(AnnalsError) in
        entries.append(try reading.entry(entry, stream, snapshot.reader))
        return entries.count
      }
    }
    if let start, let observer = core.observer {
      observer.read(
        ReadActivity(entries: entries.count, bytes: end.bytes, duration: ContinuousClock.now - start))
    }
    return EntryPage(elements: entries, end: end)
  }
}
