internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

extension AppendGroup {
  /// Notes the time of the commit, if the last noted one is ten milliseconds old or older.
  ///
  /// - Parameters:
  ///   - now: The time in microseconds since 1970.
  ///   - first: The first position of the commit.
  mutating func noteTime(
    _ now: Int64, from first: UInt64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let now = max(now, 0)
    if let times, now - times.newest.time < CommitTimes.resolution { return }
    if !kinds.notesTimes {
      // Not the schema epoch: a pass may go on, and another process that notes a time requires it, too.
      kinds.notesTimes = true
      try transaction.require(.times, tables)
    }
    if times == nil { times = try StoreReader(transaction.view, tables).newestTimes() }
    let known = times
    // The first one is of all that is there.
    let sample = CommitTimes.Sample(first: known == nil ? 1 : first, time: now)
    if let newest = known?.newest {
      guard now - newest.time >= CommitTimes.resolution, first > newest.first else { return }
    }
    var chunk = CommitTimes(sample)
    if var known, !known.isFull {
      known.add(sample)
      chunk = known
    }
    times = chunk
    try transaction.put(chunk.encoded(), chunk.rowName, in: tables.meta)
    guard chunk.samples.count == 1 else { return }
    try transaction.put(chunk.pointer, CommitTimes.name, in: tables.meta)
  }
}
