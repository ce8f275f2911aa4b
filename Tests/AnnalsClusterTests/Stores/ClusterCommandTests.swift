import Annals
import AnnalsCluster
import AnnalsLog
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsClusterTool
@testable import ClusterTool

/// The command, over stores of machines and one server.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct ClusterCommandTests {
  private let directory: TemporaryDirectory
  private let servers: NATSServers

  init() throws {
    directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    servers = try NATSServers(1)
  }

  private var log: ClusterLog { .jetStream(servers: servers.addresses, name: "rooms", replicas: 1) }
  private var connection: [String] {
    ["--servers", servers.addresses.joined(separator: ","), "--name", "rooms"]
  }

  private func run(_ words: [String]) async throws -> ClusterCommand.Result {
    try await ClusterCommand.result(of: ClusterArguments(words.map { CommandWord($0) }))
  }

  private func code(_ words: [String]) async throws -> AnnalsError.Code? {
    do {
      _ = try await run(words)
      return nil
    } catch let error as AnnalsError {
      return error.code
    }
  }

  @Test func `status shows the log, the warnings and every machine, and the store without a server`()
    async throws
  {
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    _ = try await machine.store.append([.noted(.init(mark: 1))], to: "hotel")
    let text = try await run(["status", machine.url.path] + connection).output
    #expect(text.contains("store: applied up to message 2, lag 0, 1 entries, 1 commits"))
    #expect(text.contains("log: messages 1 to 2, 0 removed"))
    #expect(text.contains("warning: the log has 1 replica:"))
    #expect(text.contains("m0.annals: version 1.0.0, applied 2, lag 0, 1 entries, 1 commits"))
    let json = try await run(["status", "--json"] + connection).output
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect((parsed?["machines"] as? [Any])?.count == 1)
    machine.close()
    servers.kill(0)
    #expect(try await run(["status", machine.url.path]).output.contains("1 entries"))
    #expect(try await code(["status", "--within", "1"] + connection) == .unavailable)
  }

  @Test func `a machine that joins with a backup continues where the other one was`() async throws {
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    for mark in 1...5 { _ = try await machine.store.append([.noted(.init(mark: mark))], to: "hotel") }
    let backup = directory.url.appendingPathComponent("backup.annals")
    try machine.store.log.backup(to: backup)
    _ = try await machine.store.append([.noted(.init(mark: 6))], to: "hotel")
    let other = RoomMachine(directory, "m1", log)
    let text = try await run(["join", backup.path, other.url.path] + connection).output
    #expect(text.contains("joined: 5 entries, applied up to message 6 of 7"))
    #expect(try await code(["join", backup.path, other.url.path] + connection) == .cannotCreate)
    try await other.open()
    let last = try await other.store.append([.noted(.init(mark: 7))], to: "hotel")
    try await machine.member.waitUntil(last.positions[0])
    #expect(try other.lines() == machine.lines())
    #expect(last.positions.map(\.rawValue) == [7])
    let check = try await run(["check", machine.url.path, other.url.path])
    #expect(check.isGood)
    #expect(check.output.contains("7 entries are equal"))
  }

  @Test func `a backup of another cluster, and a store of none, cannot join`() async throws {
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    let strange = RoomMachine(
      directory, "s", .jetStream(servers: servers.addresses, name: "other", replicas: 1))
    try await strange.open()
    _ = try await strange.store.append([.noted(.init(mark: 1))], to: "hotel")
    strange.close()
    let target = directory.path("new.annals")
    #expect(try await code(["join", strange.url.path, target] + connection) == .foreign)
    let plain = directory.url.appendingPathComponent("plain.annals")
    _ = try EventStore(at: plain, plan: RoomsPlan.self)
    #expect(try await code(["join", plain.path, target] + connection) == .wrongUse)
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(try await code(["check", machine.url.path, strange.url.path]) == .foreign)
  }

  @Test func `a store that has left takes appends alone, and cannot come back`() async throws {
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    _ = try await machine.store.append([.noted(.init(mark: 1))], to: "hotel")
    #expect(try await code(["leave", machine.url.path]) == .busy)
    machine.close()
    try await waitUntil { try await code(["leave", machine.url.path]) != .busy }
    #expect(try await code(["leave", machine.url.path]) == .wrongUse)
    let alone = try EventStore(at: machine.url, plan: RoomsPlan.self, inline: [RoomBookings.self])
    let appended = try await alone.append([.noted(.init(mark: 2))], to: "hotel")
    #expect(appended.positions.map(\.rawValue) == [2])
    await #expect(throws: AnnalsError.self) { try await machine.open() }
    let findings = try EventLog.verify(machine.url).findings
    #expect(findings.isEmpty)
  }

  @Test(
    arguments: [
      [], ["fly"], ["status"], ["join", "a"], ["check", "a"], ["leave"], ["leave", "a", "b"],
      ["status", "--servers", "nats://h"], ["status", "--wrong"], ["status", "a", "--within", "0"],
      ["leave", "a", "--servers", "nats://h", "--name", "n"], ["status", "--name"], ["copies"],
      ["copies", "a", "--servers", "nats://h", "--name", "n"],
    ])
  func `a wrong command line is refused`(_ words: [String]) async throws {
    #expect(try await code(words) == .wrongUse)
  }
}
