import AnnalsCoding
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster

/// A shared log that three servers keep.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct ThreeServerTests {
  private let servers: NATSServers

  init() throws {
    servers = try NATSServers(3)
  }

  @Test(.timeLimit(.minutes(10)))
  func `no acknowledged message is lost or stored twice while leaders are killed`() async throws {
    let log = try JetStreamLog(servers.address(), creates: true)
    let other = try JetStreamLog(servers.address(), creates: true)
    _ = try await log.publish([0], id: UUID(), within: .seconds(150))
    let first = Collected()
    let second = Collected()
    let followers = [first.follow(log), second.follow(other)]
    defer { for follower in followers { follower.cancel() } }
    let acknowledged = Acknowledged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var number: UInt32 = 0
          while !acknowledged.isOver, number < 5_000 {
            let bytes = [UInt8(writer), UInt8(number >> 8), UInt8(number & 255)]
            let target = writer % 2 == 0 ? log : other
            let sequence = try await target.publish(bytes, id: UUID(), within: .seconds(150))
            #expect(acknowledged.add(bytes, at: sequence), "two messages have sequence \(sequence)")
            number += 1
          }
        }
      }
      for _ in 0..<2 {
        try await Task.sleep(for: .seconds(2))
        let leader = try await servers.leader(of: log)
        servers.kill(leader)
        try await Task.sleep(for: .seconds(3))
        try servers.start(leader)
        _ = try await log.publish([9], id: UUID(), within: .seconds(150))
      }
      acknowledged.end()
      try await group.waitForAll()
    }
    let last = try await log.last(within: .seconds(150))
    try await waitUntil { first.last == last && second.last == last }
    #expect(first.sequences == Array(1...last))
    #expect(first.sequences == second.sequences)
    #expect(first.messages.map(\.bytes) == second.messages.map(\.bytes))
    let expected = acknowledged.messages
    #expect(expected.count > 100)
    var wrong = 0
    for (sequence, bytes) in expected where first.messages[Int(sequence) - 1].bytes != bytes { wrong += 1 }
    #expect(wrong == 0)
    await log.close()
    await other.close()
  }

  @Test(.timeLimit(.minutes(10)))
  func `without a quorum an append fails within its deadline, and succeeds when servers are back`()
    async throws
  {
    let log = try JetStreamLog(servers.address(), creates: true)
    _ = try await log.publish([1], id: UUID(), within: .seconds(150))
    servers.kill(0)
    servers.kill(1)
    let id = UUID()
    let start = ContinuousClock.now
    do throws(AnnalsError) {
      _ = try await log.publish([2], id: id, within: .seconds(3))
      Issue.record("published")
    } catch {
      #expect(error.code == .unavailable)
    }
    #expect(ContinuousClock.now - start < .seconds(5))
    try servers.start(0)
    try servers.start(1)
    let sequence = try await log.publish([2], id: id, within: .seconds(150))
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.last >= sequence }
    // Tries without an answer may be stored as well.
    #expect(all.messages.dropFirst().allSatisfy { $0.bytes == [2] })
    await log.close()
  }

  @Test(.timeLimit(.minutes(10)))
  func `a server that comes back with an empty directory copies the log from the others`() async throws {
    let log = try JetStreamLog(servers.address(), creates: true)
    for number in 1...20 { _ = try await log.publish([UInt8(number)], id: UUID(), within: .seconds(150)) }
    servers.kill(0)
    try servers.wipe(0)
    try servers.start(0)
    for number in 21...30 { _ = try await log.publish([UInt8(number)], id: UUID(), within: .seconds(150)) }
    // The copy needs some time; without it the loss of another server stops the log.
    try await Task.sleep(for: .seconds(10))
    servers.kill(1)
    let sequence = try await log.publish([31], id: UUID(), within: .seconds(150))
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.last >= sequence }
    // Tries without an answer may be stored as well. The first copy counts.
    var bytes: [[UInt8]] = []
    for message in all.messages where !bytes.contains(message.bytes) { bytes.append(message.bytes) }
    #expect(bytes == (1...31).map { [UInt8($0)] })
    await log.close()
  }

  @Test(.timeLimit(.minutes(10)))
  func `a follower whose connections are cut goes on without a gap`() async throws {
    let log = try JetStreamLog(servers.address(), creates: true)
    _ = try await log.publish([0], id: UUID(), within: .seconds(150))
    let proxies = try servers.ports.map { try LoopbackProxy(to: $0) }
    for proxy in proxies { proxy.start() }
    defer { for proxy in proxies { proxy.close() } }
    let far = try JetStreamLog(servers.address(ports: proxies.map(\.port)), creates: false)
    let all = Collected()
    let task = all.follow(far)
    defer { task.cancel() }
    try await waitUntil { all.count == 1 }
    for round in 1...4 {
      for proxy in proxies { proxy.cut() }
      for number in 0..<50 {
        _ = try await log.publish([UInt8(round), UInt8(number)], id: UUID(), within: .seconds(150))
      }
      for proxy in proxies { proxy.restore() }
      try await waitUntil { all.count >= 1 + round * 50 }
    }
    #expect(all.sequences == Array(1...201))
    await far.close()
    await log.close()
  }

  @Test(.timeLimit(.minutes(10)))
  func `a follower of a paused server notices that messages do not come and subscribes again`() async throws {
    let log = try JetStreamLog(servers.address(), creates: true)
    _ = try await log.publish([0], id: UUID(), within: .seconds(150))
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 1 }
    for paused in 0..<3 {
      let differences = log.differences
      servers.pause(paused)
      let sequence = try await log.publish([UInt8(paused)], id: UUID(), within: .seconds(150))
      // A server that led and was paused may have stored a message that the others replaced. Then the
      // copies of the two that run can differ, and the third decides.
      try await waitUntil { all.last >= sequence || log.differences > differences }
      servers.resume(paused)
      _ = try await log.publish([UInt8(paused), 1], id: UUID(), within: .seconds(150))
    }
    let last = try await log.last(within: .seconds(150))
    try await waitUntil { all.last >= last }
    // Tries without an answer may still be stored, after the last one that was asked for.
    let sequences = all.sequences
    #expect(sequences == Array(1...(sequences.last ?? 0)))
    await log.close()
  }
}
