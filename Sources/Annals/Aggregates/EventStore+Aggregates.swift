public import AnnalsCoding
internal import AnnalsSchema

extension EventStore {
  /// The state of a stream, folded from the newest snapshot that is certainly right, or from the beginning.
  ///
  /// It may keep a snapshot, which waits for the disk as an append does; never while somebody else keeps one. A store that passes over entries (``StoreOptions/Unreadable/quarantine(_:)``,
  /// ``StoreOptions/NewerTypes/skip``) neither uses snapshots nor keeps any, because its states lack what others fold.
  ///
  /// - Parameters:
  ///   - aggregate: What the events come to.
  ///   - stream: The stream. One that does not exist has the initial state and no revision.
  /// - Throws: ``AnnalsError`` with code `ruleFailed` for what the fold throws, which names the entry, or as `read` and ``StoreEntries/next()`` throw.
  /// - Complexity: O(entries since the snapshot): up to the aggregate's interval in a store that keeps snapshots, else the whole stream.
  public func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName
  ) throws(AnnalsError) -> Loaded<A> where A.Event == Event {
    let isWhole = reach.quarantine == nil && reach.skipping == nil
    let snapshots = A.snapshotInterval != nil && isWhole ? log.core.snapshots() : nil
    let source = AggregateSnapshotRow.Source(
      aggregate: ExactText(A.name), version: UInt64(clamping: A.version), stream: ExactText(stream.text),
      mark: reach.stateMark(A.State.self))
    let kept = snapshots?.row(for: source)
    let (loaded, row) = try read { (snapshot) throws(AnnalsError) in
      try snapshot.load(A.self, from: stream, kept: kept, source)
    }
    if let row, let interval = A.snapshotInterval, loaded.folded >= max(interval, 1) { snapshots?.keep(row) }
    return loaded
  }

  /// Lets a decision be made on the newest state of a stream, and appends what it comes to.
  ///
  /// The events are appended only if the stream is still what the decision was made on. If somebody else was faster, the state is loaded and the decision made anew.
  ///
  /// - Parameters:
  ///   - aggregate: What the events come to.
  ///   - stream: The stream.
  ///   - attempts: How often a decision is made at most, from 1.
  ///   - decision: Gives the events that follow from a state, none if nothing does, and throws to refuse. It may run several times and must come to the same from the same
  ///     state: no clock, no randomness, no effect outside.
  /// - Returns: Where the events stand.
  /// - Throws: What `decision` throws; ``AnnalsError`` with code `conflict` where others were faster every time, `wrongUse` for less than one attempt, and as ``load(_:from:)`` and
  ///   `append` throw.
  @discardableResult
  public func decide<A: Aggregate>(
    _ aggregate: A.Type, on stream: StreamName, attempts: Int = 5,
    _ decision: (A.State) throws -> [Event]
  ) async throws -> Appended where A.Event == Event {
    try await decide(aggregate, on: stream, attempts: attempts) { state in
      try decision(state).map { NewEvent<Event>($0) }
    }
  }

  /// Lets a decision be made on the newest state of a stream, and appends what it comes to, with ids, metadata or times of the caller's.
  ///
  /// - Returns: Where the events stand.
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
  /// The state of a stream, and what may be kept of it.
  fileprivate func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName, kept: AggregateSnapshotRow?,
    _ source: AggregateSnapshotRow.Source
  ) throws(AnnalsError) -> (Loaded<A>, AggregateSnapshotRow?) where A.Event == Event {
    var (state, revision, position) = try start(A.self, kept, stream)
    var folded = 0
    let start = revision.map { Revision($0.rawValue + 1) }
    if let start, let head = try self.revision(of: stream), start > head {
      return (Loaded(state: state, revision: revision, folded: 0), nil)
    }
    var entries = try entries(in: stream, from: start)
    while let entry = try entries.next() {
      do { try A.apply(entry, to: &state) } catch {
        throw AnnalsError(error, folding: entry.position, of: stream, in: A.name)
      }
      if entry.revision != revision { folded += 1 }
      revision = entry.revision
      position = entry.position
    }
    // Entries that a rule drops are passed over: where they end the stream, the revision is theirs all the same.
    if let head = try self.revision(of: stream), revision.map({ $0 < head }) ?? true { revision = head }
    guard let revision, let position, folded > 0 else {
      return (Loaded(state: state, revision: revision, folded: folded), nil)
    }
    var payload: [UInt8] = []
    do throws(CodingFailure) { try state.encode(into: &payload) } catch {
      // A state that cannot be kept is as good as any other.
      return (Loaded(state: state, revision: revision, folded: folded), nil)
    }
    let row = AggregateSnapshotRow(
      source, try checkpoint(at: position), revision: try self.revision(at: position).rawValue,
      payload: payload)
    return (Loaded(state: state, revision: revision, folded: folded), row)
  }

  /// Where the fold begins: behind a snapshot, if that is of this log and of what it says.
  private func start<A: Aggregate>(
    _ aggregate: A.Type, _ kept: AggregateSnapshotRow?, _ stream: StreamName
  ) throws(AnnalsError) -> (A.State, Revision?, Position?) {
    let beginning: (A.State, Revision?, Position?) = (A.initial, nil, nil)
    guard let kept, try agrees(kept.checkpoint) else { return beginning }
    let position = kept.checkpoint.position
    // The mark says that the entry is the same; a pass may have moved it since.
    guard try self.stream(at: position) == stream, try revision(at: position).rawValue == kept.revision else {
      return beginning
    }
    do throws(CodingFailure) {
      return (try A.State.decode(payload: kept.payload.span), Revision(kept.revision), position)
    } catch {
      return beginning
    }
  }
}
