import AnnalsCoding
import AnnalsReplication
import Foundation
import Synchronization

/// A connection whose next message comes into the log after another one, which the writer does not know yet.
final class OvertakenLog: ReplicatedLog {
  private let connection: MemoryLog.Connection
  private let first = Mutex<[UInt8]?>(nil)

  init(_ connection: MemoryLog.Connection) {
    self.connection = connection
  }

  func overtake(by message: [UInt8]) { first.withLock { $0 = message } }

  func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
    let other = first.withLock { first in
      defer { first = nil }
      return first
    }
    if let other { _ = try await connection.publish(other, id: UUID(), within: limit) }
    return try await connection.publish(bytes, id: id, within: limit)
  }

  func follow(
    after sequence: UInt64, pace: FollowPace,
    _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
  ) async throws {
    try await connection.follow(after: sequence, pace: pace, receive)
  }

  func last(within limit: Duration) async throws(AnnalsError) -> UInt64 {
    try await connection.last(within: limit)
  }

  func erase(_ sequence: UInt64) async throws(AnnalsError) { try await connection.erase(sequence) }

  func announce(_ bytes: [UInt8]) async { await connection.announce(bytes) }

  func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async {
    await connection.announcements(receive)
  }
}
