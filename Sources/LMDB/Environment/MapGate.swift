import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Counts the live transactions of an environment, so that its map is replaced only while there are none.
///
/// LMDB replaces it under live ones too, whose pages are then gone: the process ends at the next read (SIGBUS).
struct MapGate: ~Copyable, Sendable {
  /// How many transactions live, and whether more have to wait.
  private let state = Atomic(0)
  private static let closed = 1 << 62
  /// How many microseconds lie between two looks at a gate that is closed for a moment.
  private static let pause: UInt32 = 50

  /// Counts one more transaction, after the map was replaced if that is under way.
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

  /// Counts one transaction less.
  func leave() {
    state.subtract(1, ordering: .releasing)
  }

  /// Keeps new transactions waiting until those that live have ended.
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
