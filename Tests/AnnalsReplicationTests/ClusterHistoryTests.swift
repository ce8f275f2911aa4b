import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// Random histories of eight writers on three machines, over a log that loses answers, repeats messages,
/// stores copies late and cuts connections. Machines are closed and opened again, and begin again from a
/// backup of another. With many writers, calls share messages, and calls of one message come again in others.
@Suite(.serialized) struct ClusterHistoryTests {
  /// What a writer knows of its calls.
  struct Knowledge: Sendable {
    /// The marks of acknowledged events, with their positions.
    var stored: [Int: UInt64] = [:]
    /// The marks of refused events.
    var refused: Set<Int> = []
    /// The calls whose expectation of a revision held.
    var revisions: [(expected: UInt64, found: UInt64)] = []
    var calls = 0
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CLUSTER_HISTORIES", usual: 8)))
  func `all machines accept the same calls, and each acknowledged event is stored once`(
    seed: UInt64
  ) async throws {
    print("cluster history with seed \(seed)")
    try await run(seed, Size(writers: 8, steps: 15))
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CLUSTER_SHARED", usual: 6)))
  func `calls that share messages are decided one by one, whatever becomes of the messages`(
    seed: UInt64
  ) async throws {
    print("cluster history of shared messages with seed \(seed)")
    let messages = try await run(seed, Size(writers: 60, steps: 8, isRegrouped: true))
    let shared = messages.filter { $0.bytes.starts(with: [2, 5]) }
    #expect(shared.count > 20)
  }

  /// How many writers make how many calls in each of three rounds.
  private struct Size {
    var writers: Int
    var steps: Int
    /// Whether some calls of messages come in other messages as well.
    var isRegrouped = false
  }

  @discardableResult
  private func run(_ seed: UInt64, _ size: Size) async throws -> [ReplicatedMessage] {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog(seed: seed)
    let machines = (1...3).map { Machine(directory, "m\($0)", log.connect(.many)) }
    if size.isRegrouped {
      for machine in machines { machine.log = RegroupingLog(machine.connection, seed: seed) }
    }
    // Half of the histories keep an index of all event ids.
    let options = Machine.options(seed.isMultiple(of: 2) ? .always : nil)
    for machine in machines { try await machine.open(inline: [Bookings.self], options) }
    let knowledge = Mutex(Knowledge())
    var random = SeededGenerator(seed: seed &* 77)
    for round in 0..<3 {
      try await run(machines, size, round: round, seed: seed, knowledge)
      try await disturb(machines, options, &random)
    }
    try await check(machines, log, knowledge.withLock { $0 }, size)
    return log.messages
  }

  /// Lets the writers make random calls on the machines.
  private func run(
    _ machines: [Machine], _ size: Size, round: Int, seed: UInt64, _ knowledge: borrowing Mutex<Knowledge>
  ) async throws {
    let stores = try machines.map { try $0.store }
    let found = try await withThrowingTaskGroup(of: Knowledge.self) { group in
      for writer in 0..<size.writers {
        group.addTask {
          let first = (round * size.writers + writer) * 1_000
          var work = Writing(
            store: stores[writer % 3], random: SeededGenerator(seed: seed &* 1_000 + UInt64(first)),
            mark: first)
          for _ in 0..<size.steps { try await work.step() }
          return work.knowledge
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    knowledge.withLock { all in
      for one in found {
        all.stored.merge(one.stored) { first, _ in first }
        all.refused.formUnion(one.refused)
        all.revisions += one.revisions
        all.calls += one.calls
      }
    }
  }

  /// Closes a machine at any point of its way and opens it again, or begins again with a backup of another.
  private func disturb(
    _ machines: [Machine], _ options: StoreOptions, _ random: inout SeededGenerator
  ) async throws {
    let victim = machines[Int.random(in: 0..<3, using: &random)]
    let donor = machines.first { $0 !== victim }
    victim.close()
    if Bool.random(using: &random), let donor {
      try await waitUntil { (try? EventLog.inspect(victim.url)) != nil }
      try FileManager.default.removeItem(at: victim.url)
      if Bool.random(using: &random) { try donor.store.log.backup(to: victim.url) }
    }
    try await waitUntil {
      do {
        try await victim.open(inline: [Bookings.self], options)
        return true
      } catch let error as AnnalsError where error.code == .busy || error.code == .unavailable {
        return false
      }
    }
  }

  private func check(
    _ machines: [Machine], _ log: MemoryLog, _ known: Knowledge, _ size: Size
  ) async throws {
    for machine in machines { try await machine.catchUp(with: log) }
    let events = try machines[0].store.log.plainEvents()
    let lines = try machines[0].store.log.lines()
    for machine in machines {
      #expect(try machine.store.log.lines() == lines)
      #expect(machine.cluster?.status?.hash == machines[0].cluster?.status?.hash)
      #expect(machine.cluster?.status?.isStopped == false)
      let findings = try EventLog.verify(machine.url).findings
      #expect(findings.isEmpty)
    }
    let expected = ReferenceCluster(log.messages).events
    #expect(events.count == expected.count)
    let different = zip(events, expected).first { $0 != $1 }
    #expect(different == nil)
    var places: [Int: UInt64] = [:]
    try machines[0].store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let mark =
          switch entry.event {
          case .booked(let booked): booked.mark
          case .noted(let noted): noted.mark
          }
        #expect(places[mark] == nil, "mark \(mark) is stored twice")
        places[mark] = entry.position.rawValue
      }
    }
    for (mark, position) in known.stored { #expect(places[mark] == position) }
    for mark in known.refused { #expect(places[mark] == nil) }
    for (expected, found) in known.revisions { #expect(found == expected + 1) }
    #expect(known.calls == 3 * size.writers * size.steps)
    #expect(known.stored.count > 50)
    #expect(known.refused.count > 5)
  }
}

/// The random calls of one writer.
private struct Writing {
  let store: EventStore<SeatsPlan>
  var random: SeededGenerator
  /// The next mark; no two events of a history have one.
  var mark: Int
  var knowledge = ClusterHistoryTests.Knowledge()
  private var heads: [String: UInt64] = [:]

  init(store: EventStore<SeatsPlan>, random: SeededGenerator, mark: Int) {
    self.store = store
    self.random = random
    self.mark = mark
  }

  private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func note() -> SeatsV1.Event {
    mark += 1
    return .noted(.init(mark: mark))
  }

  private mutating func stream() -> StreamName {
    draw(3) == 0 ? StreamName("cold-\(draw(500))") : StreamName("hot-\(draw(4))")
  }

  mutating func step() async throws {
    knowledge.calls += 1
    let before = mark
    do {
      let (appended, expected) = try await call()
      if appended.wasRepeated { return }
      for (offset, position) in appended.positions.enumerated() where before + 1 + offset <= mark {
        knowledge.stored[before + 1 + offset] = position.rawValue
      }
      if let expected, let found = appended.revisions.first {
        knowledge.revisions.append((expected, found.rawValue))
      }
    } catch {
      switch error.code {
      case .conflict, .rejected, .streamClosed, .noSuchStream:
        if mark > before { knowledge.refused.formUnion(before + 1...mark) }
      case .unavailable: break
      default: throw error
      }
    }
  }

  /// Makes one call.
  ///
  /// - Returns: Where its events are, and the revision that it expected.
  private mutating func call() async throws(AnnalsError) -> (Appended, expected: UInt64?) {
    let stream = stream()
    switch draw(12) {
    case 0, 1, 2:
      return (try await store.append([note(), note()], to: stream), nil)
    case 3, 4, 5:
      let head = try store.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: stream) }
      let expectation: Expected = head.map { .revision($0) } ?? .noStream
      return (try await store.append([note()], to: stream, expecting: expectation), head?.rawValue)
    case 6, 7:
      mark += 1
      let seat = "s\(draw(60))"
      return (try await store.append([.booked(.init(seat: seat, mark: mark))], to: stream), nil)
    case 8:
      mark += 1
      let seat = "s\(60 + draw(30))"
      let query = EventQuery<SeatsV1.Event>([\.booked], tags: [EventTag("seat:\(seat)")])
      return (
        try await store.append([.booked(.init(seat: seat, mark: mark))], to: stream, unless: query), nil
      )
    case 9:
      let event = NewEvent(note(), id: UUID())
      let first = try await store.append([event], to: stream)
      // The caller asks again, as if it had got no answer.
      let again = try await store.append([event], to: stream)
      guard again.positions == first.positions else {
        throw AnnalsError(.damaged, "a repeated call has other places")
      }
      return (first, nil)
    case 10:
      let other = self.stream()
      let (one, two) = (note(), note())
      return (
        try await store.append { call in
          call.append([one], to: stream)
          call.append([two], to: other, expecting: .exists)
        }, nil
      )
    default:
      let rare = StreamName("hot-\(draw(2))")
      if draw(2) == 0 { try await store.close(rare) } else { try await store.reopen(rare) }
      return (Appended(positions: [], revisions: [], wasRepeated: true), nil)
    }
  }
}
