package import AnnalsCoding

/// The times of commits, as rows of `meta`: at most one in ten milliseconds.
///
/// A sample is the first position of a commit and its time. The next commit that begins ten milliseconds
/// later or more adds one, so that most commits write no further page. The commits of the entries from a
/// sample up to the next began within ten milliseconds after its time, or while the clock was set back. They
/// may have taken longer, but had all ended by the time of the next sample.
///
/// The first sample has position 1. In a store that an older library made, it is of the first commit that
/// noted its time.
package struct CommitTimes: Equatable, Sendable {
  /// The name of the row that leads to the newest chunk, and the prefix of the names of all chunks.
  package static let name = "times"
  /// The time after which a commit adds a sample, in microseconds.
  package static let resolution: Int64 = 10_000
  /// The longest such time of any library that noted times.
  package static let coarsest: Int64 = 1_000_000
  /// The time after a sample when all of its commits have ended, if each takes a second at most.
  package static let longest: Int64 = 2_000_000
  /// The largest number of samples in a chunk.
  package static let limit = 256
  /// The number of samples after which a new chunk begins. Each sample writes its whole chunk again.
  package static let full = 64

  /// A sample.
  package struct Sample: Equatable, Sendable {
    /// The first position of the commit.
    package var first: UInt64
    /// The time of the commit in microseconds since 1970; never less than that of the sample before.
    package var time: Int64

    package init(first: UInt64, time: Int64) {
      self.first = first
      self.time = time
    }
  }

  package private(set) var samples: [Sample]

  /// The newest sample.
  package var newest: Sample { samples[samples.count - 1] }

  package init(_ first: Sample) {
    samples = [first]
  }

  /// Returns the name of the chunk whose first sample has this position, in 16 hexadecimal digits.
  package static func name(from position: UInt64) -> String {
    "\(name) \(RowNumber.text(position))"
  }

  /// Returns the first position of the chunk with a name; `nil` if it is not the name of one.
  package static func first(inName name: String) -> UInt64? {
    let digits = name.utf8.count - Self.name.utf8.count - 1
    guard digits == 16, name.hasPrefix(Self.name + " ") else { return nil }
    return UInt64(name.suffix(digits), radix: 16)
  }

  /// Returns the first position of the newest chunk, which the row `times` has.
  package static func first(inPointer bytes: Span<UInt8>) throws(FormatFailure) -> UInt64 {
    var reader = ByteReader(bytes)
    let first = try reader.number(in: FormatRange.positions)
    try reader.finish()
    return first
  }

  /// Returns the row that leads to the chunk.
  package var pointer: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: samples[0].first)
    return bytes
  }

  /// The chunk's name.
  package var rowName: String { Self.name(from: samples[0].first) }

  /// Whether another sample needs a new chunk.
  package var isFull: Bool { samples.count >= Self.full }

  /// What of the chunk cannot be so; `nil` for nothing.
  ///
  /// - Parameters:
  ///   - before: The newest sample of the chunk before; `nil` for the first chunk.
  ///   - last: The newest position of the log.
  package func problem(after before: Sample?, last: UInt64) -> String? {
    if let before, samples[0].first <= before.first || samples[0].time < before.time {
      return "it begins before the end of the row before it"
    }
    if before == nil, samples[0].first != 1 { return "no row has the times from position 1 on" }
    if newest.first > last { return "it says \(newest.first), and the log ends at \(last)" }
    return nil
  }

  /// Adds a sample after all others.
  package mutating func add(_ sample: Sample) { samples.append(sample) }

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
