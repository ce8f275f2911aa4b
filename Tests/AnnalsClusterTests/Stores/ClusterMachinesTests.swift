import Annals
import AnnalsCoding
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster
@testable import ClusterTool

/// Stores of three machines over servers.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct ClusterMachinesTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
  }

  private func machines(_ servers: NATSServers, _ count: Int = 3) -> [RoomMachine] {
    let log = ClusterLog.jetStream(
      servers: servers.addresses, name: "rooms", replicas: servers.count == 1 ? 1 : 3)
    return (0..<count).map { RoomMachine(directory, "m\($0)", log) }
  }

  /// Appends an event, and returns the code of the error.
  private func refusal(
    of event: RoomsV1.Event, by store: EventStore<RoomsPlan>, expecting: AnnalsCoding.Expectation = .any
  ) async -> AnnalsError.Code? {
    do throws(AnnalsError) {
      _ = try await store.append([event], to: "hotel", expecting: expecting)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `a booking on one machine is refused on all others, and all have the same entries`() async throws
  {
    let servers = try NATSServers(1)
    let machines = machines(servers)
    for machine in machines { try await machine.open() }
    let stores = try machines.map { try $0.store }
    let first = try await stores[0].append([.booked(.init(room: "1", mark: 1))], to: "hotel")
    #expect(first.positions.map(\.rawValue) == [1])
    for store in stores {
      #expect(await refusal(of: .booked(.init(room: "1", mark: 2)), by: store) == .rejected)
    }
    let second = try await stores[2].append(
      [.noted(.init(mark: 3))], to: "hotel", expecting: .revision(first.revisions[0]))
    #expect(
      await refusal(of: .noted(.init(mark: 4)), by: stores[1], expecting: .revision(first.revisions[0]))
        == .conflict)
    for machine in machines { try await machine.member.waitUntil(second.positions[0]) }
    let lines = try machines[0].lines()
    #expect(lines.count == 2)
    for machine in machines { #expect(try machine.lines() == lines) }
    try await waitUntil { try Set(machines.map { try $0.member.status?.hash }).count == 1 }
  }

  @Test func `a machine reads without servers, and appends again when they are back`() async throws {
    let servers = try NATSServers(1)
    let machine = machines(servers, 1)[0]
    try await machine.open(deadline: .seconds(2))
    _ = try await machine.store.append([.noted(.init(mark: 1))], to: "hotel")
    servers.kill(0)
    #expect(try machine.lines().count == 1)
    do {
      // A copy that outlives the machine's store would keep the membership.
      let store = try machine.store
      let start = ContinuousClock.now
      #expect(await refusal(of: .noted(.init(mark: 2)), by: store) == .unavailable)
      #expect(ContinuousClock.now - start < .seconds(4))
    }
    // A store that is there opens without servers.
    machine.close()
    try await waitUntil {
      do {
        try await machine.open(deadline: .seconds(30))
        return true
      } catch let error as AnnalsError where error.code == .busy {
        return false
      }
    }
    #expect(try machine.lines().count >= 1)
    try servers.start(0)
    _ = try await machine.store.append([.noted(.init(mark: 3))], to: "hotel")
    let places = try machine.marks().places
    #expect(places[1] == 1)
    #expect(places[3] != nil)
  }

  @Test func `machines answer how they are through the servers`() async throws {
    let servers = try NATSServers(1)
    let machines = machines(servers)
    for machine in machines { try await machine.open() }
    let appended = try await machines[0].store.append([.noted(.init(mark: 1))], to: "hotel")
    for machine in machines { try await machine.member.waitUntil(appended.positions[0]) }
    let log = try JetStreamLog(servers.address("rooms"), creates: false)
    var reports: [MachineReport] = []
    try await waitUntil {
      reports = try await log.machines(within: .seconds(10), patience: .milliseconds(300))
      return reports.count == 3
    }
    #expect(reports.map(\.store) == ["m0.annals", "m1.annals", "m2.annals"])
    #expect(Set(reports.map(\.hash)).count == 1)
    #expect(reports.allSatisfy { $0.position == 1 && $0.version == "1.0.0" && !$0.isStopped })
    machines[1].close()
    try await waitUntil {
      try await log.machines(within: .seconds(10), patience: .milliseconds(300)).count == 2
    }
    await log.close()
  }

  @Test func `warnings about the servers reach the program that opens a store`() async throws {
    let servers = try NATSServers(1)
    let heard = Heard()
    let store = try await ClusterStore(
      at: directory.url.appendingPathComponent("w.annals"), plan: RoomsPlan.self,
      log: .jetStream(servers: servers.addresses, name: "rooms", replicas: 1), warn: { heard.add($0) })
    try await waitUntil { heard.lines.count >= 2 }
    #expect(heard.lines.contains { $0.contains("1 replica:") })
    #expect(heard.lines.last?.contains("sync_interval: always") == true)
    withExtendedLifetime(store) {}
  }

  @Test(.timeLimit(.minutes(3)))
  func `a booking survives the loss of any one of three servers`() async throws {
    let servers = try NATSServers(3)
    let machines = machines(servers)
    for machine in machines { try await machine.open(deadline: .seconds(60)) }
    for lost in 0..<3 {
      servers.kill(lost)
      let room = "room \(lost)"
      let appended = try await machines[lost].store.append(
        [.booked(.init(room: room, mark: lost))], to: "hotel")
      for machine in machines {
        try await machine.member.waitUntil(appended.positions[0], within: .seconds(60))
      }
      try servers.start(lost)
    }
    for lost in 0..<3 {
      let store = try machines[(lost + 1) % 3].store
      #expect(await refusal(of: .booked(.init(room: "room \(lost)", mark: 10)), by: store) == .rejected)
    }
    let lines = try machines[0].lines()
    #expect(lines.count == 3)
    for machine in machines { #expect(try machine.lines() == lines) }
  }
}
