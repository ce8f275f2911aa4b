import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@Suite struct ClusterStoreTests {
  private typealias Event = SeatsV1.Event

  private func note(_ mark: Int) -> Event { .noted(.init(mark: mark)) }

  private func book(_ seat: String, _ mark: Int) -> Event { .booked(.init(seat: seat, mark: mark)) }

  @Test func `what one machine appends, all machines read at the same positions`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...3).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open() }
    let first = try await machines[0].store.append([note(1), note(2)], to: "a", expecting: .noStream)
    #expect(first.positions == [1, 2])
    #expect(try machines[0].store.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 2)
    try await need(machines[1].cluster).waitUntil(2)
    let second = try await machines[1].store.append([note(3)], to: "a", expecting: .revision(1))
    #expect(second.positions == [3])
    let lines = try await lines(of: machines, log)
    #expect(lines.count == 3)
  }

  /// The entries of the first machine, which those of all others equal.
  private func lines(of machines: [Machine], _ log: MemoryLog) async throws -> [String] {
    for machine in machines { try await machine.catchUp(with: log) }
    let lines = try machines[0].store.log.lines()
    for machine in machines {
      #expect(try machine.store.log.lines() == lines)
      #expect(machine.cluster?.status?.hash == machines[0].cluster?.status?.hash)
      #expect(try EventLog.verify(machine.url).findings.isEmpty)
    }
    return lines
  }

  @Test func `of two machines that expect the same revision, one is accepted`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...2).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open() }
    var accepted = 0
    for round in 0..<20 {
      let expected: Expected = round == 0 ? .noStream : .revision(Revision(UInt64(round - 1)))
      let stores = try machines.map { try $0.store }
      let events = [note(round)]
      async let one = Result { try await stores[0].append(events, to: "a", expecting: expected) }
      async let two = Result { try await stores[1].append(events, to: "a", expecting: expected) }
      for result in await [one, two] {
        switch result {
        case .success: accepted += 1
        case .failure(let error): #expect((error as? AnnalsError)?.code == .conflict)
        }
      }
      for machine in machines { try await machine.catchUp(with: log) }
    }
    #expect(accepted == 20)
    #expect(try await lines(of: machines, log).count == 20)
  }

  @Test func `an inline projection refuses an append on every machine`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...2).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open(inline: [Bookings.self]) }
    try await machines[0].store.append([book("1a", 1)], to: "x")
    let error = await #expect(throws: AnnalsError.self) {
      try await machines[1].store.append([self.book("1a", 2)], to: "y")
    }
    #expect(error?.code == .rejected)
    try await machines[1].store.append([book("1b", 3)], to: "y")
    _ = try await lines(of: machines, log)
    for machine in machines {
      let row = try machine.store.read { snapshot in
        try snapshot.inline(Bookings.self).get(Bookings.Row.self, "1a")
      }
      #expect(row?.mark == 1)
    }
    machines[1].close()
    await #expect(throws: AnnalsError.self) { try await machines[1].open() }
  }

  @Test func `conditions, ids, several streams and limits are decided alike`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...3).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open() }
    let seat = EventQuery<Event>([\.booked], tags: ["seat:1a"])
    try await machines[0].store.append([book("1a", 1)], to: "x", unless: seat)
    for machine in machines {
      let error = await #expect(throws: AnnalsError.self) {
        try await machine.store.append([self.book("1a", 2)], to: "y", unless: seat)
      }
      #expect(error?.code == .conflict)
    }
    let id = UUID()
    let event = NewEvent(note(3), id: id)
    let once = try await machines[0].store.append([event], to: "z")
    let again = try await machines[2].store.append([event], to: "z")
    #expect(again.wasRepeated)
    #expect(again.positions == once.positions)
    try await machines[1].store.append { call in
      call.append([note(4)], to: "x", expecting: .exists)
      call.append([note(5)], to: "new", expecting: .noStream)
    }
    try await machines[2].store.close("x")
    let closed = await #expect(throws: AnnalsError.self) {
      try await machines[0].store.append([self.note(6)], to: "x")
    }
    #expect(closed?.code == .streamClosed)
    try await machines[0].store.truncate("z", before: nil)
    try machines[1].store.erase([1], by: "test", because: "asked")
    try await machines[0].store.append([note(7)], to: "z", expecting: .noStream)
    try await machines[1].store.log.setRetention(RetentionRule(streamPrefix: "z", maximumCount: 1))
    try await machines[0].store.append([note(8)], to: "z")
    #expect(try machines[0].store.log.retain().events == 1)
    let lines = try await lines(of: machines, log)
    #expect(!lines[0].contains("1a"))
  }

  @Test func `without a quorum reads continue, and appends fail at their deadline`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    try await machine.open(deadline: .milliseconds(300))
    try await machine.store.append([note(1)], to: "a")
    log.setQuorum(false)
    let start = ContinuousClock.now
    let error = await #expect(throws: AnnalsError.self) {
      try await machine.store.append([self.note(2)], to: "a")
    }
    #expect(error?.code == .unavailable)
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(try machine.store.log.lines().count == 1)
    log.setQuorum(true)
    try await machine.store.append([note(3)], to: "a")
    #expect(try machine.store.log.lines().count == 2)
  }

  @Test func `a call whose answer is lost gets its verdict, and is stored once`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect(.init(unanswered: 500, twice: 300, late: 300)))
    try await machine.open()
    for number in 0..<50 {
      let expected: Expected = number == 0 ? .noStream : .revision(Revision(UInt64(number - 1)))
      let appended = try await machine.store.append([note(number)], to: "a", expecting: expected)
      #expect(appended.revision == Revision(UInt64(number)))
    }
    try await machine.catchUp(with: log)
    #expect(log.messages.count > 60)
    #expect(try machine.store.log.lines().count == 50)
  }

  @Test func `a call that the log acknowledged and lost is published again`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect(.init(replaced: 400)))
    try await machine.open()
    for number in 0..<20 { try await machine.store.append([note(number)], to: "a") }
    try await machine.catchUp(with: log)
    #expect(log.messages.count > 22)
    #expect(try machine.store.log.plainEvents().map(\.mark) == (0..<20).map { Int64($0) })
  }

  @Test func `a store that has left its cluster takes appends at once`() async throws {
    let directory = try TemporaryDirectory()
    let machine = Machine(directory, "m", MemoryLog().connect())
    try await machine.open()
    try await machine.store.append([note(1)], to: "a")
    machine.close()
    let plain = try EventStore(at: machine.url, plan: SeatsPlan.self)
    // The member may still end its last batch.
    try await waitUntil {
      do throws(AnnalsError) {
        try plain.log.leaveCluster()
        return true
      } catch {
        guard error.code == .busy else { throw error }
        return false
      }
    }
    try await plain.append([note(2)], to: "a", expecting: .revision(0))
    #expect(try plain.log.lines().count == 2)
  }

  @Test func `a program that is no member appends nothing to the store`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    try await machine.open()
    try await machine.store.append([note(1)], to: "a")
    let plain = try EventStore(at: machine.url, plan: SeatsPlan.self)
    let while1 = await #expect(throws: AnnalsError.self) { try await plain.append([self.note(2)], to: "a") }
    #expect(while1?.code == .needsCluster)
    machine.close()
    let after = await #expect(throws: AnnalsError.self) { try await plain.append([self.note(2)], to: "a") }
    #expect(after?.code == .needsCluster)
    let set = #expect(throws: AnnalsError.self) { try plain.log.setIdempotency(.always) }
    #expect(set?.code == .needsCluster)
    #expect(try plain.log.lines().count == 1)
    try await machine.open()
    try await machine.store.append([note(3)], to: "a", expecting: .revision(0))
  }

  @Test func `one program of a machine is a member with a store`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    try await machine.open()
    let second = Machine(directory, "m", log.connect())
    let error = await #expect(throws: AnnalsError.self) { try await second.open() }
    #expect(error?.code == .busy)
    machine.close()
    try await second.open()
  }

  @Test func `a machine continues from a backup of another, and from nothing`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let first = Machine(directory, "m1", log.connect())
    try await first.open(inline: [Bookings.self])
    for number in 0..<200 { try await first.store.append([book("s\(number)", number)], to: "a") }
    let third = Machine(directory, "m3", log.connect())
    try first.store.log.backup(to: third.url)
    for number in 200..<300 { try await first.store.append([book("s\(number)", number)], to: "b") }
    let second = Machine(directory, "m2", log.connect())
    try await second.open(inline: [Bookings.self])
    try await third.open(inline: [Bookings.self])
    #expect(try await lines(of: [first, second, third], log).count == 300)
    let refused = await #expect(throws: AnnalsError.self) {
      try await third.store.append([self.book("s7", 1)], to: "c")
    }
    #expect(refused?.code == .rejected)
  }
}

extension Result where Failure == any Error {
  /// The result of an asynchronous call.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
