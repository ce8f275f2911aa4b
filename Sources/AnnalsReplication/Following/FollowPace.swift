internal import LMDB

/// When a machine takes the next messages of a log: at once while somebody waits for them, and otherwise in
/// groups.
///
/// Each message that wakes a thread, and each transaction with its flush, costs more than the call in it. So
/// after a few messages a machine on which nobody waits rests for a moment, and takes what has come since.
package final class FollowPace: Sendable {
  /// The longest rest in nanoseconds: about how much later other programs of this machine see an event.
  private static let rest = 5_000_000
  /// The most messages, and bytes of them, after which a machine rests. One that has more to catch up does
  /// not.
  private static let few = (messages: 64, bytes: 64 << 10)

  /// The number of those who wait.
  private let waiting = Monitor(0)

  /// Creates the pace of a machine on which nobody waits.
  package init() {}

  /// Notes that somebody waits for messages, and ends the rest.
  func begin() {
    waiting.withLock { $0 += 1 }
    waiting.wake()
  }

  /// Notes that somebody who has waited does not any more.
  func end() { waiting.withLock { $0 -= 1 } }

  /// Blocks the calling thread for the rest after so many messages, at most until somebody waits.
  package func rest(after messages: Int, bytes: Int) {
    guard messages > 0, messages <= Self.few.messages, bytes <= Self.few.bytes else { return }
    _ = waiting.wait(upTo: Self.rest) { $0 > 0 ? true : nil }
  }
}
