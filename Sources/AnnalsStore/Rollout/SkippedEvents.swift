internal import AnnalsLog
import Synchronization

/// Counts the events of types that only newer versions have, which a store's readers have skipped.
package final class SkippedEvents: Sendable {
  private let skips = Atomic<UInt64>(0)

  /// Creates the counter that the options of an open request; `nil` if readers stop.
  init?(_ newerTypes: StoreOptions.NewerTypes) {
    guard newerTypes == .skip else { return nil }
  }

  var count: UInt64 { skips.load(ordering: .relaxed) }

  /// The number only ever rises, and no machine reads 2^64 events.
  func add() { skips.wrappingAdd(1, ordering: .relaxed) }
}
