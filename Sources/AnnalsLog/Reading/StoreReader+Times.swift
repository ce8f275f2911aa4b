public import AnnalsCoding
package import AnnalsFormat
internal import LMDB

// The times of commits.
extension StoreReader {
  /// The newest chunk of times; `nil` if the store notes none.
  package func newestTimes() throws(AnnalsError) -> CommitTimes? {
    let first = try row(CommitTimes.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try CommitTimes.first(inPointer: bytes)
    }
    guard let first else { return nil }
    let name = CommitTimes.name(from: first)
    let chunk = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in try CommitTimes(bytes) }
    guard let chunk else { throw AnnalsError(missingMeta: name) }
    return chunk
  }

  /// The position before which all commits certainly began before `time`, for ages of whole seconds.
  ///
  /// - Returns: 1 if none did; the position after the newest entry if all did.
  /// - Complexity: As ``samples(before:)``.
  package func end(begunBefore time: Int64) throws(AnnalsError) -> UInt64 {
    try samples(before: time - CommitTimes.coarsest).next
  }

  /// The positions of the newest sample before `time`, and of the one after it.
  ///
  /// - Returns: 1 for both if no sample is before `time`; `next` is the position after the newest entry if
  ///   all are.
  /// - Complexity: O(log of the log's length) look-ups.
  fileprivate func samples(before time: Int64) throws(AnnalsError) -> (newest: UInt64, next: UInt64) {
    guard let last = try newestTimes() else { return (1, 1) }
    var (low, high): (UInt64, UInt64) = (1, last.samples[0].first + 1)
    // The last chunk whose first sample is before `time`.
    var newest: CommitTimes?
    while low < high {
      let middle = low + (high - low) / 2
      guard let chunk = try times(after: middle), chunk.samples[0].time < time else {
        high = middle
        continue
      }
      newest = chunk
      low = chunk.samples[0].first + 1
    }
    guard let newest else { return (1, 1) }
    let count = newest.samples.firstIndex { $0.time >= time } ?? newest.samples.count
    let first = newest.samples[count - 1].first
    if count < newest.samples.count { return (first, newest.samples[count].first) }
    if let next = try times(after: newest.samples[0].first + 1) { return (first, next.samples[0].first) }
    return (first, try self.last() + 1)
  }

  /// The first chunk that begins at `position` or later; `nil` if there is none.
  private func times(after position: UInt64) throws(AnnalsError) -> CommitTimes? {
    var found: CommitTimes?
    try eachTimes(from: position) { (_, chunk) throws(AnnalsError) in
      found = try chunk.get()
      return false
    }
    return found
  }

  /// Calls `body` with each chunk of times that begins at `position` or later, or with the failure to read
  /// it, until `body` returns `false`.
  ///
  /// - Parameter body: It gets the first position of each chunk, according to its name, and the chunk.
  package func eachTimes(
    from position: UInt64, _ body: (UInt64, Result<CommitTimes, AnnalsError>) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let prefix = Array("\(CommitTimes.name) ".utf8)
    let start = Array(CommitTimes.name(from: position).utf8)
    var cursor: Cursor
    do { cursor = try view.cursor(in: tables.meta) } catch { throw AnnalsError(error) }
    var found: LMDB.Row?
    do { found = try cursor.seek(start.span) } catch { throw AnnalsError(error) }
    while let row = found {
      let key = row.key.copied
      guard key.starts(with: prefix) else { return }
      let name = String(decoding: key, as: UTF8.self)
      let chunk: Result<CommitTimes, AnnalsError>
      do throws(AnnalsError) {
        chunk = .success(
          try Self.open(row.value, key: key.span, name: "key '\(name)'", in: tables.meta) {
            (bytes) throws(FormatFailure) in
            let chunk = try CommitTimes(bytes)
            guard chunk.rowName == name else { throw FormatFailure(.value, at: 0) }
            return chunk
          })
      } catch {
        chunk = .failure(error)
      }
      guard try body(CommitTimes.first(inName: name) ?? 0, chunk) else { return }
      found = try cursor.nextRow()
    }
  }

  /// The time by which the commit of an entry had begun, in microseconds since 1970.
  ///
  /// - Returns: The largest number if the store notes no times.
  package func time(begunBy position: Position) throws(AnnalsError) -> Int64 {
    guard let sample = try commit(of: position) else { return .max }
    return sample.time + CommitTimes.resolution
  }

  /// The noted commit that an entry counts as of; `nil` if the store notes no times.
  func commit(of position: Position) throws(AnnalsError) -> CommitTimes.Sample? {
    let chunk = try times(after: timesChunk(of: position.rawValue))
    return chunk?.samples.last { $0.first <= position.rawValue }
  }

  /// The position of the chunk of times that has the commit of `position`; 1 if there is none.
  package func timesChunk(of position: UInt64) throws(AnnalsError) -> UInt64 {
    var cursor: Cursor
    do { cursor = try view.cursor(in: tables.meta) } catch { throw AnnalsError(error) }
    let start = Array(CommitTimes.name(from: position + 1).utf8)
    do throws(EnvironmentError) {
      let row = try cursor.seek(start.span) == nil ? cursor.last() : cursor.previous()
      guard let row else { return 1 }
      return CommitTimes.first(inName: String(decoding: row.key.copied, as: UTF8.self)) ?? 1
    } catch {
      throw AnnalsError(error)
    }
  }
}

/// Finds the noted commits of entries in the order of their positions, and reads each chunk of times once.
package struct CommitSearch: Sendable {
  private var samples: [CommitTimes.Sample] = []
  private var index = 0
  /// The position from which on the next chunk is needed.
  private var end: UInt64 = 0

  package init() {}

  /// Returns the noted commit that an entry counts as of; `nil` if the store notes no times.
  package mutating func commit(
    of position: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> CommitTimes.Sample? {
    if position.rawValue >= end {
      var chunks: [CommitTimes] = []
      try reader.eachTimes(from: reader.timesChunk(of: position.rawValue)) { (_, chunk) throws(AnnalsError) in
        chunks.append(try chunk.get())
        return chunks.count < 2
      }
      samples = chunks.first?.samples ?? []
      index = 0
      end = chunks.count > 1 ? chunks[1].samples[0].first : .max
    }
    while index + 1 < samples.count, samples[index + 1].first <= position.rawValue { index += 1 }
    return samples.isEmpty || samples[index].first > position.rawValue ? nil : samples[index]
  }
}

extension LogSnapshot {
  /// Returns a position from which on every entry is that was committed at `time` or later; `nil` if all are
  /// older by two seconds, or the log is empty.
  ///
  /// A commit counts from its beginning to its end, if that takes at most a second. The times of commits are
  /// noted when they begin, with a resolution of ten milliseconds (one second in earlier libraries), so the
  /// first entries may be up to two seconds older than `time`. All entries before the position are older.
  ///
  /// Noted times never decrease, even when the clock is set back. In a store that an older library made, that
  /// library's entries count as committed at the first commit that noted its time. In a store of a cluster,
  /// the times are those of the shared log, and a machine may get an entry later.
  ///
  /// - Parameter time: A time of this machine's clock, not one that callers gave to events.
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  /// - Complexity: O(log of the log's length) look-ups.
  public func position(committedAtOrAfter time: Timestamp) throws(AnnalsError) -> Position? {
    let time = max(time.microseconds, 0)
    let ended = try reader.samples(before: time - CommitTimes.longest).next
    let position = max(ended, try reader.samples(before: time).newest)
    return try position > reader.last() ? nil : Position(position)
  }
}
