internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// Transactions that write rows of a merge alone.
extension WriterLoop {
  /// The number of times that an orderly end tries to get a turn for the last merge, in steps of ten
  /// milliseconds.
  private static let lastTries = 20

  /// Delays appends while the merge is too late, and writes more of it in its own transactions.
  ///
  /// If anything prevents it, the log alone is complete, and the next group tries again. No power loss
  /// revokes an answer, although these commits are relaxed: at most the last one is lost.
  mutating func keepUp() {
    while merge.isBehind {
      let before = merge
      do throws(AnnalsError) {
        var transaction = try generation.environment.write(turn(), .relaxed)
        // The generation's successor has its own heads.
        guard try catchUp(transaction) != nil, try merge.advance(in: &transaction) else {
          return transaction.abort()
        }
        try commit(transaction)
      } catch {
        merge = before
        return
      }
      merge.freezeIfDue(against: otherMerge)
    }
  }

  /// Commits a transaction that has written rows of a merge alone.
  private mutating func commit(_ transaction: consuming WriteTransaction) throws(AnnalsError) {
    let id = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch {
      // The rows show whether it is stored.
      knownCommit = nil
      throw AnnalsError(error)
    }
    knownCommit = id
    merge.keep()
  }

  /// Merges the tail, so that the next open has nothing to read. If anything prevents it, the log alone is
  /// complete.
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
        // The generation's successor has the entries, and its own heads.
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
