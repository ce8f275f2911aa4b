import AnnalsCoding
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster

/// A shared log on one server.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct SingleServerTests {
  private let servers: NATSServers

  init() throws {
    servers = try NATSServers(1)
  }

  private func log(creates: Bool = true) throws -> JetStreamLog {
    try JetStreamLog(servers.address(), creates: creates)
  }

  @Test func `messages have sequences from 1 on, and every follower receives them in order with their times`()
    async throws
  {
    let log = try log()
    #expect(try await log.last(within: .seconds(10)) == 0)
    let before = Int64(Date().timeIntervalSince1970 * 1e6)
    for number in 1...20 {
      let sequence = try await log.publish([UInt8(number), 0, 255], id: UUID(), within: .seconds(10))
      #expect(sequence == UInt64(number))
    }
    #expect(try await log.last(within: .seconds(10)) == 20)
    let all = Collected()
    let late = Collected()
    let tasks = [all.follow(log), late.follow(log, after: 15)]
    defer { for task in tasks { task.cancel() } }
    try await waitUntil { all.count == 20 && late.count == 5 }
    #expect(all.messages.map(\.bytes) == (1...20).map { [UInt8($0), 0, 255] })
    #expect(all.sequences == Array(1...20))
    #expect(late.sequences == Array(16...20))
    let after = Int64(Date().timeIntervalSince1970 * 1e6)
    let times = all.messages.map(\.time)
    #expect(times == times.sorted())
    #expect(times.allSatisfy { ($0 >= before - 1) && ($0 <= after + 1) })
    // A live message arrives too.
    #expect(try await log.publish([], id: UUID(), within: .seconds(10)) == 21)
    try await waitUntil { all.last == 21 && late.last == 21 }
    await log.close()
  }

  @Test func `a message with an id that is there is stored again, because only machines recognise it`()
    async throws
  {
    let log = try log()
    let id = UUID()
    for sequence in 1...3 {
      #expect(try await log.publish([1], id: id, within: .seconds(10)) == UInt64(sequence))
    }
    #expect(try await log.last(within: .seconds(10)) == 3)
    await log.close()
  }

  @Test func `sixteen publishers at once get different sequences, and all messages arrive once`() async throws
  {
    let log = try log()
    let sequences = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for writer in 0..<16 {
        group.addTask {
          var mine: [UInt64] = []
          for number in 0..<50 {
            mine.append(
              try await log.publish([UInt8(writer), UInt8(number)], id: UUID(), within: .seconds(30)))
          }
          return mine
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(sequences) == Set(1...800))
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 800 }
    #expect(all.sequences == Array(1...800))
    await log.close()
  }

  @Test func `an erased message is gone at the server, and followers receive an empty one in its place`()
    async throws
  {
    let log = try log()
    for number in 1...6 { _ = try await log.publish([UInt8(number)], id: UUID(), within: .seconds(10)) }
    for sequence: UInt64 in [2, 3, 6] { try await log.erase(sequence) }
    // Erased before: nothing is left to do.
    try await log.erase(2)
    #expect(try await log.last(within: .seconds(10)) == 6)
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 6 }
    #expect(all.sequences == Array(1...6))
    #expect(all.messages.map(\.bytes) == [[1], [], [], [4], [5], []])
    #expect(try await log.publish([7], id: UUID(), within: .seconds(10)) == 7)
    try await waitUntil { all.last == 7 }
    await log.close()
  }

  @Test func `a follower goes on where it was after the server was killed`() async throws {
    let log = try log()
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    for number in 1...5 { _ = try await log.publish([UInt8(number)], id: UUID(), within: .seconds(10)) }
    try await waitUntil { all.count == 5 }
    servers.kill(0)
    let waiting = Task { try await log.publish([6], id: UUID(), within: .seconds(30)) }
    try await Task.sleep(for: .milliseconds(500))
    try servers.start(0)
    #expect(try await waiting.value == 6)
    for number in 7...9 { _ = try await log.publish([UInt8(number)], id: UUID(), within: .seconds(30)) }
    try await waitUntil { all.count >= 9 }
    #expect(all.sequences == Array(1...9))
    await log.close()
  }

  @Test func `without a server an append fails within its deadline and says that nothing is stored`()
    async throws
  {
    servers.kill(0)
    let log = try log()
    let start = ContinuousClock.now
    do throws(AnnalsError) {
      _ = try await log.publish([1], id: UUID(), within: .milliseconds(700))
      Issue.record("published")
    } catch {
      #expect(error.code == .unavailable)
      #expect(error.message.contains("nothing is stored"))
    }
    do throws(AnnalsError) {
      _ = try await log.last(within: .milliseconds(700))
      Issue.record("answered")
    } catch {
      #expect(error.code == .unavailable)
    }
    #expect(ContinuousClock.now - start < .seconds(5))
    try servers.start(0)
    #expect(try await log.publish([1], id: UUID(), within: .seconds(20)) == 1)
    await log.close()
  }

  @Test func `a paused server lets an append fail within its deadline, and the same append succeeds later`()
    async throws
  {
    let log = try log()
    _ = try await log.publish([1], id: UUID(), within: .seconds(10))
    servers.pause(0)
    let id = UUID()
    let start = ContinuousClock.now
    do throws(AnnalsError) {
      _ = try await log.publish([2], id: id, within: .seconds(1))
      Issue.record("published")
    } catch {
      #expect(error.code == .unavailable)
      #expect(error.message.contains("may still be stored"))
    }
    #expect(ContinuousClock.now - start < .seconds(3))
    servers.resume(0)
    let sequence = try await log.publish([2], id: id, within: .seconds(30))
    #expect(sequence >= 2)
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.last >= sequence }
    // The first try may be stored as well.
    #expect(all.messages.dropFirst().allSatisfy { $0.bytes == [2] })
    await log.close()
  }

  @Test func `a message that is longer than the server takes is refused`() async throws {
    let log = try log()
    let long = [UInt8](repeating: 1, count: 8 << 20)
    do throws(AnnalsError) {
      _ = try await log.publish(long, id: UUID(), within: .seconds(10))
      Issue.record("published")
    } catch {
      #expect(error.code == .tooLarge)
    }
    let short = Array(long.dropLast(1 << 20))
    #expect(try await log.publish(short, id: UUID(), within: .seconds(10)) == 1)
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 1 }
    #expect(all.messages.first?.bytes == short)
    await log.close()
  }

  @Test func `a log that is gone is not created again by a machine that has applied messages of it`()
    async throws
  {
    let log = try log(creates: false)
    do throws(AnnalsError) {
      _ = try await log.last(within: .seconds(5))
      Issue.record("answered")
    } catch {
      #expect(error.code == .noSuchStore)
    }
    do throws(AnnalsError) {
      _ = try await log.publish([1], id: UUID(), within: .seconds(5))
      Issue.record("published")
    } catch {
      #expect(error.code == .noSuchStore)
    }
    await log.close()
  }

  @Test func `a server that is too old is named at the start, with the settings of a durable append`()
    async throws
  {
    let log = try log()
    let warnings = try await log.warnings(within: .seconds(10))
    let version = try #require(await log.greetings(within: .seconds(5)).first?.version)
    let isOld = try #require(ServerVersion(version)) < .recommended
    #expect(warnings.contains { $0.contains("upgrade") && $0.contains(version) } == isOld)
    #expect(warnings.contains { $0.contains("1 replica:") })
    #expect(warnings.last?.contains("sync_interval: always") == true)
    await log.close()
  }

  @Test func `a closed log answers at once, and its followers end`() async throws {
    let log = try log()
    let all = Collected()
    let task = all.follow(log)
    _ = try await log.publish([1], id: UUID(), within: .seconds(10))
    try await waitUntil { all.count == 1 }
    await log.close()
    try await task.value
    await #expect(throws: AnnalsError.self) { try await log.publish([2], id: UUID(), within: .seconds(60)) }
    await log.close()
  }
}
