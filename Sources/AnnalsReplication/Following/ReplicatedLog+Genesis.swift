internal import AnnalsCoding
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The first message once it has arrived, or the reason for which it does not.
private final class FirstMessage: Sendable {
  private let result = Mutex<Result<ReplicatedMessage?, AnnalsError>>(.success(nil))

  var value: ReplicatedMessage? {
    get throws(AnnalsError) { try result.withLock { $0 }.get() }
  }

  func set(_ value: Result<ReplicatedMessage?, AnnalsError>) { result.withLock { $0 = value } }
}

/// Ends the following of a log whose first message is known.
private struct FirstMessageFound: Error {}

extension ReplicatedLog {
  /// Reads the first message of the log, which says what the stores of the cluster have in common.
  ///
  /// - Returns: The id of the stores' log, and the genesis.
  /// - Throws: ``AnnalsError`` with code `unavailable` if it does not arrive in time; `needsNewer`, or
  ///   `foreign` if the log begins with anything else; what following the log throws, as `noSuchStore`.
  func genesis(within limit: Duration) async throws(AnnalsError) -> (log: UUID, genesis: Genesis) {
    guard let first = try await first(within: limit) else {
      throw AnnalsError(
        .unavailable, "the cluster's log did not answer in time; nothing was written: try again")
    }
    switch DecodedMessage(first.bytes, time: first.time, ShapeMemory()) {
    case .message(let message):
      if first.sequence == 1, case .genesis(let genesis) = message.body { return (message.log, genesis) }
    case .later(let format):
      throw AnnalsError(
        .needsNewer,
        "the cluster's log begins with format \(format), and this program reads up to \(ClusterMessage.format): use a newer version of the library"
      )
    case .void: break
    }
    throw AnnalsError(
      .foreign,
      "the log does not begin as that of a cluster: it belongs to another program, or its first message was removed"
    )
  }

  private func first(within limit: Duration) async throws(AnnalsError) -> ReplicatedMessage? {
    let found = FirstMessage()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await follow(after: 0, pace: FollowPace()) { messages in
            guard let first = messages.first else { return }
            found.set(.success(first))
            throw FirstMessageFound()
          }
        } catch {
          if let error = error as? AnnalsError { found.set(.failure(error)) }
        }
      }
      group.addTask { do { try await Task.sleep(for: limit) } catch {} }
      await group.next()
      group.cancelAll()
    }
    return try found.value
  }
}
