import AnnalsReplication
import Foundation
import Synchronization

/// The messages that a follower has received.
final class Collected: Sendable {
  private let state: Mutex<[ReplicatedMessage]> = Mutex([])

  var messages: [ReplicatedMessage] { state.withLock { $0 } }
  var sequences: [UInt64] { messages.map(\.sequence) }
  var count: Int { state.withLock { $0.count } }
  var last: UInt64 { state.withLock { $0.last?.sequence ?? 0 } }

  func add(_ batch: [ReplicatedMessage]) { state.withLock { $0 += batch } }

  /// Follows a log in a task that ends with the test.
  func follow(_ log: some ReplicatedLog, after sequence: UInt64 = 0) -> Task<Void, any Error> {
    Task { try await log.follow(after: sequence, pace: FollowPace()) { self.add($0) } }
  }
}
