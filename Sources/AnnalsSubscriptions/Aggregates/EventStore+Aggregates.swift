public import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Loads the state of a stream, folding from the newest snapshot that is certainly right, or from the
  /// beginning.
  ///
  /// It may keep a snapshot, which waits for the disk as an append does, unless another process or thread is
  /// keeping one. A store that skips entries (``StoreOptions/Unreadable/quarantine(_:)``,
  /// ``StoreOptions/NewerTypes/skip``) neither uses nor keeps snapshots, because its states lack events that
  /// others fold.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - stream: The stream. A stream that does not exist has the initial state and no revision.
  /// - Throws: ``AnnalsError`` with code `ruleFailed` for an error of the fold, naming the entry, or as
  ///   `read` and ``StoreEntries/next()`` throw.
  /// - Complexity: O(entries since the snapshot): up to the aggregate's interval in a store that keeps
  ///   snapshots, else the whole stream.
  public func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName
  ) throws(AnnalsError) -> Loaded<A> where A.Event == Event {
    let isWhole = reach.quarantine == nil && reach.skipping == nil
    let interval = isWhole ? A.snapshotInterval.map { UInt64(clamping: max($0, 1)) } : nil
    var snapshots: SnapshotFile?
    let (loaded, row) = try read {
      (snapshot) throws(AnnalsError) -> (Loaded<A>, AggregateSnapshotRow?) in
      let head = try snapshot.head(of: stream)
      // A stream with fewer entries than the interval has no snapshot, and gets none.
      if let head, let interval, head.revision.rawValue >= interval - 1 { snapshots = log.core.snapshots() }
      guard let snapshots, let interval else {
        return (try snapshot.fold(A.self, from: stream, head, after: Beginning(state: A.initial)).loaded, nil)
      }
      let source = AggregateSnapshotRow.Source(
        aggregate: ExactText(A.name), version: UInt64(clamping: A.version), stream: ExactText(stream.text),
        mark: reach.stateMark(
          A.State.self, from: try snapshot.oldest(of: head), epoch: snapshot.erasureEpoch))
      return try snapshot.load(
        A.self, from: stream, head, kept: snapshots.row(for: source), source, interval: interval)
    }
    if let row { snapshots?.keep(row) }
    return loaded
  }

  /// Makes a decision on the newest state of a stream, and appends the resulting events.
  ///
  /// The events are appended only if the stream has not changed since the state was loaded. If it has, the
  /// state is loaded and the decision made again.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - stream: The stream.
  ///   - attempts: The most times the decision is made, from 1.
  ///   - decision: Returns the events that follow from a state, possibly none, and throws to refuse. It may
  ///     run several times and must return the same for the same state: no clock, no randomness, no outside
  ///     effects.
  /// - Returns: The positions of the events.
  /// - Throws: The errors of `decision`; ``AnnalsError`` with code `conflict` if the stream changed during
  ///   every attempt, `wrongUse` for less than one attempt, and as ``load(_:from:)`` and `append` throw.
  @discardableResult
  public func decide<A: Aggregate>(
    _ aggregate: A.Type, on stream: StreamName, attempts: Int = 5,
    _ decision: (A.State) throws -> [Event]
  ) async throws -> Appended where A.Event == Event {
    try await decide(aggregate, on: stream, attempts: attempts) { state in
      try decision(state).map { NewEvent<Event>($0) }
    }
  }

  /// Makes a decision on the newest state of a stream, and appends the resulting events with ids, metadata or
  /// times of the caller's.
  ///
  /// - Returns: The positions of the events.
  /// - Throws: As the other form.
  @discardableResult
  @_disfavoredOverload
  public func decide<A: Aggregate>(
    _ aggregate: A.Type, on stream: StreamName, attempts: Int = 5,
    _ decision: (A.State) throws -> [NewEvent<Event>]
  ) async throws -> Appended where A.Event == Event {
    guard attempts > 0 else {
      throw AnnalsError(
        .wrongUse,
        "stream '\(stream)': a decision is made at least once, and \(attempts) attempts were asked for")
    }
    var attempt = 1
    while true {
      let loaded = try load(A.self, from: stream)
      let events = try decision(loaded.state)
      if events.isEmpty { return Appended(positions: [], revisions: [], wasRepeated: false) }
      do throws(AnnalsError) {
        return try await append(events, to: stream, expecting: loaded.expectation)
      } catch {
        guard error.code == .conflict, attempt < attempts else { throw error }
        attempt += 1
      }
    }
  }
}

