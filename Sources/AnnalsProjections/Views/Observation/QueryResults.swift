internal import AnnalsLog
internal import AnnalsStore
public import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// An asynchronous sequence of a query's results: the first one, and another whenever the result has changed.
///
/// ```swift
/// for try await players in view.results(RowQuery(Player.byTeam, .key("red"))) { show(players) }
/// ```
///
/// A loop that is slower than the changes receives only the newest result; results are not buffered. The
/// sequence ends with its task.
public struct QueryResults<Row: ProjectionRow>: AsyncSequence, Sendable {
  /// A result.
  public typealias Element = [Row]
  /// The error that stops the sequence.
  public typealias Failure = AnnalsError

  struct Step: Sendable {
    let run: @Sendable () async throws(AnnalsError) -> (Step, [Row])?
  }

  private let first: Step

  init(_ first: Step) {
    self.first = first
  }

  /// Creates an iterator. Its first result is current when it is requested.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(step: first) }

  /// An iterator over the results.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var step: Step?

    fileprivate init(step: Step) {
      self.step = step
    }

    /// Returns the next result, once it differs from the last; `nil` after cancellation of the task, and
    /// after an error.
    ///
    /// - Throws: As ``ReadableRows/rows(_:)`` and `View.read`, and the error that has stopped the view.
    ///   `busy` only for a view that was removed; the call waits for one that is being built.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> [Row]? {
      guard let known = step else { return nil }
      step = nil
      guard let (next, rows) = try await known.run() else { return nil }
      step = next
      return rows
    }
  }
}

extension View {
  /// Returns the results of a query, now and whenever they change. See ``QueryResults``.
  public func results<R: ProjectionRow>(_ query: RowQuery<R>) -> QueryResults<R> {
    QueryResults(Self.step(ViewObserver(self), query, nil))
  }

  private static func step<R>(
    _ observer: ViewObserver<P>, _ query: RowQuery<R>, _ known: [UInt8]?
  ) -> QueryResults<R>.Step {
    QueryResults<R>.Step { () async throws(AnnalsError) in
      var observer = observer
      guard let result = try await observer.result(query, known) else { return nil }
      return (step(observer, query, result.bytes), result.rows)
    }
  }
}

extension ViewObserver {
  /// A result with its stored rows, which are compared with those of the next one.
  struct Result<R: ProjectionRow>: Sendable {
    let rows: [R]
    let bytes: [UInt8]
  }

  /// Returns the next result that differs from `known`; `nil` after cancellation of the task.
  @concurrent mutating func result<R>(
    _ query: RowQuery<R>, _ known: [UInt8]?
  ) async throws(AnnalsError) -> Result<R>? {
    let view = view
    // A read may have found damage.
    defer { view.settle() }
    while !Task.isCancelled {
      let counts = counts
      let found = try look(.max) { (look, snapshot) throws(AnnalsError) in
        try Self.concerns(look, query, snapshot) ? try snapshot.rows(query) : nil
      }
      if let rows = found ?? nil {
        let bytes = try Self.encoded(rows)
        if bytes != known { return Result(rows: rows, bytes: bytes) }
        continue
      }
      try await wait(beyond: counts)
    }
    return nil
  }

  /// Whether the result of a query may have changed.
  private static func concerns<R>(
    _ look: Look, _ query: RowQuery<R>, _ snapshot: borrowing ViewSnapshot<P>
  ) throws(AnnalsError) -> Bool {
    switch look {
    case .nothing: return false
    case .anything: return true
    case .changes(let changes):
      // The secondary keys that a row had before are not known any more.
      let all = RowQuery<R>(R.self)
      let bounds =
        try query.key == nil ? RowBounds(query, snapshot.outline) : RowBounds(all, snapshot.outline)
      return changes.contains { bounds.contains($0.key.span) }
    }
  }

  private static func encoded<R: ProjectionRow>(_ rows: [R]) throws(AnnalsError) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(CodingFailure) {
      for row in rows {
        let start = bytes.count
        try row.encode(into: &bytes)
        bytes.append(littleEndian: UInt64(bytes.count - start))
      }
    } catch {
      throw AnnalsError(.malformed, "a row of '\(R.recordName)' has no encoding: \(error)", underlying: error)
    }
    return bytes
  }
}
