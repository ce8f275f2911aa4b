internal import AnnalsCoding
internal import LMDB

extension AppendGroup {
  /// Notes the time of the commit, if the last noted one is a second old or older.
  ///
  /// - Parameters:
  ///   - now: The time in microseconds since 1970.
  ///   - first: The first position of the commit.
  mutating func noteTime(
    _ now: Int64, from first: UInt64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    if let notedTime, max(now, 0) - notedTime < CommitTimes.resolution { return }
    var chunk = try StoreReader(transaction.view, tables).newestTimes()
    // The first one is of all that is there.
    let sample = CommitTimes.Sample(first: chunk == nil ? 1 : first, time: max(now, 0))
    if let newest = chunk?.samples.last {
      guard sample.time - newest.time >= CommitTimes.resolution, sample.first > newest.first else {
        notedTime = newest.time
        return
      }
    }
    notedTime = sample.time
    let isNew = chunk?.isFull ?? true
    if isNew { chunk = CommitTimes(sample) } else { chunk?.add(sample) }
    guard let chunk else { return }
    try transaction.put(chunk.encoded(), chunk.rowName, in: tables.meta)
    guard isNew else { return }
    var pointer: [UInt8] = []
    pointer.append(varint: sample.first)
    try transaction.put(pointer, CommitTimes.name, in: tables.meta)
  }
}
