import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// The features of a store that build on appends and reads, over the stores of a cluster.
@Suite struct ClusterFeatureTests {
  private func note(_ mark: Int) -> SeatsV1.Event { .noted(.init(mark: mark)) }

  private func cluster(_ directory: TemporaryDirectory, _ log: MemoryLog) async throws -> [Machine] {
    let machines = (1...3).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open() }
    return machines
  }

  @Test func `decisions of all machines on one stream count up without a gap`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = try await cluster(directory, log)
    let stores = try machines.map { try $0.store }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask {
          for _ in 0..<10 {
            _ = try await store.decide(Counter.self, on: "counter", attempts: 200) { state in
              [.noted(.init(mark: state.last + 1))]
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for machine in machines { try await machine.catchUp(with: log) }
    for store in stores {
      #expect(try store.log.plainEvents().map(\.mark) == (1...30).map { Int64($0) })
    }
  }

  @Test func `subscriptions, views and aggregates of a machine see the events of others`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = try await cluster(directory, log)
    let stores = try machines.map { try $0.store }
    let seen = Mutex<[Int]>([])
    let reader = stores[1]
    let subscription = Task {
      for try await next in reader.subscribe(from: .beginning) {
        if case .noted(let noted) = next.entry.event { seen.withLock { $0.append(noted.mark) } }
      }
    }
    let view = try stores[2].view(Marks.self)
    for mark in 1...50 { try await stores[0].append([note(mark)], to: "a") }
    try await waitUntil { seen.withLock { $0 } == Array(1...50) }
    subscription.cancel()
    try await view.waitUntil(50)
    #expect(try view.get(Marks.Row.self, 50) != nil)
    let state = try stores[1].load(Counter.self, from: "a")
    #expect(state.state.last == 50)
  }

  @Test func `a machine rewrites its own file, and is equal to the others afterwards`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = try await cluster(directory, log)
    for mark in 1...20 { try await machines[0].store.append([note(mark)], to: "a") }
    try await machines[1].catchUp(with: log)
    _ = try await machines[1].store.log.compact().report()
    for mark in 21...40 { try await machines[mark % 3].store.append([note(mark)], to: "a") }
    for machine in machines { try await machine.catchUp(with: log) }
    let lines = try machines[0].store.log.lines()
    #expect(lines.count == 40)
    for machine in machines {
      #expect(try machine.store.log.lines() == lines)
      #expect(machine.cluster?.status?.hash == machines[0].cluster?.status?.hash)
    }
    machines[1].close()
    try await machines[1].open()
    try await machines[1].store.append([note(41)], to: "a", expecting: .revision(39))
  }

  @Test func `a plan whose pass changes what conditions find is refused`() async throws {
    let directory = try TemporaryDirectory()
    let error = await #expect(throws: AnnalsError.self) {
      _ = try await ClusterStore.open(
        at: directory.url.appendingPathComponent("m.annals"), plan: RetaggedSeatsPlan.self,
        log: MemoryLog().connect(), options: Machine.options())
    }
    #expect(error?.code == .wrongUse)
    // A program that is no member could run the pass as well.
    let member = Machine(directory, "member", MemoryLog().connect())
    try await member.open()
    try await member.store.append([.booked(.init(seat: "1a", mark: 1))], to: "a")
    let store = try EventStore(at: member.url, plan: RetaggedSeatsPlan.self)
    let refused = await #expect(throws: AnnalsError.self) { _ = try await store.migrate().report() }
    #expect(refused?.code == .wrongUse)
    #expect(refused?.message.contains("compute tags again") == true)
  }

  @Test func `bulk appends of many writers are all there, in the order of the log`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = try await cluster(directory, log)
    let stores = try machines.map { try $0.store }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<12 {
        group.addTask {
          for number in 0..<20 {
            let events = (0..<25).map { SeatsV1.Event.noted(.init(mark: writer * 1_000 + number * 25 + $0)) }
            try await stores[writer % 3].append(events, to: StreamName("w\(writer)"))
          }
        }
      }
      try await group.waitForAll()
    }
    for machine in machines { try await machine.catchUp(with: log) }
    for store in stores {
      #expect(try store.log.plainEvents().count == 6_000)
      for writer in 0..<12 {
        #expect(
          try store.read { (snapshot) throws(AnnalsError) in
            try snapshot.revision(of: StreamName("w\(writer)"))
          } == 499)
      }
    }
  }
}

/// The newest mark of a stream.
enum Counter: Aggregate {
  typealias Event = SeatsV1.Event
  @Record struct State { var last: Int }

  static let name = "counter"
  static let version = 1
  static var initial: State { State(last: 0) }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    if case .noted(let noted) = entry.event { state.last = noted.mark }
  }
}
