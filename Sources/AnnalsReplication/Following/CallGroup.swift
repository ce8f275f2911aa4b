internal import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Calls of this process that share a message, or one call with a message of its own.
final class CallGroup: Sendable {
  /// The id under which the message is published.
  let id: UUID
  /// The message, which is published again with the same bytes.
  let message: [UInt8]
  let calls: [PendingCall]

  /// Creates the message of some calls.
  ///
  /// - Parameter log: The id of the cluster's log.
  init(_ calls: [PendingCall], log: UUID) {
    self.calls = calls
    if calls.count == 1 {
      id = calls[0].id
    } else {
      id = UUID.random()
    }
    message =
      switch calls[0].content {
      case .message(let message): message
      case .call: ClusterMessage.bytes(of: calls.map(\.content.bytes), log: log)
      }
  }

  /// Whether all callers have their verdicts.
  var isAnswered: Bool { calls.allSatisfy(\.isAnswered) }

  /// The time at which the last caller stops to wait.
  var deadline: ContinuousClock.Instant { calls.map(\.deadline).max() ?? .now }
}
