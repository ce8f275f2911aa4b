extension HeadMerge {
  /// When the tail is frozen: it bounds what an open has to read.
  struct Interval: Sendable {
    /// After so many entries.
    var entries: UInt64 = 128 << 10
    /// Or so many bytes of them.
    var bytes = 16 << 20

    /// The bytes of memory for each entry of an interval. Heads of two intervals and five eighths and of
    /// three groups cannot make room for others (docs/durability.md). Indexes and lists take the rest.
    private static let memoryPerEntry = 640
    private static let leastEntries: UInt64 = 1024

    /// The interval that lets the heads of the tail fit into `memory` bytes, where this one is longer.
    func fitting(memory: Int) -> Interval {
      var fitting = self
      fitting.entries = min(entries, max(UInt64(max(memory, 0) / Self.memoryPerEntry), Self.leastEntries))
      return fitting
    }

    /// How many entries a group of calls may have, unless its first call has more.
    var entriesPerGroup: UInt64 { max(entries / 8, Self.leastEntries / 8) }
  }
}
