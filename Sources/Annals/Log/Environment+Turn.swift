internal import AnnalsCoding
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

  /// Lends a durable write transaction to `body`, and commits it when that returns; its turn is waited for at most so long.
  ///
  /// - Throws: `busy` where another process keeps the turn; what `body` throws, after which nothing is changed.
  func write(
    within limit: Duration, _ body: (inout WriteTransaction) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var transaction = try write(turn(within: limit), .full)
    do throws(AnnalsError) { try body(&transaction) } catch {
      transaction.abort()
      throw error
    }
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
  }

  /// What is told where another process has kept the turn for so long.
  func busy(for limit: Duration) -> AnnalsError {
    let holder: Int32?
    // Who it is, is only told; a lock file that cannot be read does not change that the store is busy.
    do { holder = try lastWriter() } catch { holder = nil }
    return AnnalsError(
      .busy,
      "\(holder.map { "process \($0)" } ?? "another process") has been writing for \(limit); try again later",
      details: AnnalsError.Details {
        $0.holder = holder
        $0.waited = limit
      })
  }
}
