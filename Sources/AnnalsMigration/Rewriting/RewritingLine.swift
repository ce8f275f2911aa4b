internal import AnnalsCoding

/// The entries of a range on their way into the next generation, in order.
struct RewritingLine: ~Copyable {
  private var line: PassLine<RewrittenRun>
  private let pool: RunPool

  init(_ line: consuming PassLine<RewrittenRun>, _ pool: RunPool) {
    self.line = line
    self.pool = pool
  }

  /// The next run; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError``: the first error in the order of positions, after the runs before it;
  ///   `cancelled`.
  mutating func next() throws(AnnalsError) -> RewrittenRun? { try line.next() }

  /// Takes a run back that was put, so that its storage is used again.
  func take(back run: consuming RewrittenRun) { pool.give(run) }
}
