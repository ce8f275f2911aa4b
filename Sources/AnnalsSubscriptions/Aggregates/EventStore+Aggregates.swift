public import AnnalsCoding
internal import AnnalsLog
public import AnnalsStore

extension EventStore {
  /// Loads the state of a stream, folding from the newest snapshot that is certainly valid, or from the
  /// beginning.
  ///
  /// It may keep a snapshot, which waits for the disk as an append does, unless another process or thread is
  /// keeping one. A store that skips entries (``StoreOptions/Unreadable/quarantine(_:)``,
  /// ``StoreOptions/NewerTypes/skip``) neither uses nor keeps snapshots, because its states lack events that
  /// other programs fold.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - stream: The stream. A stream that does not exist has the initial state and no revision.
  /// - Throws: ``AnnalsError`` with code `ruleFailed` for an error of the fold, naming the entry, or the
  ///   errors of `read` and ``StoreEntries/next()``.
  /// - Complexity: O(entries since the snapshot): up to the aggregate's interval in a store that keeps
  ///   snapshots, else the whole stream.
  public func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName
  ) throws(AnnalsError) -> Loaded<A> where A.Event == Event {
    try load(A.self, from: [stream]).loaded(stream)
  }

  /// Loads the state that a stream had at a point in its past, folding from a snapshot of an older state if
  /// that is certainly valid, or from the beginning.
  ///
  /// ```swift
  /// let then = try store.load(Account.self, from: "account-7", at: .revision(5))
  /// ```
  ///
  /// Entries after the point are not read. For a point after the end of the stream, the newest state is
  /// returned. Truncated and erased entries are in no state, not even in one from before their removal. The
  /// call keeps no snapshot.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - stream: The stream. A stream that does not exist has the initial state and no revision.
  ///   - point: The newest entry that the state may include.
  /// - Throws: As the form for the newest state of one stream.
  /// - Complexity: O(entries up to the point, since the snapshot if there is an older one).
  public func load<A: Aggregate>(
    _ aggregate: A.Type, from stream: StreamName, at point: StreamPoint
  ) throws(AnnalsError) -> Loaded<A> where A.Event == Event {
    var recent = RecentStates<A>()
    return try load(from: [stream], at: point, &recent).loaded(stream)
  }

  /// Loads the states of several streams from one snapshot of the store.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - streams: The streams. Those that do not exist have the initial state and no revision.
  /// - Throws: As the form for the newest state of one stream.
  /// - Complexity: As the form for one stream, for each of them.
  public func load<A: Aggregate>(
    _ aggregate: A.Type, from streams: [StreamName]
  ) throws(AnnalsError) -> LoadedStreams<A> where A.Event == Event {
    var recent = RecentStates<A>()
    return try load(from: streams, at: nil, &recent)
  }

  /// Loads states, with the help of those of a moment ago.
  ///
  /// - Parameter recent: The states of a moment ago, replaced by the states that were wanted.
  func load<A: Aggregate>(
    from streams: [StreamName], at point: StreamPoint?, _ recent: inout RecentStates<A>
  ) throws(AnnalsError) -> LoadedStreams<A> where A.Event == Event {
    let isWhole = reach.quarantine == nil && reach.skipping == nil
    let interval = isWhole ? A.snapshotInterval.map { UInt64(clamping: max($0, 1)) } : nil
    // A value that is open for reading only writes nothing, even if others of this process may.
    let mayKeep = log.options.access == .readWrite
    var snapshots: SnapshotFile?
    var rows: [AggregateSnapshotRow] = []
    var epoch: UInt64 = 0
    let loaded = try read { (snapshot) throws(AnnalsError) -> LoadedStreams<A> in
      var loaded: [StreamName: Loaded<A>] = [:]
      epoch = try snapshot.erasureEpoch
      for stream in streams where loaded[stream] == nil {
        let window = try snapshot.window(of: stream, through: point)
        // A stream with fewer entries than the interval has no snapshot, and gets none.
        let isLong = interval.map { (window.last?.rawValue ?? 0) >= $0 - 1 } ?? false
        if isLong, window.last != nil { snapshots = snapshots ?? log.core.snapshots(creating: mayKeep) }
        let file = isLong ? snapshots : nil
        guard file != nil || isWhole && recent.includes(stream) else {
          loaded[stream] = try snapshot.fold(A.self, window, after: Beginning(state: A.initial)).loaded
          continue
        }
        let source = AggregateSnapshotRow.Source(
          aggregate: ExactText(A.name), version: UInt64(clamping: A.version), stream: ExactText(stream.text),
          mark: reach.stateMark(
            A.State.self, from: window.oldest, epoch: epoch, alteration: try snapshot.alteration))
        let known = recent.states.removeValue(forKey: stream)
        var near: Beginning<A>?
        if let known { near = try snapshot.start(known, source, window) }
        var start = near
        if start == nil { start = try snapshot.start(A.self, file?.row(for: source), window) }
        let (state, position) = try snapshot.fold(A.self, window, after: start ?? Beginning(state: A.initial))
        loaded[stream] = state
        // A state of the past must not replace a newer one.
        guard point == nil else { continue }
        guard let position else {
          if near != nil { recent.states[stream] = known }
          continue
        }
        var folded = UInt64(state.folded) + (near == nil ? 0 : known?.sinceSnapshot ?? 0)
        if mayKeep, file != nil, let interval, folded >= interval,
          let row = try snapshot.row(of: state, at: position, source)
        {
          rows.append(row)
          folded = 0
        }
        guard recent.wanted.contains(stream) else { continue }
        recent.states[stream] = RecentState(
          source: source, checkpoint: try snapshot.checkpoint(at: position),
          revision: try snapshot.revision(at: position).rawValue, state: state.state, sinceSnapshot: folded)
      }
      return LoadedStreams(loaded)
    }
    if let snapshots, !rows.isEmpty { keep(rows, of: epoch, in: snapshots) }
    return loaded
  }

  /// Keeps snapshots, unless an erasure has been committed since their events were read.
  private func keep(_ rows: [AggregateSnapshotRow], of epoch: UInt64, in snapshots: SnapshotFile) {
    do throws(AnnalsError) {
      // An erasure that commits after this comparison removes this file afterwards.
      guard try read({ (now) throws(AnnalsError) in try now.erasureEpoch }) == epoch else { return }
    } catch {
      // The cache can wait.
      return
    }
    for row in rows { snapshots.keep(row) }
  }
}
