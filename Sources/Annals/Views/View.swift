public import AnnalsCoding
internal import LMDB
import Synchronization

/// The rows of a projection in a store, which follow the log.
///
/// Values of one projection share the file that they read from. The library's threads fold the rows as long
/// as the store or a view of it is held. One process at a time folds; others read its rows, and take over
/// when it ends.
public struct View<P: Projection>: Sendable {
  let host: ViewHost<P.Event>
  let line: ViewLine<P.Event>

  /// Returns the snapshot for a read.
  func snapshot() throws(AnnalsError) -> ViewSnapshot<P> {
    for _ in 0..<Self.turns {
      let served = try served()
      let snapshot = try ViewSnapshot<P>(served.file, served.outline, served.conversions)
      guard try snapshot.hasSuccessor() else { return snapshot }
      try host.engine.settleAgain(line)
    }
    throw Self.unsettled()
  }

  /// The number of times in a row that the files may turn out to be replaced.
  private static var turns: Int { 100 }

  private static func unsettled() -> AnnalsError {
    AnnalsError(
      .busy,
      "the files of the view '\(P.name)' do not agree which of them serves: try again, or build it again with EventStore.rebuild(_:)"
    )
  }

  /// The interval at which a reader's store, which receives no signals, looks for a file that another process
  /// has built.
  static var interval: Duration { .milliseconds(500) }

  /// Returns the rows to read from.
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
      "the view '\(P.name)' is being built, and has read \(position ?? 0) of \(last) positions: wait with waitUntil(), or read again later",
      details: AnnalsError.Details { $0.position = position })
  }

  /// Calls `body` with a snapshot of the rows.
  ///
  /// The snapshot shows everything folded when it began, and nothing later. While the program's version is
  /// being built, reads show an earlier version if its rows can be read as the current ones. The new version
  /// takes over between two reads, never inside one.
  ///
  /// - Parameter body: Reads from the snapshot, which cannot be kept.
  /// - Throws: The errors of `body`, and ``AnnalsError`` with code `busy` while the view is built for the
  ///   first time, `readOnly` if no process builds it, `tooManyReaders`, `usedAfterFork`, `damaged` or
  ///   `inputOutput`.
  public func read<Result>(
    _ body: (borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(snapshot())
  }

  /// Calls `body` with a snapshot of the rows. `body` may throw errors of its own.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing ViewSnapshot<P>) throws -> Result) throws -> Result {
    try body(snapshot())
  }
}

extension View {
  /// Waits until reads include everything up to a position, such as that of an own append.
  ///
  /// - Parameters:
  ///   - position: The position, for example ``Appended/position``.
  ///   - timeout: The longest time to wait.
  /// - Throws: ``AnnalsError`` with code `busy` when the time has passed, `cancelled` in a cancelled task,
  ///   `usedAfterFork`, the error that has stopped the view, or as `read`.
  public func waitUntil(_ position: Position, timeout: Duration = .seconds(10)) async throws(AnnalsError) {
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
        // Another process folds the view, so progress is only visible by looking.
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

  /// Waits until reads show the rows of this program's version and no build is under way, for example after
  /// ``EventStore/rebuild(_:)``.
  ///
  /// - Parameter timeout: The longest time to wait.
  /// - Throws: ``AnnalsError`` with code `busy` when the time has passed, `cancelled` in a cancelled task,
  ///   `usedAfterFork`, the error that has stopped the build, or as `read`.
  public func waitUntilBuilt(timeout: Duration = .seconds(60)) async throws(AnnalsError) {
    if host.engine.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let end = ContinuousClock.now + timeout
    while true {
      let known = line.changes.count
      // Another process may have finished the build, which only this check detects.
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

  /// Returns the file that reads use; `nil` if nothing can be read yet.
  private func readable() throws(AnnalsError) -> ViewFile? {
    do throws(AnnalsError) { return try served().file } catch {
      guard error.code == .busy else { throw error }
      return nil
    }
  }

  /// Returns the progress of the rows that reads show; `nil` if nothing can be read yet.
  private func reached() throws(AnnalsError) -> (position: UInt64, file: ViewFile, isFolded: Bool)? {
    guard let file = try readable(), let found = try reached(file) else { return nil }
    // An earlier version continues after its replacement here, but its later progress is not visible to
    // reads.
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

  /// Returns the error that stops the rows that reads show; `nil` if they advance.
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

  /// Returns the error that stops the rows of a file; `nil` if they advance, or another process folds them.
  func stopped(folding file: ViewFile) -> AnnalsError? {
    line.state.withLock { state in
      if state.isRemoved { return Self.removed() }
      // A replacement being built may stop while the rows that reads show still advance.
      if let track = state.tracks.first(where: { $0.file === file }) { return track.error }
      return state.served?.version == P.version ? state.hindrance : nil
    }
  }

  /// Returns the error that stops those rows permanently; `nil` also if the cause may pass by itself.
  func ended() -> AnnalsError? {
    let (served, building, tracks, isRemoved) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.isRemoved)
    }
    if isRemoved { return Self.removed() }
    // Rows of an earlier version advance whatever happens to this one.
    let file = served?.file ?? building
    return tracks.first { $0.file === file }?.lasting
  }

  /// Returns the position up to which a file has read, from its runner if it is folded here.
  private static func position(
    of file: ViewFile, _ tracks: [ViewTrack<P.Event>]
  ) throws(AnnalsError) -> UInt64 {
    if let track = tracks.first(where: { $0.file === file }) { return track.position }
    return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) }?.position.rawValue ?? 0
  }

  /// Returns the status of the view.
  ///
  /// - Throws: ``AnnalsError`` with code `usedAfterFork`, `tooManyReaders`, `damaged` or `inputOutput`.
  public func status() throws(AnnalsError) -> ViewStatus {
    let (served, building, tracks, reason) = line.state.withLock {
      ($0.served, $0.building, $0.tracks, $0.reason)
    }
    let last = try host.engine.core.generation.lastPosition()
    let position = try served.map { (served) throws(AnnalsError) in try Self.position(of: served.file, tracks)
    }
    // A stopped replacement for the rows that reads show does not restart by itself.
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
  /// Waits until the count is above `known`, the time has passed, or the task is cancelled.
  func wait(beyond known: UInt64, upTo limit: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(beyond: known) }
      group.addTask {
        // In a cancelled task the sleep returns at once, and the caller checks for cancellation.
        do { try await Task.sleep(for: limit) } catch {}
      }
      await group.next()
      group.cancelAll()
    }
  }
}
