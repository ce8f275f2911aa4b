import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A counter of the users of LMDB's environment: its live transactions, and calls outside of any. The map or
/// the environment is only replaced while there are none.
///
/// LMDB also replaces a map under live transactions, whose pages are then gone: the process crashes at the
/// next read (SIGBUS).
struct MapGate: ~Copyable, Sendable {
  /// The number of users, and whether new ones must wait.
  private let state = Atomic(0)
  private static let closed = 1 << 62
  /// The microseconds between two checks of a gate that is closed for a moment.
  private static let pause: UInt32 = 50

  /// Counts one more user, after a pending replacement of the map or the environment.
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

  /// Counts one user less.
  func leave() {
    state.subtract(1, ordering: .releasing)
  }

  /// Makes new users wait until the counted ones have ended.
  ///
  /// - Parameter limit: The longest time to wait for them. A thread that begins a transaction inside another
  ///   one makes it wait forever.
  /// - Returns: Whether there are none, and the gate is closed until ``open()``; if not, nothing has changed.
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
