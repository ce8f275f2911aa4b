internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// The entries of a stream that a state includes.
struct FoldedWindow {
  let stream: StreamName
  /// The stream's head; `nil` if it has no entries.
  let head: Head?
  /// The oldest revision that is read.
  let oldest: Revision
  /// The newest revision that the state includes; `nil` if it includes none.
  let last: Revision?
}

/// A state that a fold begins with, and the revision and position of the newest entry that it includes.
struct Beginning<A: Aggregate> {
  var state: A.State
  var revision: Revision?
  var position: Position?
}

extension StoreSnapshot {
  /// Returns the entries that the state of a stream includes.
  ///
  /// - Parameter point: The point of the state; `nil` for the newest.
  func window(of stream: StreamName, through point: StreamPoint?) throws(AnnalsError) -> FoldedWindow {
    guard let head = try head(of: stream) else {
      return FoldedWindow(stream: stream, head: nil, oldest: 0, last: nil)
    }
    let oldest = try self.oldest(of: head)
    let last: Revision? =
      switch point {
      case nil: head.revision
      case .revision(let revision): revision >= oldest ? min(revision, head.revision) : nil
      case .position(let position): try newest(of: head, oldest: oldest, through: position)
      }
    return FoldedWindow(stream: stream, head: head, oldest: oldest, last: last)
  }

  /// Returns the newest revision of a stream that is at a position or before it; `nil` if there is none.
  ///
  /// - Complexity: O(log² of the stream's length) entries.
  private func newest(
    of head: Head, oldest: Revision, through position: Position
  ) throws(AnnalsError) -> Revision? {
    if head.last <= position { return head.revision }
    var touched = 0
    // The first revision that is after the position.
    var (low, high) = (oldest.rawValue, head.revision.rawValue)
    while low < high {
      let middle = low + (high - low) / 2
      if try reader.position(of: Revision(middle), from: head, touched: &touched) > position {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low > oldest.rawValue ? Revision(low - 1) : nil
  }

  /// Folds the events of a stream after those that a state includes.
  ///
  /// - Returns: The state, and the position of the newest entry with an event that it includes.
  func fold<A: Aggregate>(
    _ aggregate: A.Type, _ window: FoldedWindow, after start: Beginning<A>
  ) throws(AnnalsError) -> (loaded: Loaded<A>, position: Position?) where A.Event == Event {
    var (state, revision, position) = (start.state, start.revision, start.position)
    var folded = 0
    let first = revision.map { Revision($0.rawValue + 1) }
    guard let last = window.last, first.map({ $0 <= last }) ?? true else {
      return (Loaded(state: state, revision: revision, folded: 0), nil)
    }
    let entries = try entries(
      in: window.stream, window.head, oldest: window.oldest, from: first, through: last)
    try entries.forEach { (entry) throws(AnnalsError) in
      do { try A.apply(entry, to: &state) } catch {
        throw AnnalsError(error, folding: entry.position, of: window.stream, in: A.name)
      }
      if entry.revision != revision { folded += 1 }
      revision = entry.revision
      position = entry.position
    }
    // Entries that a rule drops are skipped. If they end the stream, the revision is still theirs.
    if revision.map({ $0 < last }) ?? true { revision = last }
    return (Loaded(state: state, revision: revision, folded: folded), position)
  }

  /// Returns the place where the fold begins: after a snapshot, if it matches this log and its entry and is
  /// not after the window.
  func start<A: Aggregate>(
    _ aggregate: A.Type, _ kept: AggregateSnapshotRow?, _ window: FoldedWindow
  ) throws(AnnalsError) -> Beginning<A> {
    let beginning = Beginning<A>(state: A.initial)
    guard let kept, try includes(kept.checkpoint, revision: kept.revision, window) else { return beginning }
    do throws(CodingFailure) {
      return Beginning(
        state: try A.State.decode(payload: kept.payload.span), revision: Revision(kept.revision),
        position: kept.checkpoint.position)
    } catch {
      return beginning
    }
  }

  /// Returns the place where the fold begins after a state of a moment ago; `nil` if that does not match.
  func start<A: Aggregate>(
    _ recent: RecentState<A>, _ source: AggregateSnapshotRow.Source, _ window: FoldedWindow
  ) throws(AnnalsError) -> Beginning<A>? {
    guard recent.source == source, try includes(recent.checkpoint, revision: recent.revision, window) else {
      return nil
    }
    return Beginning(
      state: recent.state, revision: Revision(recent.revision), position: recent.checkpoint.position)
  }

  /// Whether a checkpoint is one of this log, after an entry of the window that has this revision.
  private func includes(
    _ checkpoint: Checkpoint, revision: UInt64, _ window: FoldedWindow
  ) throws(AnnalsError) -> Bool {
    guard let last = window.last, revision <= last.rawValue, try agrees(checkpoint) else { return false }
    // The mark shows that the entry is the same; a pass may have moved it since.
    return try isEntry(at: checkpoint.position, Revision(revision), of: window.stream, window.head)
  }

  /// Returns the snapshot to keep of a state; `nil` for a state that cannot be kept, which is still valid.
  ///
  /// - Parameter position: The position of the newest entry with an event that the state includes.
  func row<A: Aggregate>(
    of loaded: Loaded<A>, at position: Position, _ source: AggregateSnapshotRow.Source
  ) throws(AnnalsError) -> AggregateSnapshotRow? {
    var payload: [UInt8] = []
    do throws(CodingFailure) { try loaded.state.encode(into: &payload) } catch { return nil }
    return AggregateSnapshotRow(
      source, try checkpoint(at: position), revision: try revision(at: position).rawValue, payload: payload)
  }
}