extension StoreSnapshot {
  /// Loads the state of a stream, with the snapshot to keep of it, if it is time for one.
  fileprivate func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName, _ head: Head?, kept: AggregateSnapshotRow?,
    _ source: AggregateSnapshotRow.Source, interval: UInt64
  ) throws(AnnalsError) -> (Loaded<A>, AggregateSnapshotRow?) where A.Event == Event {
    let (loaded, position) = try fold(A.self, from: stream, head, after: start(A.self, kept, stream))
    guard let position, loaded.folded >= interval else { return (loaded, nil) }
    var payload: [UInt8] = []
    do throws(CodingFailure) { try loaded.state.encode(into: &payload) } catch {
      // A state that cannot be kept as a snapshot is still valid.
      return (loaded, nil)
    }
    let row = AggregateSnapshotRow(
      source, try checkpoint(at: position), revision: try revision(at: position).rawValue, payload: payload)
    return (loaded, row)
  }

  /// Folds the events of a stream after those that a state includes.
  ///
  /// - Parameter head: The stream's head; `nil` if it has no entries.
  /// - Returns: The state, and the position of the newest entry with an event that it includes.
  fileprivate func fold<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName, _ head: Head?,
    after start: Beginning<A>
  ) throws(AnnalsError) -> (loaded: Loaded<A>, position: Position?) where A.Event == Event {
    var (state, revision, position) = (start.state, start.revision, start.position)
    var folded = 0
    let first = revision.map { Revision($0.rawValue + 1) }
    if let first, let head, first > head.revision {
      return (Loaded(state: state, revision: revision, folded: 0), nil)
    }
    try entries(in: stream, head, from: first).forEach { (entry) throws(AnnalsError) in
      do { try A.apply(entry, to: &state) } catch {
        throw AnnalsError(error, folding: entry.position, of: stream, in: A.name)
      }
      if entry.revision != revision { folded += 1 }
      revision = entry.revision
      position = entry.position
    }
    // Entries that a rule drops are skipped. If they end the stream, the revision is still theirs.
    if let head, revision.map({ $0 < head.revision }) ?? true { revision = head.revision }
    return (Loaded(state: state, revision: revision, folded: folded), position)
  }

  /// Returns the place where the fold begins: after a snapshot, if it matches this log and its entry.
  private func start<A: Aggregate>(
    _ aggregate: A.Type, _ kept: AggregateSnapshotRow?, _ stream: StreamName
  ) throws(AnnalsError) -> Beginning<A> {
    let beginning = Beginning<A>(state: A.initial)
    guard let kept, try agrees(kept.checkpoint) else { return beginning }
    let position = kept.checkpoint.position
    // The mark shows that the entry is the same; a pass may have moved it since.
    guard try self.stream(at: position) == stream, try revision(at: position).rawValue == kept.revision else {
      return beginning
    }
    do throws(CodingFailure) {
      return Beginning(
        state: try A.State.decode(payload: kept.payload.span), revision: Revision(kept.revision),
        position: position)
    } catch {
      return beginning
    }
  }
}

/// A state that a fold begins with, and the revision and position of the newest entry that it includes.
private struct Beginning<A: Aggregate> {
  var state: A.State
  var revision: Revision?
  var position: Position?
}
