internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

extension View {
  /// Waits until reads show this program's version of the rows, with all entries that the log had at the
  /// call.
  ///
  /// This includes a build, for example of a view that is opened for the first time:
  ///
  /// ```swift
  /// try await view.waitUntilCaughtUp(timeout: .seconds(600)) { progress in print(progress) }
  /// ```
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait.
  ///   - progress: Called on the caller's actor up to ten times a second, while there is something to read.
  ///     Its total is the last position of the log at the call.
  /// - Throws: ``AnnalsError`` with code `busy` when the time has passed, `cancelled` in a cancelled task,
  ///   `usedAfterFork`, the error that has stopped the view or its build, or as `read`.
  nonisolated(nonsending) public func waitUntilCaughtUp(
    timeout: Duration = .seconds(60), progress: (ViewStatus.Progress) -> Void = { _ in }
  ) async throws(AnnalsError) {
    if registry.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let (start, target) = (ContinuousClock.now, try registry.core.generation.lastPosition())
    var first: UInt64?
    while true {
      let began = ContinuousClock.now
      let rest = timeout - start.duration(to: began)
      let slice = min(max(rest, .zero), .milliseconds(100))
      do throws(AnnalsError) {
        try await waitUntilBuilt(timeout: slice)
        if target > 0 {
          try await waitUntil(
            Position(target), timeout: min(max(timeout - start.duration(to: .now), .zero), slice))
        }
        return
      } catch {
        guard error.code == .busy, rest > .zero, registered.record != nil else { throw error }
      }
      let status = try status()
      let done = status.progress?.done ?? status.position?.rawValue ?? 0
      if first == nil { first = done }
      progress(ViewStatus.Progress(done: done, total: target, began: first.map { (start, $0) }))
      // What keeps a view from its work for a while, such as another process, ends a slice at once.
      do { try await Task.sleep(until: began + slice) } catch {
        throw AnnalsError(.cancelled, "the task was cancelled before the view '\(P.name)' had caught up")
      }
    }
  }
}
