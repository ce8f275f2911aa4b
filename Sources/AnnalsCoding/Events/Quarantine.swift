internal import Synchronization

/// Where a store's readers report the entries that they skip because they cannot be read.
package final class Quarantine: Sendable {
  private let sink: @Sendable (QuarantinedEntry) -> Void
  private let reports = Mutex<UInt64>(0)

  package init(_ report: @escaping @Sendable (QuarantinedEntry) -> Void) {
    sink = report
  }

  /// The number of entries that were skipped.
  package var count: UInt64 { reports.withLock { $0 } }

  /// Counts and reports an entry that is skipped.
  package func report(_ entry: QuarantinedEntry) {
    // The number only ever rises, and no machine reads 2^64 entries.
    reports.withLock { $0 &+= 1 }
    sink(entry)
  }
}
