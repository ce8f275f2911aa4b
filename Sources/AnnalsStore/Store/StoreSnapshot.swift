public import AnnalsCoding
package import AnnalsFormat
public import AnnalsLog
public import AnnalsSchema

/// A consistent state of a store, available inside a closure. It cannot be copied, so it cannot be kept.
///
/// Every event that it returns is in the plan's current version.
public struct StoreSnapshot<Event: SchemaEvent>: ~Copyable {
  let log: LogSnapshot
  package var reader: StoreReader {
    @_lifetime(borrow self)
    get { log.reader }
  }
  package var generation: Generation { log.generation }
  let upcaster: Upcaster
  let resolver: PlanResolver

  package init(_ core: LogCore, _ reach: PlanResolver) throws(AnnalsError) {
    let log = try LogSnapshot(core)
    upcaster = try log.upcaster(reach)
    resolver = reach
    self.log = log
  }

  /// Returns the position of the newest entry; `nil` in an empty store.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public func head() throws(AnnalsError) -> Position? {
    try log.head()
  }

  /// Returns the revision of the newest entry of `stream`; `nil` for a stream without entries.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  public func revision(of stream: StreamName) throws(AnnalsError) -> Revision? {
    try log.revision(of: stream)
  }

  /// Returns a position from which on every entry is that was committed at `time` or later; `nil` if all are
  /// older by two seconds, or the store is empty.
  ///
  /// The first entries may be older: see ``LogSnapshot/position(committedAtOrAfter:)``.
  ///
  /// - Parameter time: A time of this machine's clock, not one that callers gave to events.
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  /// - Complexity: O(log of the log's length) look-ups.
  public func position(committedAtOrAfter time: Timestamp) throws(AnnalsError) -> Position? {
    try log.position(committedAtOrAfter: time)
  }

  /// The head of `stream`; `nil` if it holds no entry.
  package func head(of stream: StreamName) throws(AnnalsError) -> Head? { try log.head(of: stream) }

  /// A number that rises with each erasure; 0 in a store that cannot have any.
  package var erasureEpoch: UInt64 {
    // The kinds may be newer than the snapshot.
    get throws(AnnalsError) { log.kinds.limitsStreams ? try log.reader.schemaEpoch() : 0 }
  }

  /// The number of the newest generation whose pass gave entries other tags or streams, or replaced lost
  /// ones; 0 if none did.
  package var alteration: UInt64 {
    get throws(AnnalsError) {
      try reader.row(GenerationRow.altered, in: reader.tables.meta) { (bytes) throws(FormatFailure) in
        try GenerationRow.generation(bytes)
      } ?? 0
    }
  }

  /// The oldest revision that is read of the stream with this head.
  package func oldest(of head: Head?) throws(AnnalsError) -> Revision {
    guard let head else { return 0 }
    return try log.limit(of: head.id).oldest
  }

  /// Returns how much of `stream` can be read, and whether it takes events; `nil` if it never had an event.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: Three look-ups.
  public func state(of stream: StreamName) throws(AnnalsError) -> StreamState? { try log.state(of: stream) }

  /// Returns the events of the stream with this head, in order.
  ///
  /// - Parameters:
  ///   - oldest: The oldest revision that is read.
  ///   - last: The newest revision that is read.
  @_lifetime(borrow self)
  package func entries(
    in stream: StreamName, _ head: Head?, oldest: Revision, from start: Revision?, through last: Revision
  ) throws(AnnalsError) -> StoreEntries<Event> {
    let steps = EntrySteps(in: stream, head, oldest: oldest, from: start, through: last)
    return StoreEntries(try EntryCursor(log.reader, steps), upcaster, backwards: false, limit: .max)
  }
}

@available(*, unavailable)
extension StoreSnapshot: Sendable {}

// Checkpoints.
extension StoreSnapshot {
  /// The checkpoint after the entry at `position`.
  package func checkpoint(at position: Position) throws(AnnalsError) -> Checkpoint {
    try log.reader.checkpoint(at: position, log: log.generation.current.log)
  }

  /// Whether a checkpoint is one of this log in its current state.
  package func agrees(_ checkpoint: Checkpoint) throws(AnnalsError) -> Bool {
    try log.reader.agreement(with: checkpoint, log: log.generation.current.log) == .agrees
  }

  /// Returns the events of the entry at `position`; none after the end of the log. No other entry is read.
  @_lifetime(borrow self)
  package func entries(at position: Position) throws(AnnalsError) -> StoreEntries<Event> {
    let steps = try log.steps(of: .log(from: position), backwards: false, limit: 1)
    return StoreEntries(try EntryCursor(log.reader, steps), upcaster, backwards: false, limit: .max)
  }

  /// The stream of the entry at `position`.
  package func stream(at position: Position) throws(AnnalsError) -> StreamName? {
    try log.entry(at: position)?.stream
  }

  /// Whether the entry at `position`, which is there, has this revision in the stream that `head` ends.
  package func isEntry(
    at position: Position, _ revision: Revision, of stream: StreamName, _ head: Head?
  ) throws(AnnalsError) -> Bool {
    let header = try log.reader.header(try log.reader.bytes(at: position), at: position)
    guard header.revision == revision else { return false }
    // Entries with another number of the stream are of the same name only if a pass has joined streams.
    if header.stream == head?.id { return true }
    return try self.stream(at: position) == stream
  }

  /// The revision of the entry at `position`, which is there.
  package func revision(at position: Position) throws(AnnalsError) -> Revision {
    try log.reader.header(try log.reader.bytes(at: position), at: position).revision
  }
}
