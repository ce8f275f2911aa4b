internal import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Follows a cluster's log for a member, from its applied sequence on, as long as it is at work.
///
/// Connections end and come back. A consumer may also fall silent without an error: if the log has messages
/// that do not arrive, it is followed again from the same place.
struct Follower: Sendable {
  /// The time between two looks at the log's end.
  private static let look = Duration.seconds(1)
  /// The number of looks without progress after which the log is followed again. A transport with a watchdog
  /// of its own knows more, so it gets the time to act first.
  private static let patience = 30
  /// The rest after a failed attempt.
  private static let rest = Duration.milliseconds(100)

  let log: any ReplicatedLog
  /// The id of the store's log.
  let cluster: UUID
  /// When the next messages are taken.
  let pace: FollowPace
  /// Returns the member, which the task that follows the log does not keep alive.
  let member: @Sendable () -> ClusterMember?

  /// The log has messages that do not arrive.
  private struct Silent: Error {}

  func run() async {
    var isKnown = false
    while !Task.isCancelled, let applied = member()?.applied {
      do {
        if !isKnown {
          try await mustBeOurs()
          isKnown = true
        }
        try await follow(after: applied)
      } catch {
        if let error = error as? AnnalsError {
          if error.underlying is OtherLog { member()?.refuse(error) } else { member()?.noteTrouble(error) }
        }
        do { try await Task.sleep(for: Self.rest) } catch { return }
      }
    }
  }

  private func follow(after sequence: UInt64) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await log.follow(after: sequence, pace: pace) { messages in
          guard let member = member() else { throw CancellationError() }
          try member.take(messages)
        }
      }
      group.addTask { try await watch() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Looks at the log's end now and then.
  ///
  /// - Throws: If nothing arrives although there is something.
  private func watch() async throws {
    var before: UInt64?
    var looks = 0
    while true {
      try await Task.sleep(for: Self.look)
      guard let applied = member()?.applied else { throw CancellationError() }
      let last: UInt64
      do { last = try await log.last(within: Self.look) } catch { continue }
      member()?.noteLast(last)
      // The log answers again.
      if last == applied { member()?.noteTrouble(nil) }
      let isStuck = last > applied && before == applied && member()?.isWaiting == true
      looks = isStuck ? looks + 1 : 0
      if looks >= Self.patience { throw Silent() }
      before = applied
    }
  }

  /// Stops the member if the log is another cluster's.
  private func mustBeOurs() async throws {
    let found: UUID
    do throws(AnnalsError) { (found, _) = try await log.genesis(within: .seconds(10)) } catch {
      if error.code == .foreign || error.code == .needsNewer { member()?.refuse(error) }
      throw error
    }
    guard found != cluster else { return }
    member()?.refuse(
      AnnalsError(
        .foreign,
        "the store's log is \(cluster.uuidString), and the cluster's log is that of \(found.uuidString): open it with the log of its own cluster"
      ))
    throw CancellationError()
  }
}
