import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Counts who uses LMDB's environment: its live transactions, and calls outside of any. The map, or the environment, is replaced only while there
/// is nobody.
///
/// LMDB replaces a map under live transactions too, whose pages are then gone: the process ends at the next read (SIGBUS).
struct MapGate: ~Copyable, Sendable {
  /// How many there are, and whether more have to wait.
  private let state = Atomic(0)
  private static let closed = 1 << 62
  /// How many microseconds lie between two looks at a gate that is closed for a moment.
  private static let pause: UInt32 = 50

  /// Counts one more, after the map or the environment was replaced if that is under way.
  func enter() {
    var known = state.load(ordering: .relaxed)
    while true {
      guard known & Self.closed == 0 else {
        usleep(Self.pause)
        known = state.load(ordering: .relaxed)
        continue
      }
      let (done, original) = state.weakCompareExchange(
        expected: known, desired: known + 1, ordering: .acquiring)
      if done { return }
      known = original
    }
  }

  /// Counts one less.
  func leave() {
    state.subtract(1, ordering: .releasing)
  }

  /// Keeps new ones waiting until those that are counted have ended.
  ///
  /// - Parameter limit: How long it waits for them. A thread that begins a transaction inside another one keeps it waiting for ever.
  /// - Returns: Whether there are none, and the gate is closed until ``open()``; if not, it is as before.
  func close(within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while state.bitwiseOr(Self.closed, ordering: .acquiring).oldValue & Self.closed != 0 {
      // Another thread replaces the map.
      if ContinuousClock.now >= deadline { return false }
      usleep(Self.pause)
    }
    while state.load(ordering: .acquiring) != Self.closed {
      if ContinuousClock.now >= deadline {
        open()
        return false
      }
      usleep(Self.pause)
    }
    return true
  }

  /// Lets transactions begin again.
  func open() {
    state.bitwiseAnd(~Self.closed, ordering: .releasing)
  }
}
