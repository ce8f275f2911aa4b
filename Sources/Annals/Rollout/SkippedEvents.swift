import Synchronization

/// How often a store's readers have passed over an event of a type that only newer versions have.
final class SkippedEvents: Sendable {
  private let skips = Atomic<UInt64>(0)

  /// What the options of an open ask for; `nil` where readers stop.
  init?(_ newerTypes: StoreOptions.NewerTypes) {
    guard newerTypes == .skip else { return nil }
  }

  var count: UInt64 { skips.load(ordering: .relaxed) }

  /// The number only ever rises, and no machine reads 2^64 events.
  func add() { skips.wrappingAdd(1, ordering: .relaxed) }
}
