internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

extension View {
  /// Waits until reads include everything up to a position, such as that of the caller's own append.
  ///
  /// - Parameters:
  ///   - position: The position, for example ``Appended/position``.
  ///   - timeout: The longest time to wait.
  /// - Throws: ``AnnalsError`` with code `busy` when the time has passed, `cancelled` in a cancelled task,
  ///   `usedAfterFork`, the error that has stopped the view, or as `read`.
  public func waitUntil(_ position: Position, timeout: Duration = .seconds(10)) async throws(AnnalsError) {
    if registry.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let end = ContinuousClock.now + timeout
    var watched: (file: ViewFile, watch: CommitWatch)?
    while true {
      let (known, commits) = (registered.changes.count, watched?.file.commits.count ?? 0)
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
      if let found, !found.isFolded, !found.isReplaced {
        // Another process folds the view, so progress is only visible by looking.
        if watched?.file !== found.file {
          watched = (found.file, try found.file.watch())
          continue
        }
        await found.file.commits.wait(beyond: commits, upTo: min(rest, .milliseconds(100)))
      } else {
        watched = nil
        await registered.changes.wait(beyond: known, upTo: min(rest, .seconds(1)))
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
    if registry.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let end = ContinuousClock.now + timeout
    while true {
      let known = registered.changes.count
      // Another process may have finished the build, which only this check detects.
      let file = try readable()
      let status = try status()
      if case .stopped(let error) = status.state { throw error }
      if file != nil, status.state != .building, status.servedVersion == P.version { return }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero else {
        throw AnnalsError(
          .busy, "\(status)", details: AnnalsError.Details { $0.waited = timeout })
      }
      await registered.changes.wait(beyond: known, upTo: min(rest, .milliseconds(100)))
      if Task.isCancelled {
        throw AnnalsError(.cancelled, "the task was cancelled before the view '\(P.name)' was built")
      }
    }
  }

  /// Returns the file that reads use; `nil` if nothing can be read yet.
  private func readable() throws(AnnalsError) -> ViewFile? {
    // The file that served last may have been withdrawn for an erasure, which only a snapshot of it shows.
    do throws(AnnalsError) { return try snapshot().file } catch {
      guard error.code == .busy else { throw error }
      return nil
    }
  }

  /// The progress of the rows that reads show.
  private struct Progress {
    var position: UInt64
    var file: ViewFile
    /// Whether this process folds them.
    var isFolded: Bool
    /// Whether this process builds what is to replace them.
    var isReplaced: Bool
  }

  /// Returns the progress of the rows that reads show; `nil` if nothing can be read yet.
  private func reached() throws(AnnalsError) -> Progress? {
    guard let file = try readable(), let found = try reached(file) else { return nil }
    // A replaced file may advance elsewhere, but its later progress is not visible to reads.
    guard let now = try readable(), now !== file else { return found }
    return try reached(now)
  }

  private func reached(_ file: ViewFile) throws(AnnalsError) -> Progress? {
    let machine = registered.record?.machine
    if let fold = machine?.folds[file.number] {
      return Progress(position: fold.position, file: file, isFolded: true, isReplaced: false)
    }
    let (checkpoint, successor) = try file.read { (view) throws(AnnalsError) in
      (try file.checkpoint(view), try file.successor(view))
    }
    if successor != nil { try registry.chooseAgain(registered) }
    let isReplaced = machine?.building.map { machine?.folds[$0] != nil } ?? false
    return Progress(
      position: checkpoint?.position.rawValue ?? 0, file: file, isFolded: false, isReplaced: isReplaced)
  }

  /// Returns the error that stops the rows that reads show; `nil` if they advance.
  private func stopped() -> AnnalsError? {
    guard let machine = registered.record?.machine else { return Self.removed() }
    return machine.stopError
  }

  /// Returns the error that stops the rows of a file; `nil` if they advance, or another process folds them.
  func stopped(folding file: ViewFile) -> AnnalsError? {
    guard let machine = registered.record?.machine else { return Self.removed() }
    return machine.stopError(of: file.number)
  }

  /// Returns the error that stops those rows permanently; `nil` also if the cause may pass by itself.
  func ended() -> AnnalsError? {
    guard let machine = registered.record?.machine else { return Self.removed() }
    return machine.lastingError
  }

  /// Returns the position up to which a file has read, from its fold if this process folds it.
  private static func position(of file: ViewFile, _ machine: ViewMachine) throws(AnnalsError) -> UInt64 {
    if let fold = machine.folds[file.number] { return fold.position }
    return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) }?.position.rawValue ?? 0
  }

  /// Returns the status of the view.
  ///
  /// While a new version is built, the position is that of the old rows, which do not advance.
  ///
  /// - Throws: ``AnnalsError`` with code `usedAfterFork`, `tooManyReaders`, `damaged` or `inputOutput`.
  public func status() throws(AnnalsError) -> ViewStatus {
    if registry.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let record = registered.record
    let (served, building) = (record?.served, record?.building)
    let machine = record?.machine ?? ViewMachine(mayFold: false)
    let last = try registry.core.generation.lastPosition()
    let position = try served.map { (served) throws(AnnalsError) in
      try Self.position(of: served.file, machine)
    }
    let error = record == nil ? Self.removed() : machine.statusError
    let state: ViewStatus.State =
      if let error { .stopped(error) } else if building != nil {
        .building
      } else if registry.access == .readOnly { .readOnly } else { .following }
    var progress: ViewStatus.Progress?
    if let building {
      progress = ViewStatus.Progress(
        done: try Self.position(of: building, machine), total: last,
        began: record?.runners[building.number]?.began)
    }
    return ViewStatus(
      name: P.name, version: P.version, servedVersion: served?.version, state: state,
      position: position.flatMap { $0 > 0 ? Position($0) : nil },
      lag: last - min(last, position ?? 0), reason: machine.reason, progress: progress)
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
