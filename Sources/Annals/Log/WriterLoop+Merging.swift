internal import AnnalsCoding
internal import LMDB

// Transactions that write rows of a merge alone.
extension WriterLoop {
  /// How long an orderly end tries to get a turn for the last merge, in steps of ten milliseconds.
  private static let lastTries = 20

  /// Lets appends wait as long as the merge is too late, and writes more of it in transactions of their own.
  ///
  /// Whatever prevents it, the log alone has everything, and the next group tries again. No power cut takes
  /// an answer back, although these commits are relaxed: at most the last one is lost.
  mutating func keepUp() {
    while merge.isBehind {
      let before = merge
      do throws(AnnalsError) {
        var transaction = try generation.environment.write(turn(), .relaxed)
        // What succeeds the generation has heads of its own.
        guard try catchUp(transaction) != nil, try merge.advance(in: &transaction) else {
          return transaction.abort()
        }
        try commit(transaction)
      } catch {
        merge = before
        return
      }
      merge.freezeIfDue(beside: otherMerge)
    }
  }

  /// Commits a transaction that has written rows of a merge alone.
  private mutating func commit(_ transaction: consuming WriteTransaction) throws(AnnalsError) {
    let id = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch {
      // Whether it is stored is told by the rows.
      knownCommit = nil
      if case .panicked = error { try reopen() }
      throw AnnalsError(error)
    }
    knownCommit = id
    merge.keep()
  }

  /// Merges the tail, so that the next open has nothing to read. Whatever prevents it, the log alone has
  /// everything.
  mutating func finish() {
    defer { merge.join() }
    var tries = Self.lastTries
    while tries > 0, generation.heads.withTable({ $0.tail }) > 0 {
      do throws(AnnalsError) {
        guard
          let turn = try storage({ () throws(EnvironmentError) in try generation.environment.turnIfFree() })
        else {
          tries -= 1
          WriterThread.pause(milliseconds: 10)
          continue
        }
        var transaction = try generation.environment.write(turn, .full)
        // What succeeds the generation has the entries, and heads of its own.
        guard try catchUp(transaction) != nil, try !merge.finishSlice(in: &transaction) else {
          return transaction.abort()
        }
        try commit(transaction)
      } catch {
        return
      }
    }
  }
}
