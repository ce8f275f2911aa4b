import Annals
import AnnalsCoding
import AnnalsCommand
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster
@testable import AnnalsClusterTool
@testable import ClusterTool

/// Servers whose copies of the log differ, as faults of a server's version may leave them.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct DifferingCopyTests {
  /// Publishes twenty messages that begin with `first`.
  private func publish(_ first: UInt8, to servers: NATSServers) async throws {
    let log = try JetStreamLog(servers.address(), creates: true)
    for number: UInt8 in 1...20 {
      _ = try await log.publish([first, number], id: UUID(), within: .seconds(60))
    }
    await log.close()
  }

  /// Puts the messages of another server in the place of those of a server of a cluster, which is down.
  private func replace(_ index: Int, of servers: NATSServers, by first: UInt8) async throws {
    let other = try NATSServers(1)
    try await publish(first, to: other)
    other.stop(0)
    func messages(_ servers: NATSServers, _ index: Int) -> URL {
      servers.directory.url.appendingPathComponent("n\(index)/jetstream/$G/streams/annals-orders/msgs")
    }
    try FileManager.default.removeItem(at: messages(servers, index))
    try FileManager.default.copyItem(at: messages(other, 0), to: messages(servers, index))
  }

  /// What the command says of the servers' copies.
  private func copies(of servers: NATSServers) async throws -> ClusterCommand.Result {
    let words = ["copies", "--servers", servers.addresses.joined(separator: ","), "--name", "orders"]
    return try await ClusterCommand.result(of: ClusterArguments(words.map { CommandWord($0) }))
  }

  @Test(.timeLimit(.minutes(3)))
  func `servers that agree are shown so, also while writers publish`() async throws {
    let servers = try NATSServers(3)
    try await publish(1, to: servers)
    let writing = Task {
      let log = try JetStreamLog(servers.address(), creates: true)
      while !Task.isCancelled { _ = try await log.publish([1], id: UUID(), within: .seconds(60)) }
      await log.close()
    }
    let found = try await copies(of: servers)
    writing.cancel()
    #expect(found.isGood, "\(found.output)")
    #expect(found.output.contains("on 3 of 3 servers"))
    try await writing.value
  }

  @Test(.timeLimit(.minutes(3)))
  func `what one of three servers has alone is believed by nobody`() async throws {
    let servers = try NATSServers(3)
    try await publish(1, to: servers)
    for index in 0..<3 { servers.stop(index) }
    try await replace(0, of: servers, by: 2)
    for index in 0..<3 { try servers.start(index) }
    // The broker chooses the servers that a follower reads from.
    for _ in 0..<6 {
      let log = try JetStreamLog(servers.address(), creates: false)
      let all = Collected()
      let task = all.follow(log)
      try await waitUntil { all.count >= 20 }
      task.cancel()
      #expect(all.messages.prefix(20).map(\.bytes) == (1...20).map { [1, UInt8($0)] })
      await log.close()
    }
    let found = try await copies(of: servers)
    #expect(!found.isGood)
    #expect(found.output.contains("20 messages on 3 of 3 servers"))
    #expect(found.output.contains("server n0: 20 differ from those of most servers, the first is 1"))
    #expect(found.output.contains("server n1: 0 differ"))
  }

  @Test(.timeLimit(.minutes(3)))
  func `a machine waits while two servers differ and the third is down, and goes on by itself`() async throws
  {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let servers = try NATSServers(3)
    let proxies = try servers.ports.map { try LoopbackProxy(to: $0) }
    defer { for proxy in proxies { proxy.close() } }
    for proxy in proxies { proxy.start() }
    func open(_ name: String, _ ports: [UInt16]) async throws -> ClusterStore<RoomsPlan> {
      var membership = ClusterOptions()
      membership.deadline = .seconds(3)
      let log = try JetStreamLog(
        servers.address(ports: ports), creates: true, settling: 3_000_000_000)
      return try await ClusterStore.open(
        at: directory.url.appendingPathComponent(name), plan: RoomsPlan.self, log: log, cluster: membership)
    }
    let marks = 19
    func write(_ numbers: ClosedRange<Int>, to store: EventStore<RoomsPlan>) async throws {
      // The ids recognise a call that was repeated after an election.
      for mark in numbers {
        let event = NewEvent<RoomsV1.Event>(.noted(.init(mark: mark)), id: UUID())
        try await waitUntil { (try? await store.append([event], to: "hotel")) != nil }
      }
    }
    let machine = try await open("m.annals", proxies.map(\.port))
    do {
      let writer = try await open("w.annals", servers.ports)
      try await write(1...5, to: writer.store)
      try await machine.waitUntil(5, within: .seconds(30))
      for proxy in proxies { proxy.cut() }
      try await write(6...marks, to: writer.store)
      writer.leave()
    }
    // One server has others of the messages that the machine has yet to apply, and another is down.
    for index in 0..<3 { servers.stop(index) }
    try await replace(0, of: servers, by: 2)
    for index in 0..<2 { try servers.start(index) }
    for proxy in proxies { proxy.restore() }
    try await waitUntil { machine.status?.problem?.message.contains("different copies") == true }
    #expect(machine.status?.problem?.code == .unavailable)
    #expect(machine.status?.isStopped == false)
    #expect(machine.status?.position == 5)
    #expect(try machine.store.log.info().entries == 5)
    let start = ContinuousClock.now
    let refused = await #expect(throws: AnnalsError.self) {
      try await machine.store.append([.noted(.init(mark: 100))], to: "hotel")
    }
    #expect(refused?.code == .unavailable)
    #expect(ContinuousClock.now - start < .seconds(6))
    #expect(machine.status?.position == 5)
    // The third server decides.
    try servers.start(2)
    try await machine.waitUntil(Position(UInt64(marks)), within: .seconds(60))
    try await waitUntil { machine.status?.problem == nil }
    try await waitUntil { (try? await machine.store.append([.noted(.init(mark: 101))], to: "hotel")) != nil }
  }

  @Test(.timeLimit(.minutes(3)))
  func `a message that is another one on each server stops a follower`() async throws {
    let servers = try NATSServers(3)
    try await publish(1, to: servers)
    for index in 0..<3 { servers.stop(index) }
    try await replace(0, of: servers, by: 2)
    try await replace(1, of: servers, by: 3)
    for index in 0..<3 { try servers.start(index) }
    let log = try JetStreamLog(servers.address(), creates: false)
    do {
      try await log.follow(after: 0, pace: FollowPace()) { messages in
        Issue.record("\(messages.count) messages arrived")
      }
    } catch let error as AnnalsError {
      #expect(error.code == .damaged)
      #expect(error.message.contains("no message 1 of the shared log 'orders'"))
    }
    await log.close()
    let found = try await copies(of: servers)
    #expect(!found.isGood)
    #expect(found.output.contains("20 are the same on no majority of the servers, the first is 1"))
  }
}
