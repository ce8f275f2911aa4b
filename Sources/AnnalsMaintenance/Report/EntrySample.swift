package import AnnalsCoding

/// Entries of a log at evenly spaced positions, without their payloads.
///
/// A log of up to ``limit`` entries is sampled whole. Of a longer one every n-th entry is taken, so that the
/// work does not grow with the log and each entry represents as many others.
package struct EntrySample: Sendable {
  /// The most entries that a sample has.
  package static let limit = 20_000

  /// One entry.
  package struct Entry: Sendable, Equatable {
    package let position: UInt64
    /// Microseconds since 1970.
    package let time: Int64
    /// The bytes that it takes in the log.
    package let bytes: Int
    /// The index of its type and version in ``EntrySample/series``.
    package let series: Int
    /// The position of the first entry of its stream.
    package let stream: UInt64

    package init(position: UInt64, time: Int64, bytes: Int, series: Int, stream: UInt64) {
      self.position = position
      self.time = time
      self.bytes = bytes
      self.series = series
      self.stream = stream
    }
  }

  /// A record type in one schema version.
  package struct Series: Hashable, Sendable {
    package let type: String
    package let version: SchemaVersion?

    package init(type: String, version: SchemaVersion?) {
      self.type = type
      self.version = version
    }
  }

  /// The number of entries of the log.
  package let total: UInt64
  /// The types and versions that the sample has, in the order in which they appear.
  package private(set) var series: [Series] = []
  /// The entries, in the order of positions.
  package private(set) var entries: [Entry] = []
  /// Why the sample ends before the log; `nil` if it does not.
  package var problem: String?

  /// A sample without entries of a log with `total` entries.
  package init(total: UInt64) {
    self.total = total
  }

  /// Whether the sample has every entry.
  package var isWhole: Bool { total == UInt64(entries.count) }
  /// The number of entries that each entry of the sample represents.
  package var weight: Double { entries.isEmpty ? 0 : Double(total) / Double(entries.count) }

  /// The positions to take of a log with `total` entries, in order.
  package static func positions(of total: UInt64, limit: Int = limit) -> [UInt64] {
    let count = min(total, UInt64(clamping: limit))
    // Multiplied at full width: the product of a long log and the limit may exceed 64 bits.
    return (0..<count).map { index in
      let product = index.multipliedFullWidth(by: total)
      return count.dividingFullWidth(product).quotient + 1
    }
  }

  /// Returns the index of a type and version.
  package mutating func index(of wanted: Series) -> Int {
    if let index = series.firstIndex(of: wanted) { return index }
    series.append(wanted)
    return series.count - 1
  }

  /// Adds the next entry.
  package mutating func add(_ entry: Entry) { entries.append(entry) }
}
