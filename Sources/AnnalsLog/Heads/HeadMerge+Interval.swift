extension HeadMerge {
  /// The interval at which the tail is frozen, which bounds the reading of an open.
  package struct Interval: Sendable {
    /// The number of entries.
    package var entries: UInt64 = 128 << 10
    /// The number of their bytes, if that is reached first.
    package var bytes = 16 << 20

    package init(entries: UInt64 = 128 << 10, bytes: Int = 16 << 20) {
      self.entries = entries
      self.bytes = bytes
    }

    /// The bytes of memory for each entry of an interval. The heads of three and three eighths intervals, and
    /// of three groups, cannot be evicted (docs/durability.md). Indexes and lists take the rest.
    private static let memoryPerEntry = 800
    private static let leastEntries: UInt64 = 1024

    /// Returns the interval at which the heads of the tail fit into `memory` bytes, if this one is longer.
    package func fitting(memory: Int) -> Interval {
      var fitting = self
      fitting.entries = min(entries, max(UInt64(max(memory, 0) / Self.memoryPerEntry), Self.leastEntries))
      return fitting
    }

    /// The maximum number of entries in a group of calls, unless its first call has more.
    var entriesPerGroup: UInt64 { max(entries / 8, Self.leastEntries / 8) }
  }
}
