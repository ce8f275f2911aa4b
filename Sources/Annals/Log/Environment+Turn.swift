internal import LMDB

extension Environment {
  /// The turn at writing, waited for at most so long.
  ///
  /// - Throws: `busy` where another process keeps it.
  func turn(within limit: Duration) throws(AnnalsError) -> Turn {
    let turn = try storage { () throws(EnvironmentError) in try turnIfFree(within: limit) }
    guard let turn else { throw busy(for: limit) }
    return turn
  }

  /// What is told where another process has kept the turn for so long.
  func busy(for limit: Duration) -> AnnalsError {
    let holder: Int32?
    // Who it is, is only told; a lock file that cannot be read does not change that the store is busy.
    do { holder = try lastWriter() } catch { holder = nil }
    return AnnalsError(
      .busy,
      "\(holder.map { "process \($0)" } ?? "another process") has been writing for \(limit); nothing was changed; try again later",
      details: AnnalsError.Details {
        $0.holder = holder
        $0.waited = limit
      })
  }
}
