internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Takes the times of commits over into the generation that a pass builds.
struct TimesCopy {
  /// The number of rows in a commit.
  private static let batch = 1_000

  let source: Generation
  let target: PassTarget
  /// Whether rows that cannot be read are replaced.
  let isRepairing: Bool
  /// The first position of the rows that cannot be read, since the last readable one.
  private var lost: UInt64?

  init(source: Generation, target: PassTarget, isRepairing: Bool) {
    self.source = source
    self.target = target
    self.isRepairing = isRepairing
  }

  /// Copies all rows that there are now.
  mutating func run() throws(AnnalsError) {
    var next: UInt64? = 1
    while let position = next {
      let (chunks, end) = try chunks(from: position, limit: Self.batch)
      try target.write(.full) { (transaction) throws(AnnalsError) in
        try put(chunks, in: &transaction)
      }
      next = end
    }
  }

  /// Copies the rows that were added after the pass began.
  ///
  /// - Parameter position: The newest position by then.
  mutating func finish(after position: UInt64, in transaction: inout WriteTransaction) throws(AnnalsError) {
    // The newest chunk by then may have grown.
    let start = try source.read { (reader) throws(AnnalsError) in try reader.timesChunk(of: position) }
    try put(chunks(from: start, limit: .max).chunks, in: &transaction)
  }

  /// Returns chunks, and the position from which on there may be more; `nil` after the last one.
  private mutating func chunks(
    from position: UInt64, limit: Int
  ) throws(AnnalsError) -> (chunks: [CommitTimes], next: UInt64?) {
    var (chunks, next): ([CommitTimes], UInt64?) = ([], nil)
    var lost = lost
    try source.read { (reader) throws(AnnalsError) in
      try reader.eachTimes(from: position) { (first, chunk) throws(AnnalsError) in
        switch chunk {
        case .failure(let error):
          guard isRepairing, error.code == .damaged else { throw error }
          lost = lost ?? max(first, 1)
        case .success(let chunk):
          // Entries whose times are lost count as committed with the next ones: no rule hides them too early.
          if let start = lost { chunks.append(CommitTimes(.init(first: start, time: chunk.samples[0].time))) }
          lost = nil
          chunks.append(chunk)
        }
        if chunks.count >= limit { next = first + 1 }
        return next == nil
      }
    }
    if let start = lost, next == nil {
      chunks.append(CommitTimes(.init(first: start, time: max(Timestamp.now.microseconds, 0))))
      lost = nil
    }
    self.lost = lost
    return (chunks, next)
  }

  private func put(_ chunks: [CommitTimes], in transaction: inout WriteTransaction) throws(AnnalsError) {
    for chunk in chunks { try transaction.put(chunk.encoded(), chunk.rowName, in: target.tables.meta) }
    guard let last = chunks.last else { return }
    try transaction.put(last.pointer, CommitTimes.name, in: target.tables.meta)
  }
}
