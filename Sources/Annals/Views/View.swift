public import AnnalsCoding
internal import LMDB
import Synchronization

/// The rows of a projection in a store, which follow the log.
///
/// Any number of values may be had of one projection; they share what they read from. Rows are folded by threads of the library, as long as the store or a view of it
/// is held, in one process at a time: others read what that one folds, and take over when it ends.
public struct View<P: Projection>: Sendable {
  let host: ViewHost<P.Event>
  let line: ViewLine<P.Event>

  /// What a read begins with.
  func snapshot() throws(AnnalsError) -> ViewSnapshot<P> {
    for _ in 0..<Self.turns {
      let served = try served()
      let snapshot = try ViewSnapshot<P>(served.file, served.outline, served.conversions)
      guard try snapshot.hasSuccessor() else { return snapshot }
      try host.engine.settleAgain(line)
    }
    throw Self.unsettled()
  }

  /// How often in a row the files may turn out not to be the ones that count.
  private static var turns: Int { 100 }

  private static func unsettled() -> AnnalsError {
    AnnalsError(
      .busy,
      "the files of the view '\(P.name)' do not agree which of them serves: try again, or build it anew with EventStore.rebuild(_:)"
    )
  }

  /// How often a reader's store, which is told nothing, looks for a file that others may have built.
  static var interval: Duration { .milliseconds(500) }

  /// What rows are read from.
  private func served() throws(AnnalsError) -> ServedView {
    if host.engine.access == .readOnly {
      let (version, settled) = line.state.withLock { ($0.served?.version, $0.settled) }
      if version != P.version, version == nil || settled.duration(to: .now) > Self.interval {
        try host.engine.settleAgain(line)
      }
    }
    for _ in 0..<Self.turns {
      let (served, building, error) = line.state.withLock { ($0.served, $0.building, $0.hindrance) }
      if let served, served.version == P.version { return served }
      if let building, line.track(of: building) == nil,
        try building.read({ (view) throws(AnnalsError) in try building.isReady(view) })
      {
        try host.engine.settleAgain(line)
        continue
      }
      if let served { return served }
      if let error { throw error }
      throw try notBuilt(building)
    }
    throw Self.unsettled()
  }

  private static func removed() -> AnnalsError {
    AnnalsError(.busy, "the view '\(P.name)' was removed: open it again with EventStore.view(_:)")
  }

  private func notBuilt(_ building: ViewFile?) throws(AnnalsError) -> AnnalsError {
    if let error = building.flatMap({ line.track(of: $0)?.error }) { return error }
    guard let building else {
      if host.engine.access == .readWrite {
        return Self.removed()
      }
      return AnnalsError(
        .readOnly,
        "the view '\(P.name)' has no version \(P.version) here, and a store that is open for reading only builds none: open it for writing once"
      )
    }
    let position = try building.read { (view) throws(AnnalsError) in try building.checkpoint(view)?.position }
    let last = try host.engine.core.generation.lastPosition()
    return AnnalsError(
      .busy,
      "the view '\(P.name)' is being built, and has read \(position ?? 0) of \(last) positions: wait with waiting(for:), or read again later",
      details: AnnalsError.Details { $0.position = position })
  }

  /// Lends a snapshot of the rows to `body`.
  ///
  /// The snapshot shows everything that was folded when it began and nothing that comes later. While the version of the program is being built, an earlier one
  /// is read in its place if its rows can be read as today's; between two reads, never inside one, the new one takes over.
  ///
  /// - Parameter body: Reads from the snapshot, which cannot be kept.
  /// - Throws: What `body` throws, and ``AnnalsError`` with code `busy` where the view is being built for the first time, `readOnly` where nobody builds it,
  ///   `tooManyReaders`, `usedAfterFork`, `damaged` or `inputOutput`.
  public func read<Result>(
    _ body: (borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(snapshot())
  }

  /// Lends a snapshot of the rows to `body`, which may throw errors of its own.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing ViewSnapshot<P>) throws -> Result) throws -> Result {
    try body(snapshot())
  }
}

extension View {
  /// Waits until what reads show has taken in everything up to a position, such as that of an append of one's own.
  ///
  /// - Parameters:
  ///   - position: The position, ``Appended/position`` for example.
  ///   - timeout: How long to wait at most.
  /// - Throws: ``AnnalsError`` with code `busy` when the time is over, `cancelled` in a cancelled task, `usedAfterFork`, what has stopped the view where it goes no further, or as
  ///   `read`.
  public func waiting(for position: Position, timeout: Duration = .seconds(10)) async throws(AnnalsError) {
    if host.engine.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let end = ContinuousClock.now + timeout
    var watched: (file: ViewFile, watch: CommitWatch)?
    while true {
      let (known, commits) = (line.changes.count, watched?.file.commits.count ?? 0)
      let found = try reached()
      if let found, found.position >= position.rawValue { return }
      if let error = stopped() { throw error }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero else {
        throw AnnalsError(
          .busy,
          "the view '\(P.name)' has taken in \(found?.position ?? 0) positions, and not yet \(position)",
          details: AnnalsError.Details { $0.waited = timeout })
      }
      if let found, !found.isFolded {
        // Another process folds: nobody here is told but by looking.
        if watched?.file !== found.file {
          watched = (found.file, try found.file.watch())
          continue
        }
        await found.file.commits.wait(beyond: commits, upTo: min(rest, .milliseconds(100)))
      } else {
        watched = nil
        await line.changes.wait(beyond: known, upTo: min(rest, .seconds(1)))
      }
      if Task.isCancelled {
        throw AnnalsError(.cancelled, "the task was cancelled before the view had come so far")
      }
    }
  }

