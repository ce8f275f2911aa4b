public import AnnalsCoding
internal import LMDB

/// The changes of a view's rows, as they come.
///
/// ```swift
/// for try await change in view.changes(of: File.self, in: .prefix("Sources/")) {
///   switch change {
///   case .put(let file, _): shown[RowIdentity(of: file)] = file
///   case .removed(let file, _): shown[file] = nil
///   case .reset: shown = try read()
///   }
/// }
/// ```
///
/// It begins with what changes after it was asked for, and ends with its task. Whatever process folds the view, changes are told once they are stored; of a row that has changed
/// several times meanwhile only how it stands is told, once. One who is slow costs no memory: 10,000 changes are kept in the view's file, and who is further behind is told
/// ``ViewChange/reset``. While a view is built nothing is told, and when a new version takes over, everybody is told ``ViewChange/reset``.
public struct RowChanges<Row: ProjectionRow>: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = ViewChange<Row>
  /// What stops the sequence.
  public typealias Failure = AnnalsError

  /// Waits for the next changes, the last one first, and what waits for those behind them; none where the task is cancelled.
  struct Step: Sendable {
    let run: @Sendable () async throws(AnnalsError) -> (Step?, [Element])
  }

  private let first: Step

  init(_ first: Step) {
    self.first = first
  }

  /// An iterator that begins where the sequence was asked for.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(step: first) }

  /// The changes that a loop has not been given yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var page: [Element] = []
    private var step: Step?

    fileprivate init(step: Step) {
      self.step = step
    }

    /// The next change, once there is one; `nil` where the task is cancelled, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is no table of the projection, what has stopped the view where it goes no further, and as `View.read`, but
    ///   `busy` only for a view that was removed: one that is being built is waited for.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> Element? {
      if page.isEmpty, let known = step {
        do throws(AnnalsError) { (step, page) = try await known.run() } catch {
          step = nil
          throw error
        }
      }
      return page.popLast()
    }
  }
}

extension View {
  /// The changes of rows of a type from now on. See ``RowChanges``.
  ///
  /// - Parameters:
  ///   - type: The row type.
  ///   - keys: Which rows; all by default.
  public func changes<R: ProjectionRow>(
    of type: R.Type, in keys: KeyRange<R.Key> = .all
  ) -> RowChanges<R> {
    let query = RowQuery(type, keys)
    var observer = ViewObserver(self)
    do throws(AnnalsError) { try observer.begin() } catch {
      let failure = error
      return RowChanges(RowChanges<R>.Step { () async throws(AnnalsError) in throw failure })
    }
    return RowChanges(Self.step(observer, query))
  }

  private static func step<R>(_ observer: ViewObserver<P>, _ query: RowQuery<R>) -> RowChanges<R>.Step {
    RowChanges<R>.Step { () async throws(AnnalsError) in
      var observer = observer
      guard let found = try await observer.changes(query) else { return (nil, []) }
      return (step(observer, query), found.reversed())
    }
  }
}

extension ViewObserver {
  /// The next changes of rows of a query's range; `nil` where the task is cancelled.
  @concurrent mutating func changes<R>(_ query: RowQuery<R>) async throws(AnnalsError) -> [ViewChange<R>]? {
    while !Task.isCancelled {
      let counts = counts
      let found = try look(ChangeJournal.page) { (look, snapshot) throws(AnnalsError) in
        try Self.told(look, query, snapshot)
      }
      guard let found else {
        try await wait(beyond: counts)
        continue
      }
      switch found {
      case nil: try await wait(beyond: counts)
      case let told?: if !told.isEmpty { return told }
      }
    }
    return nil
  }

  /// What a look is for one who observes rows of a range; `nil` where nothing has happened.
  private static func told<R>(
    _ look: Look, _ query: RowQuery<R>, _ snapshot: borrowing ViewSnapshot<P>
  ) throws(AnnalsError) -> [ViewChange<R>]? {
    let bounds = try RowBounds(query, snapshot.outline)
    switch look {
    case .nothing: return nil
    case .anything: return [.reset]
    case .changes(let changes):
      var told: [ViewChange<R>] = []
      let source = snapshot.source
      for change in changes where bounds.contains(change.key.span) {
        let position = Position(change.position)
        if let stored = try source.value(of: change.key.span) {
          told.append(.put(try source.decode(stored), at: position))
        } else {
          told.append(.removed(RowIdentity(bytes: Array(change.key.dropFirst())), at: position))
        }
      }
      return told
    }
  }
}
