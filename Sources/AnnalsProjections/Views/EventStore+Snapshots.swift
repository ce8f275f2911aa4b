internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore
public import AnnalsCoding
internal import LMDB
import Synchronization

extension EventStore {
  /// Calls `body` with snapshots of two views at one position.
  ///
  /// Each view is folded separately, so one may lag. The call waits for it, for up to a second. Under
  /// constant appends the two may never be at the same position. If a lagging view has stopped, the call
  /// fails at once.
  ///
  /// - Parameters:
  ///   - first: A view of this store.
  ///   - second: Another view of this store.
  ///   - body: Reads from the snapshots, which cannot be kept.
  /// - Throws: The errors of `body`, the error that stopped a lagging view, `busy` if the views did not reach
  ///   one position, `wrongUse` if a view belongs to another store, or the errors of `View.read`.
  public func read<P: Projection, Q: Projection, Result>(
    _ first: View<P>, _ second: View<Q>,
    _ body: (borrowing ViewSnapshot<P>, borrowing ViewSnapshot<Q>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result where P.Event == Event, Q.Event == Event {
    try first.mustBe(of: self)
    try second.mustBe(of: self)
    let meeting = ViewMeeting()
    while true {
      let (one, two) = (try meeting.signal(first), try meeting.signal(second))
      let a = try first.snapshot()
      let b = try second.snapshot()
      let places = (try a.read(), try b.read())
      let files = (a.file, b.file)
      if places.0 == places.1 {
        defer {
          first.registry.settle(files.0, first.registered)
          second.registry.settle(files.1, second.registered)
        }
        return try body(a, b)
      }
      a.end()
      b.end()
      let isFirst = places.0 < places.1
      if let error = isFirst ? first.stopped(folding: files.0) : second.stopped(folding: files.1) {
        throw error
      }
      try meeting.wait(for: isFirst ? one : two)
    }
  }

  /// Calls `body`, which may throw errors of its own, with snapshots of two views at one position.
  @_disfavoredOverload
  public func read<P: Projection, Q: Projection, Result>(
    _ first: View<P>, _ second: View<Q>,
    _ body: (borrowing ViewSnapshot<P>, borrowing ViewSnapshot<Q>) throws -> Result
  ) throws -> Result where P.Event == Event, Q.Event == Event {
    try read(first, second) { (one, two) throws(AnnalsError) -> Swift.Result<Result, any Error> in
      Swift.Result { try body(one, two) }
    }.get()
  }

  /// Calls `body` with snapshots of three views at one position.
  ///
  /// - Parameters:
  ///   - first: A view of this store.
  ///   - second: Another view of this store.
  ///   - third: A third view of this store.
  ///   - body: Reads from the snapshots, which cannot be kept.
  /// - Throws: As the form for two.
  public func read<P: Projection, Q: Projection, R: Projection, Result>(
    _ first: View<P>, _ second: View<Q>, _ third: View<R>,
    _ body: (
      borrowing ViewSnapshot<P>, borrowing ViewSnapshot<Q>, borrowing ViewSnapshot<R>
    ) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result where P.Event == Event, Q.Event == Event, R.Event == Event {
    try first.mustBe(of: self)
    try second.mustBe(of: self)
    try third.mustBe(of: self)
    let meeting = ViewMeeting()
    while true {
      let signals = [try meeting.signal(first), try meeting.signal(second), try meeting.signal(third)]
      let a = try first.snapshot()
      let b = try second.snapshot()
      let c = try third.snapshot()
      let places = [try a.read(), try b.read(), try c.read()]
      let files = [a.file, b.file, c.file]
      guard let most = places.max(), let late = places.firstIndex(where: { $0 < most }) else {
        defer {
          first.registry.settle(files[0], first.registered)
          second.registry.settle(files[1], second.registered)
          third.registry.settle(files[2], third.registered)
        }
        return try body(a, b, c)
      }
      a.end()
      b.end()
      c.end()
      let stopped = [first.stopped(folding:), second.stopped(folding:), third.stopped(folding:)]
      for index in places.indices where places[index] < most {
        if let error = stopped[index](files[index]) { throw error }
      }
      try meeting.wait(for: signals[late])
    }
  }

  /// Calls `body`, which may throw errors of its own, with snapshots of three views at one position.
  @_disfavoredOverload
  public func read<P: Projection, Q: Projection, R: Projection, Result>(
    _ first: View<P>, _ second: View<Q>, _ third: View<R>,
    _ body: (borrowing ViewSnapshot<P>, borrowing ViewSnapshot<Q>, borrowing ViewSnapshot<R>) throws -> Result
  ) throws -> Result where P.Event == Event, Q.Event == Event, R.Event == Event {
    try read(first, second, third) {
      (one, two, three) throws(AnnalsError) -> Swift.Result<Result, any Error> in
      Swift.Result { try body(one, two, three) }
    }.get()
  }
}

/// Waits for views to reach one position.
private struct ViewMeeting {
  private let end = ContinuousClock.now + .seconds(1)

  /// Returns a view's signal with its count before the view is checked, and has the view's runners store
  /// their checkpoints soon.
  func signal<P: Projection>(_ view: View<P>) throws(AnnalsError) -> (Signal, UInt64) {
    let signal = view.registered.changes
    let count = signal.count
    view.registry.hurry(view.registered)
    return (signal, count)
  }

  /// Waits for a view that lags.
  func wait(for signal: (Signal, UInt64)) throws(AnnalsError) {
    guard ContinuousClock.now < end else {
      throw AnnalsError(
        .busy, "the views did not come to one position within a second; try again when less is appended",
        details: AnnalsError.Details { $0.waited = .seconds(1) })
    }
    // Another process may be folding the view, and its commits are not signalled here.
    signal.0.wait(beyond: signal.1, upTo: 5_000_000)
  }
}
