package import AnnalsCoding

/// The times of commits, as rows of `meta`: at most one a second.
///
/// A sample is the first position of a commit and its time. The next commit that begins a second later or
/// more adds one. So every entry from a sample up to the next was committed within a second after its time.
/// The first sample has position 1, and is of the moment from which on a store notes times.
package struct CommitTimes: Equatable, Sendable {
  /// The name of the row that leads to the newest chunk, and the prefix of the names of all chunks.
  package static let name = "times"
  /// The time after which a commit adds a sample, in microseconds.
  package static let resolution: Int64 = 1_000_000
  /// The number of samples in a chunk.
  static let limit = 256

  /// A sample.
  package struct Sample: Equatable, Sendable {
    /// The first position of the commit.
    package var first: UInt64
    /// The time of the commit in microseconds since 1970; never less than that of the sample before.
    package var time: Int64
  }

  package private(set) var samples: [Sample]

  package init(_ first: Sample) {
    samples = [first]
  }

  /// Returns the name of the chunk whose first sample has this position, in 16 hexadecimal digits.
  static func name(from position: UInt64) -> String {
    "\(name) \(RowNumber.text(position))"
  }

  /// The chunk's name.
  var rowName: String { Self.name(from: samples[0].first) }

  /// Whether another sample needs a new chunk.
  var isFull: Bool { samples.count >= Self.limit }

  /// Adds a sample after all others.
  mutating func add(_ sample: Sample) { samples.append(sample) }

  /// Count, then position and time of each, less those of the one before; all varints.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(samples.count))
    var last = Sample(first: 0, time: 0)
    for sample in samples {
      bytes.append(varint: sample.first - last.first)
      bytes.append(varint: UInt64(max(sample.time - last.time, 0)))
      last = sample
    }
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    var last = Sample(first: 0, time: 0)
    samples = []
    let count = try reader.number()
    guard (1...UInt64(Self.limit)).contains(count) else { throw FormatFailure(.value, at: 0) }
    for _ in 0..<count {
      let start = reader.offset
      let (distance, time) = (try reader.number(), try reader.number())
      guard distance > 0, last.first + distance <= FormatRange.maximum,
        time <= UInt64(Int64.max - last.time)
      else { throw FormatFailure(.value, at: start) }
      last = Sample(first: last.first + distance, time: last.time + Int64(time))
      samples.append(last)
    }
    try reader.finish()
  }
}

extension StoreReader {
  /// The newest chunk of times; `nil` if the store notes none.
  func newestTimes() throws(AnnalsError) -> CommitTimes? {
    let first = try row(CommitTimes.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let first = try reader.number(in: FormatRange.positions)
      try reader.finish()
      return first
    }
    guard let first else { return nil }
    return try chunkOfTimes(CommitTimes.name(from: first))
  }

  /// The rows of the chunks of times, oldest first, and of what leads to the newest one.
  ///
  /// - Parameter position: Chunks that end before it are left out.
  package func times(from position: UInt64 = 0) throws(AnnalsError) -> [(name: String, value: [UInt8])] {
    let names = try namesOfTimes()
    let start = names.lastIndex { $0 <= CommitTimes.name(from: max(position, 1)) } ?? 0
    var rows: [(name: String, value: [UInt8])] = []
    for name in names[min(start, names.count)...] + [CommitTimes.name] {
      let value = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
      if let value { rows.append((name, value)) }
    }
    return rows
  }

  /// The position before which all entries were certainly committed before `time`, as far as the store knows.
  ///
  /// - Returns: 1 if none was; the position after the newest entry if all were.
  package func end(committedBefore time: Int64) throws(AnnalsError) -> UInt64 {
    var end: UInt64 = 1
    var isPast = false
    for name in try chunksOfTimes(around: time) {
      for sample in try chunkOfTimes(name).samples {
        if isPast { end = sample.first }
        isPast = sample.time < time - CommitTimes.resolution
        if !isPast { return end }
      }
    }
    return isPast ? try last() + 1 : end
  }

  /// The names of the chunks from the last one whose first sample is past at `time`, or from the first one.
  ///
  /// - Complexity: O(chunks) for their names, and O(log of their number) of them read.
  private func chunksOfTimes(around time: Int64) throws(AnnalsError) -> ArraySlice<String> {
    let names = try namesOfTimes()
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      let first = try chunkOfTimes(names[middle]).samples[0]
      if first.time < time - CommitTimes.resolution { low = middle + 1 } else { high = middle }
    }
    return names[max(low - 1, 0)...]
  }

  private func namesOfTimes() throws(AnnalsError) -> [String] {
    var names: [String] = []
    try eachMetaName(beginningWith: CommitTimes.name + " ") { names.append($0) }
    return names
  }

  private func chunkOfTimes(_ name: String) throws(AnnalsError) -> CommitTimes {
    let chunk = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in try CommitTimes(bytes) }
    guard let chunk else { throw AnnalsError(missingMeta: name) }
    return chunk
  }
}
