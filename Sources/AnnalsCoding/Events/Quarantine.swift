internal import Synchronization

/// A counter and destination for reports of entries that a store's readers skip because they cannot be read.
package final class Quarantine: Sendable {
  private let sink: @Sendable (QuarantinedEntry) -> Void
  private let reports = Mutex<UInt64>(0)

  package init(_ report: @escaping @Sendable (QuarantinedEntry) -> Void) {
    sink = report
  }

  /// The number of entries that were skipped.
  package var count: UInt64 { reports.withLock { $0 } }

  /// Counts and reports a skipped entry.
  package func report(_ entry: QuarantinedEntry) {
    // The number only rises, and no machine reads 2^64 entries.
    reports.withLock { $0 &+= 1 }
    sink(entry)
  }
}
