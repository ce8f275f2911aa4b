/// How many entries and bytes of each series fall into equal sections of an axis, for a chart.
package struct EntryDistribution: Sendable, Equatable {
  /// The axis that is divided.
  package enum Axis: String, Sendable {
    /// Positions of the log.
    case position
    /// Times of events, in microseconds since 1970.
    case time
  }

  /// The entries of one section, as many as the sample represents.
  package struct Section: Sendable, Equatable {
    /// Entries by series.
    package fileprivate(set) var entries: [Double]
    /// Bytes by series.
    package fileprivate(set) var bytes: [Double]
  }

  package let axis: Axis
  /// The first value of the axis.
  package let start: Int64
  /// The last value of the axis, inclusive.
  package let end: Int64
  package private(set) var sections: [Section] = []

  /// Distributes a sample over `count` sections; an empty sample has none.
  package init(of sample: EntrySample, over axis: Axis, sections count: Int) {
    let values = sample.entries.map { axis == .time ? $0.time : Int64(clamping: $0.position) }
    self.axis = axis
    let first = axis == .position ? 1 : values.min() ?? 0
    let last = axis == .position ? Int64(clamping: sample.total) : values.max() ?? 0
    (start, end) = (first, last)
    guard !values.isEmpty, count > 0 else { return }
    let none = Array(repeating: 0.0, count: sample.series.count)
    sections = Array(repeating: Section(entries: none, bytes: none), count: count)
    // Of times millennia apart, the difference exceeds 64 bits.
    let length = max(Double(last) - Double(first), 1)
    for (entry, value) in zip(sample.entries, values) {
      let part = (Double(value) - Double(first)) / length * Double(count)
      let index = min(max(Int(part), 0), count - 1)
      sections[index].entries[entry.series] += sample.weight
      sections[index].bytes[entry.series] += sample.weight * Double(entry.bytes)
    }
  }
}
