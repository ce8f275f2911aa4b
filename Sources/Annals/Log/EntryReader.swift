internal import AnnalsCoding
internal import AnnalsSchema

/// Reads the entries of a log a page at a time, each page in a snapshot of its own.
///
/// Between two pages it holds no snapshot, so a slow reader keeps no page of the file from being used again.
/// A bounded read ends at the head that the log or the stream had when it began. A live read has no end:
/// each page goes up to the newest entry that its snapshot has.
struct EntryReader: Sendable {
  let core: LogCore
  private let source: EntrySource
  private let backwards: Bool
  private let limit: Int
  private let likely: Int
  /// Where the next page begins; `nil` before the first one.
  private var steps: EntrySteps?
  /// The position that the next page of a live read begins after; `nil` in a bounded read.
  private var position: UInt64?
  /// The checkpoint after what a live read has read; `nil` if only its position is known.
  private(set) var checkpoint: Checkpoint?

  /// A bounded read.
  ///
  /// - Parameters:
  ///   - limit: The most stored entries to read.
  ///   - likely: How many entries of a stream are likely to be read, so that not many more are looked up.
  init(
    _ core: LogCore, _ source: EntrySource, backwards: Bool = false, limit: Int = .max, likely: Int = .max
  ) {
    self.core = core
    self.source = source
    self.backwards = backwards
    self.limit = limit
    self.likely = likely
  }

  /// A live read from the first entry on, unless it is moved.
  init(following core: LogCore, streamPrefix prefix: String? = nil) {
    self.init(core, .log(from: nil, prefix: prefix))
    position = 0
  }

  /// The last position, or the last revision, that there was when the read began; 0 where there was none.
  var end: UInt64 { steps?.end ?? 0 }

  /// Whether there was any entry when the read began.
  var hasEntries: Bool { steps?.hasEntries ?? false }

  /// Begins a bounded read, which then ends at the head that `snapshot` has.
  mutating func begin(in snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    steps = try snapshot.steps(of: source, backwards: backwards, limit: limit, likely: likely)
  }

  /// Continues a live read after `position`.
  mutating func move(to position: UInt64) {
    self.position = position
    checkpoint = nil
  }

  /// Continues a live read after `checkpoint`, leaving out entries up to position `floor`.
  mutating func move(to checkpoint: Checkpoint, floor: UInt64? = nil) {
    self.checkpoint = checkpoint
    position = checkpoint.position.rawValue
    if let floor { steps = EntrySteps(prefix: source.prefix, floor: floor) }
  }

  /// Reads the next page.
  ///
  /// - Parameter body: Reads a page with the cursor, in the snapshot that the cursor is of.
  mutating func page(
    _ body: (inout EntryCursor, borrowing LogSnapshot) throws(AnnalsError) -> PageEnd
  ) throws(AnnalsError) -> PageEnd {
    let snapshot = try LogSnapshot(core)
    let reader = snapshot.reader
    if steps == nil { try begin(in: snapshot) }
    var steps = steps ?? EntrySteps()
    try steps.enter(snapshot)
    if let position {
      let start = Position(position + 1)
      steps.log = LogSteps(start: start, backwards: false, last: try reader.last(), limit: .max)
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

  /// Reads the next page as events in the current version of the plan.
  ///
  /// - Parameter steps: The steps of the plan at which the wanted entries begin; `nil` for all.
  mutating func events<Event: SchemaEvent>(
    _ limits: PageLimits, through reach: PlanResolver, selecting steps: Set<Int>? = nil, likely: Int? = nil
  ) throws(AnnalsError) -> EntryPage<Entry<Event>> {
    let buffer = TypedEventBuffer<Event>()
    buffer.entries.reserveCapacity(likely ?? min(limits.elements, 256))
    let backwards = backwards
    let end = try page { (cursor, snapshot) throws(AnnalsError) in
      cursor.events(
        limits, through: try snapshot.upcaster(reach, selecting: steps), backwards: backwards, into: buffer)
    }
    return EntryPage(elements: buffer.entries, end: end)
  }

  /// Reads the next page as stored entries.
  mutating func entries(_ limits: PageLimits) throws(AnnalsError) -> EntryPage<LogEntry> {
    var entries: [LogEntry] = []
    entries.reserveCapacity(min(limits.elements, 256))
    let end = try page { (cursor, snapshot) throws(AnnalsError) in
      let reading = EntryReading(kinds: snapshot.kinds)
      return cursor.page(limits) { (entry, stream) throws(AnnalsError) in
        entries.append(try reading.entry(entry, stream))
        return entries.count
      }
    }
    return EntryPage(elements: entries, end: end)
  }
}

extension LogSnapshot {
  /// Returns the upcaster for entries of this snapshot.
  ///
  /// - Parameter steps: The steps of the plan at which the wanted entries begin; `nil` for all.
  /// - Throws: ``AnnalsError`` with code `superseded` if the store has retired the version that the plan ends
  ///   at.
  func upcaster(_ reach: PlanResolver, selecting steps: Set<Int>? = nil) throws(AnnalsError) -> Upcaster {
    try reach.mustNotBeContracted(kinds)
    var upcaster = Upcaster(
      reach: reach, kinds: kinds, log: generation.current.log, generation: generation)
    if let steps { upcaster.select(steps) }
    return upcaster
  }
}
