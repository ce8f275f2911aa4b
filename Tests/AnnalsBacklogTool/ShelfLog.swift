import AnnalsCoding
import AnnalsReplication
import Foundation
import Synchronization

/// A log in memory, whose messages are there or come from one process.
final class ShelfLog: ReplicatedLog {
  /// The most messages that a machine gets at a time, as over servers.
  private static let batch = 4_000

  private let list: Mutex<[ReplicatedMessage]>

  init(_ messages: [ReplicatedMessage] = []) {
    list = Mutex(messages)
  }

  var messages: [ReplicatedMessage] { list.withLock { $0 } }

  /// Returns a message with the time of its place: half a millisecond after the one before.
  static func message(_ bytes: [UInt8], at sequence: UInt64) -> ReplicatedMessage {
    ReplicatedMessage(
      sequence: sequence, time: 1_700_000_000_000_000 + Int64(sequence) * 500, bytes: bytes)
  }

  func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
    list.withLock { list in
      list.append(Self.message(bytes, at: UInt64(list.count + 1)))
      return UInt64(list.count)
    }
  }

  func follow(
    after sequence: UInt64, pace: FollowPace,
    _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
  ) async throws {
    var last = Int(sequence)
    while true {
      try Task.checkCancellation()
      let start = last
      let found = list.withLock { list in Array(list[start..<min(start + Self.batch, list.count)]) }
      if found.isEmpty {
        try await Task.sleep(for: .microseconds(200))
        continue
      }
      try receive(found)
      last += found.count
    }
  }

  func last(within limit: Duration) async throws(AnnalsError) -> UInt64 { UInt64(messages.count) }

  func erase(_ sequence: UInt64) async throws(AnnalsError) {}

  func announce(_ bytes: [UInt8]) async {}

  func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async {
    try? await Task.sleep(for: .seconds(86_400))
  }
}
