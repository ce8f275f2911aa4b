package import AnnalsCoding
package import AnnalsFormat

/// The entries that a read covers.
package enum EntrySource: Sendable {
  /// The whole log from a position on, or its entries in the streams whose names begin with a text.
  case log(from: Position?, through: Position? = nil, prefix: String? = nil)
  /// One stream, from a revision on.
  case stream(StreamName, from: Revision?, through: Revision? = nil)

  /// The prefix of the names of the streams to read; `nil` if all are read.
  var prefix: String? {
    if case .log(_, _, let prefix) = self { prefix } else { nil }
  }
}

/// The place of a read, and the choice of the next entry.
///
/// It holds no snapshot. Positions and revisions never change, so a read that began in one snapshot continues
/// in a later one, and ends where it would have ended in the first. Only a pass that moves streams changes
/// revisions.
package struct EntrySteps: Sendable {
  /// The way through the log, where the whole log is read.
  package var log: LogSteps?
  /// The way through the stream, where one is read.
  var stream: StreamSteps?
  /// The query that entries must match: a list of at most one. A query takes much room, and most reads have
  /// none.
  private(set) var queries: [QueryPlace]
  /// The positions that chains of tags lead through; `nil` in other reads.
  var range: QueryPlace.Range? {
    get { queries.isEmpty ? nil : queries[0].range }
    set { if !queries.isEmpty { queries[0].range = newValue } }
  }
  /// The prefix of the names of the streams to read; `nil` if all are read.
  var prefix: String?
  /// The names met on the way.
  package var names = StreamNames()
  /// Entries up to this position are left out.
  var floor: UInt64 = 0

  package init(
    log: LogSteps? = nil, prefix: String? = nil, names: StreamNames = StreamNames(), floor: UInt64 = 0
  ) {
    self.init(log: log, stream: nil, query: nil, prefix: prefix, names: names, floor: floor)
  }

  init(
    log: LogSteps? = nil, stream: StreamSteps?, query: QueryPlace?, prefix: String? = nil,
    names: StreamNames = StreamNames(), floor: UInt64 = 0
  ) {
    queries = query.map { [$0] } ?? []
    self.log = log
    self.stream = stream
    self.prefix = prefix
    self.names = names
    self.floor = floor
  }

  /// A read of the stream with this head, in order.
  ///
  /// - Parameters:
  ///   - oldest: The oldest revision that is read.
  ///   - last: The newest revision that is read; `nil` for the newest of the stream.
  package init(
    in stream: StreamName, _ head: Head?, oldest: Revision, from start: Revision?,
    through last: Revision? = nil
  ) {
    self.init(
      stream: StreamSteps(
        stream: stream, head: head, oldest: oldest, start: start, through: last, backwards: false,
        limit: .max, likely: .max),
      query: nil)
  }

  /// Whether entries of the stream called `name` are read.
  package func includes(_ name: StreamName) -> Bool {
    guard let prefix else { return true }
    return name.text.utf8.starts(with: prefix.utf8)
  }

  /// Continues in a snapshot, which may be of another generation. Names may differ there, and a stream that
  /// is read must be unchanged.
  ///
  /// - Throws: ``AnnalsError`` with code `streamMoved`.
  mutating func enter(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    for index in queries.indices { try queries[index].enter(snapshot) }
    try leaveChains(snapshot)
    guard names.enter(generation: snapshot.generation.number) else { return }
    try stream?.mustBeWhatItWas(snapshot.reader)
  }

  /// Passes all entries from here on, if a kind has come that an alternative without tags selects: no chain
  /// leads to its entries.
  private mutating func leaveChains(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    guard let range, !queries[0].stored.isByTags else { return }
    self.range = nil
    if range.isAtEnd {
      // Nothing follows, also in a log that has grown.
      log = LogSteps(start: nil, backwards: false, last: 0, limit: 0)
    } else {
      log = LogSteps(
        start: Position(range.next), through: Position(range.end), backwards: range.backwards,
        last: try snapshot.reader.last(), limit: .max)
    }
  }

  /// The last position, or the last revision, that there was when the read began; 0 where there was none.
  var end: UInt64 { log?.last ?? stream?.head?.revision.rawValue ?? range?.end ?? 0 }

  /// Whether there was any entry when the read began.
  var hasEntries: Bool { stream.map { $0.head != nil } ?? (end > 0) }

  /// Whether all entries have been read.
  var isAtEnd: Bool { log?.isAtEnd ?? stream?.isAtEnd ?? range?.isAtEnd ?? true }
}

extension LogSnapshot {
  /// A read that begins in this snapshot and ends at the head that it has here.
  ///
  /// - Parameters:
  ///   - query: The query that entries must match; `nil` for all.
  ///   - limit: The most entries to read.
  ///   - likely: How many entries are likely to be read, so that not many more are looked up.
  package func steps(
    of source: EntrySource, matching query: QuerySource? = nil, backwards: Bool, limit: Int = .max,
    likely: Int = .max
  ) throws(AnnalsError) -> EntrySteps {
    var place = try query.map { (query) throws(AnnalsError) in try QueryPlace(query, self) }
    switch source {
    case .log(let start, let through, let prefix):
      let last = try reader.last()
      if place?.stored.isByTags == true {
        let first = start?.rawValue ?? (backwards ? last : 1)
        place?.range = QueryPlace.Range(
          next: backwards ? min(first, last) : max(first, 1),
          end: backwards ? max(through?.rawValue ?? 1, 1) : min(through?.rawValue ?? last, last),
          backwards: backwards)
        return EntrySteps(stream: nil, query: place, prefix: prefix)
      }
      let log = LogSteps(start: start, through: through, backwards: backwards, last: last, limit: limit)
      return EntrySteps(log: log, stream: nil, query: place, prefix: prefix)
    case .stream(let stream, let start, let through):
      let head = try head(of: stream)
      let oldest = try head.map { (head) throws(AnnalsError) in try self.limit(of: head.id).oldest }
      return EntrySteps(
        stream: StreamSteps(
          stream: stream, head: head, oldest: oldest ?? 0, start: start, through: through,
          backwards: backwards, limit: limit, likely: likely), query: place)
    }
  }
}
