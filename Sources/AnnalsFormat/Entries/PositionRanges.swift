package import AnnalsCoding

/// A set of positions, as ascending ranges that do not touch.
package struct PositionRanges: Equatable, Sendable {
  package private(set) var ranges: [ClosedRange<UInt64>] = []

  package init() {}

  /// The set of `positions`, which may be in any order and repeat.
  package init(_ positions: some Sequence<Position>) {
    for position in positions.lazy.map(\.rawValue).sorted() { add(position) }
  }

  /// Whether no position is in the set.
  package var isEmpty: Bool { ranges.isEmpty }

  /// The number of positions.
  package var count: UInt64 { ranges.reduce(0) { $0 + UInt64($1.count) } }

  /// Adds a position that is not below any other.
  package mutating func add(_ position: UInt64) {
    if let last = ranges.last, position <= last.upperBound + 1 {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, position)
    } else {
      ranges.append(position...position)
    }
  }

  /// The positions of both sets.
  package func union(_ other: PositionRanges) -> PositionRanges {
    var union = PositionRanges()
    for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      union.add(range.lowerBound)
      // Neighbours have become one range.
      union.extend(to: range.upperBound)
    }
    return union
  }

  /// The positions up to `end`.
  package func prefix(through end: UInt64) -> PositionRanges {
    var prefix = PositionRanges()
    for range in ranges where range.lowerBound <= end {
      prefix.ranges.append(range.lowerBound...min(range.upperBound, end))
    }
    return prefix
  }

  private mutating func extend(to end: UInt64) {
    guard let last = ranges.last, end > last.upperBound else { return }
    ranges[ranges.count - 1] = last.lowerBound...end
  }

  /// Count, then for each range the distance from the end of the one before it, and its length less one;
  /// all varints.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(varint: UInt64(ranges.count))
    var end: UInt64 = 0
    for range in ranges {
      bytes.append(varint: range.lowerBound - end)
      bytes.append(varint: range.upperBound - range.lowerBound)
      end = range.upperBound
    }
  }

  package init(_ reader: inout ByteReader) throws(FormatFailure) {
    var end: UInt64 = 0
    for index in 0..<(try reader.varint()) {
      let start = reader.offset
      let (distance, length) = (try reader.number(), try reader.number())
      // Ranges that touch would be one.
      guard distance > (index == 0 ? 0 : 1), end + distance + length <= FormatRange.maximum else {
        throw FormatFailure(.value, at: start)
      }
      ranges.append(end + distance...end + distance + length)
      end += distance + length
    }
  }
}
