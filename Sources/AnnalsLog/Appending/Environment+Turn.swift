package import AnnalsCoding
package import LMDB

extension Environment {
  /// Returns the turn at writing, waiting for it up to `limit`.
  ///
  /// - Throws: `busy` if another process keeps it.
  package func turn(within limit: Duration) throws(AnnalsError) -> Turn {
    let turn = try storage { () throws(EnvironmentError) in try turnIfFree(within: limit) }
    guard let turn else { throw busy(for: limit) }
    return turn
  }

  /// Begins a write transaction in a turn.
  package func write(
    _ turn: consuming Turn, _ durability: Durability, isSmall: Bool = false
  ) throws(AnnalsError) -> WriteTransaction {
    do { return try beginWrite(turn, durability: durability, isSmall: isSmall) } catch {
      throw AnnalsError(error)
    }
  }

  /// Calls `body` with a durable write transaction, and commits it when `body` returns. The turn is waited
  /// for up to `limit`.
  ///
  /// - Throws: `busy` if another process keeps the turn; any error of `body`, after which nothing is changed.
  package func write(
    within limit: Duration, _ body: (inout WriteTransaction) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var transaction = try write(turn(within: limit), .full)
    do throws(AnnalsError) { try body(&transaction) } catch {
      transaction.abort()
      throw error
    }
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
  }

  /// The error for a turn that another process has kept for so long.
  package func busy(for limit: Duration) -> AnnalsError {
    let holder: Int32?
    // The process is only named in the message: the store is busy even if the lock file cannot be read.
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