  /// Waits until reads show the rows of this program's version, and no build is under way: after ``EventStore/rebuild(_:)``, for example.
  ///
  /// - Parameter timeout: How long to wait at most.
  /// - Throws: ``AnnalsError`` with code `busy` when the time is over, `cancelled` in a cancelled task, `usedAfterFork`, what has stopped the build, or as
  ///   `read`.
  public func waitUntilBuilt(timeout: Duration = .seconds(60)) async throws(AnnalsError) {
    if host.engine.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let end = ContinuousClock.now + timeout
    while true {
      let known = line.changes.count
      // Another process may have finished the build: looking for what is read notices it.
      _ = try readable()
      let status = try status()
      if case .stopped(let error) = status.state { throw error }
      if status.state != .building, status.servedVersion == P.version { return }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero else {
        throw AnnalsError(
          .busy, "\(status)", details: AnnalsError.Details { $0.waited = timeout })
      }
      await line.changes.wait(beyond: known, upTo: min(rest, .milliseconds(100)))
      if Task.isCancelled {
        throw AnnalsError(.cancelled, "the task was cancelled before the view '\(P.name)' was built")
      }
    }
  }

  /// The file that is read from; `nil` where nothing can be read yet.
  private func readable() throws(AnnalsError) -> ViewFile? {
    do throws(AnnalsError) { return try served().file } catch {
      guard error.code == .busy else { throw error }
      return nil
    }
  }

  /// How far the rows are that a read shows; `nil` where nothing can be read yet.
  private func reached() throws(AnnalsError) -> (position: UInt64, file: ViewFile, isFolded: Bool)? {
    guard let file = try readable(), let found = try reached(file) else { return nil }
    // An earlier version goes on behind what has taken its place here: what it has read since shows nobody anything.
    guard let now = try readable(), now !== file else { return found }
    return try reached(now)
  }

  private func reached(
    _ file: ViewFile
  ) throws(AnnalsError) -> (position: UInt64, file: ViewFile, isFolded: Bool)? {
    if let track = line.track(of: file) { return (track.position, file, true) }
    let (checkpoint, successor) = try file.read { (view) throws(AnnalsError) in
      (try file.checkpoint(view), try file.successor(view))
    }
    if successor != nil { try host.engine.settleAgain(line) }
    return (checkpoint?.position.rawValue ?? 0, file, false)
  }

  /// What keeps those rows from going further that are read; `nil` where they go on.
  private func stopped() -> AnnalsError? {
    let (served, building, tracks, error, isRemoved) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.hindrance, $0.isRemoved)
    }
    if isRemoved { return Self.removed() }
    if let served, served.version == P.version {
      return tracks.first { $0.file === served.file }?.error ?? error
    }
    return tracks.first { $0.file === building }?.error ?? error
  }

  /// What keeps the rows of a file from going further; `nil` where they go on, or another process folds them.
  func stopped(folding file: ViewFile) -> AnnalsError? {
    line.state.withLock { state in
      if state.isRemoved { return Self.removed() }
      // What is built in their place may stop: the rows that are read go on.
      if let track = state.tracks.first(where: { $0.file === file }) { return track.error }
      return state.served?.version == P.version ? state.hindrance : nil
    }
  }

  /// What keeps those rows from going further for good; `nil` also where that may pass without anybody's doing.
  func ended() -> AnnalsError? {
    let (served, building, tracks, isRemoved) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.isRemoved)
    }
    if isRemoved { return Self.removed() }
    // Rows of an earlier version go on whatever becomes of this one.
    let file = served?.file ?? building
    return tracks.first { $0.file === file }?.lasting
  }

  /// How far a file has read, as its track knows where it is folded here.
  private static func position(
    of file: ViewFile, _ tracks: [ViewTrack<P.Event>]
  ) throws(AnnalsError) -> UInt64 {
    if let track = tracks.first(where: { $0.file === file }) { return track.position }
    return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) }?.position.rawValue ?? 0
  }

  /// What the view is doing.
  ///
  /// - Throws: ``AnnalsError`` with code `usedAfterFork`, `tooManyReaders`, `damaged` or `inputOutput`.
  public func status() throws(AnnalsError) -> ViewStatus {
    let (served, building, tracks, reason) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.reason)
    }
    let last = try host.engine.core.generation.lastPosition()
    let position = try served.map { (served) throws(AnnalsError) in try Self.position(of: served.file, tracks)
    }
    // What was to take the place of the rows that are read is nothing that goes on by itself.
    let failed = building.flatMap { file in tracks.first { $0.file === file }?.error }
    let state: ViewStatus.State =
      if let error = failed ?? stopped() { .stopped(error) } else if building != nil {
        .building
      } else if host.engine.access == .readOnly { .readOnly } else { .following }
    var progress: ViewStatus.Progress?
    if let building {
      let track = tracks.first { $0.file === building }
      progress = ViewStatus.Progress(
        done: try Self.position(of: building, tracks), total: last,
        began: track?.shown.withLock { $0.began })
    }
    return ViewStatus(
      name: P.name, version: P.version, servedVersion: served?.version, state: state,
      position: position.flatMap { $0 > 0 ? Position($0) : nil },
      lag: last - min(last, position ?? 0), reason: reason, progress: progress)
  }
}

extension Signal {
  /// Waits until the count is above `known`, the time is over, or the task is cancelled.
  func wait(beyond known: UInt64, upTo limit: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(beyond: known) }
      group.addTask {
        // A cancelled task sleeps no longer, and looks why itself.
        do { try await Task.sleep(for: limit) } catch {}
      }
      await group.next()
      group.cancelAll()
    }
  }
}
