import AnnalsCoding
import AnnalsTestSupport
import Foundation
import Synchronization

@testable import AnnalsReplication

/// A connection over which calls of a shared message sometimes come in another message as well: alone, in
/// another order, or next to bytes that are no call.
final class RegroupingLog: ReplicatedLog {
  private let connection: MemoryLog.Connection
  private let random: Mutex<SeededGenerator>

  init(_ connection: MemoryLog.Connection, seed: UInt64) {
    self.connection = connection
    random = Mutex(SeededGenerator(seed: seed &* 13))
  }

  func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
    guard let other = random.withLock({ Self.regrouped(bytes, &$0) }) else {
      return try await connection.publish(bytes, id: id, within: limit)
    }
    let isFirst = random.withLock { Bool.random(using: &$0) }
    if isFirst { _ = try? await connection.publish(other, id: UUID(), within: limit) }
    let sequence = try await connection.publish(bytes, id: id, within: limit)
    if !isFirst { _ = try? await connection.publish(other, id: UUID(), within: limit) }
    return sequence
  }

  /// Returns another message with some of the calls of one; `nil` for most messages.
  private static func regrouped(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
    guard Int.random(in: 0..<3, using: &random) == 0,
      case .message(let message) = DecodedMessage(bytes, time: 0, ShapeMemory()),
      case .calls(let calls) = message.body
    else { return nil }
    var chosen = calls.map(\.bytes).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
    // The same call twice in one message.
    if let first = chosen.first, Bool.random(using: &random) { chosen.append(first) }
    if Bool.random(using: &random) {
      chosen.insert([0xff, 0x01], at: Int.random(in: 0...chosen.count, using: &random))
    }
    return chosen.isEmpty ? nil : ClusterMessage.bytes(of: chosen, log: message.log)
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
