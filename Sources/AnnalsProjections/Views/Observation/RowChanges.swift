internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

/// An asynchronous sequence of the changes to a view's rows.
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
/// It begins with changes after its creation, and ends with its task. Changes are reported once they are
/// stored, whichever process folds the view. If a row has changed several times meanwhile, only its current
/// state is reported, once.
///
/// The view's file keeps 10,000 changes, so a slow observer costs no memory. An observer that lags
/// further receives ``ViewChange/reset``, as does one that began while another process was storing a batch.
/// Nothing is reported while a view is built. When a new version takes over, every observer receives
/// ``ViewChange/reset``.
public struct RowChanges<Row: ProjectionRow>: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = ViewChange<Row>
  /// The error that stops the sequence.
  public typealias Failure = AnnalsError

  /// A closure that waits for the next changes. It returns them last first, with the step that waits for
  /// later ones; none after cancellation of the task.
  struct Step: Sendable {
    let run: @Sendable () async throws(AnnalsError) -> (Step?, [Element])
  }

  private let first: Step

  init(_ first: Step) {
    self.first = first
  }

  /// Creates an iterator that begins where the sequence was created.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(step: first) }

  /// An iterator over the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var page: [Element] = []
    private var step: Step?

    fileprivate init(step: Step) {
      self.step = step
    }

    /// Returns the next change, once there is one; `nil` after cancellation of the task, and after an error.
    ///
    /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is not a table of the projection, the
    ///   error that has stopped the view, and as `View.read`. `busy` only for a view that was removed; the
    ///   call waits for one that is being built.
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
  /// Returns the changes of rows of a type from now on. See ``RowChanges``.
  ///
  /// - Parameters:
  ///   - type: The row type.
  ///   - keys: The range of keys; all by default.
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
  /// Returns the next changes of rows in a query's range; `nil` after cancellation of the task.
  @concurrent mutating func changes<R>(_ query: RowQuery<R>) async throws(AnnalsError) -> [ViewChange<R>]? {
    let view = view
    // A read may have found damage.
    defer { view.settle() }
    while !Task.isCancelled {
      let counts = counts
      let found = try look(ChangeJournal.page) { (look, snapshot) throws(AnnalsError) in
        try Self.reported(look, query, snapshot)
      }
      guard let found else {
        try await wait(beyond: counts)
        continue
      }
      switch found {
      case nil: try await wait(beyond: counts)
      case let reported?: if !reported.isEmpty { return reported }
      }
    }
    return nil
  }

  /// Returns the changes to report to an observer of a range; `nil` if nothing has happened.
  private static func reported<R>(
    _ look: Look, _ query: RowQuery<R>, _ snapshot: borrowing ViewSnapshot<P>
  ) throws(AnnalsError) -> [ViewChange<R>]? {
    let bounds = try RowBounds(query, snapshot.outline)
    switch look {
    case .nothing: return nil
    case .anything: return [.reset]
    case .changes(let changes):
      var reported: [ViewChange<R>] = []
      let source = snapshot.source
      for change in changes where bounds.contains(change.key.span) {
        let position = Position(change.position)
        if let stored = try source.value(of: change.key.span) {
          reported.append(.put(try source.decode(stored), at: position))
        } else {
          reported.append(.removed(RowIdentity(bytes: Array(change.key.dropFirst())), at: position))
        }
      }
      return reported
    }
  }
}
