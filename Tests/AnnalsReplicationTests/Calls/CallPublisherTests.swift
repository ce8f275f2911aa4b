import AnnalsCoding
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsReplication

/// What becomes of the messages of calls: refused ones, lost ones, and calls that never leave.
@Suite struct CallPublisherTests {
  /// A log that answers as a test says.
  private final class ScriptedLog: ReplicatedLog {
    /// The messages that were published, and the answer to each.
    let published = Mutex<[[UInt8]]>([])
    let answer: @Sendable ([UInt8]) -> Result<UInt64, AnnalsError>?

    init(_ answer: @escaping @Sendable ([UInt8]) -> Result<UInt64, AnnalsError>?) {
      self.answer = answer
    }

    func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
      published.withLock { $0.append(bytes) }
      if let answer = answer(bytes) { return try answer.get() }
      try? await Task.sleep(for: limit)
      throw AnnalsError(.unavailable, "no answer")
    }

    func follow(
      after sequence: UInt64, pace: FollowPace,
      _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
    ) async throws {}
    func last(within limit: Duration) async throws(AnnalsError) -> UInt64 { 0 }
    func erase(_ sequence: UInt64) async throws(AnnalsError) {}
    func announce(_ bytes: [UInt8]) async {}
    func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async {}
  }

  private static let cluster = UUID()

  private func call(_ bytes: Int, within limit: Duration = .seconds(20)) -> PendingCall {
    PendingCall(id: UUID(), .call([UInt8](repeating: 1, count: bytes)), deadline: .now + limit)
  }

  @Test func `calls that are too long together are published in halves, and one that is too long fails`()
    async throws
  {
    let isOpen = Atomic(false)
    let log = ScriptedLog { bytes in
      // Nothing arrives until all calls wait.
      while !isOpen.load(ordering: .acquiring) { usleep(1_000) }
      return bytes.count > 2_000 ? .failure(AnnalsError(.tooLarge, "too long")) : .success(9)
    }
    let publisher = CallPublisher(log, cluster: Self.cluster, applied: 8)
    let first = (0..<CallQueue.places).map { _ in call(10) }
    for call in first { publisher.publish(call) }
    let small = (0..<7).map { _ in call(600) }
    let large = call(3_000)
    for call in small + [large] { publisher.publish(call) }
    isOpen.store(true, ordering: .releasing)
    // Their verdicts make room.
    for call in first { call.answer(.failure(AnnalsError.noVerdict)) }
    publisher.applied(upTo: 8)
    let verdict = await large.wait()
    #expect(throws: AnnalsError.self) { try verdict.get() }
    try await waitUntil {
      let sent = log.published.withLock { $0.filter { $0.count > 600 && $0.count <= 2_000 } }
      return sent.reduce(0) { $0 + $1.count / 600 } >= small.count
    }
    #expect(small.allSatisfy { !$0.isAnswered })
  }

  @Test func `a message that the log has lost is published again with the same bytes`() async throws {
    let count = Atomic(0)
    let log = ScriptedLog { _ in
      .success(UInt64(count.wrappingAdd(1, ordering: .relaxed).newValue) * 10)
    }
    let publisher = CallPublisher(log, cluster: Self.cluster, applied: 0)
    let call = call(10)
    publisher.publish(call)
    try await waitUntil { log.published.withLock { $0.count } == 1 }
    publisher.applied(upTo: 9)
    // The message at the acknowledged sequence was another one.
    publisher.applied(upTo: 10)
    try await waitUntil { log.published.withLock { $0.count } == 2 }
    #expect(log.published.withLock { Set($0).count } == 1)
    call.answer(.failure(AnnalsError.noVerdict))
    publisher.applied(upTo: 20)
    try await Task.sleep(for: .milliseconds(300))
    #expect(log.published.withLock { $0.count } == 2)
  }

  @Test func `a call that has not left by its deadline was not published, and says so`() async throws {
    let log = ScriptedLog { _ in nil }
    let publisher = CallPublisher(log, cluster: Self.cluster, applied: 0)
    let limit = Duration.milliseconds(300)
    let calls = (0..<CallQueue.places + 1).map { _ in call(10, within: limit) }
    for call in calls { publisher.publish(call) }
    let keeping = Task { await publisher.keepDeadlines(limit) { calls.filter { !$0.isAnswered } } }
    defer { keeping.cancel() }
    var messages: [String] = []
    for call in calls {
      guard case .failure(let error) = await call.wait() else { continue }
      #expect(error.code == .unavailable)
      messages.append(error.message)
    }
    #expect(messages.dropLast().allSatisfy { $0.contains("may be stored or not") })
    #expect(messages.last?.contains("nothing was written") == true)
    let sent = log.published.withLock { Set($0).count }
    #expect(sent == 1 || sent == CallQueue.places)
  }
}
