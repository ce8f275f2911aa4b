import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

/// A machine decides calls as the others do, wherever a pass has run.
@Suite struct PassVerdictTests {
  private let directory: TemporaryDirectory
  private let log = MemoryLog()

  init() throws { directory = try TemporaryDirectory() }

  private func open<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ name: String
  ) async throws -> ClusterStore<Plan> {
    try await ClusterStore.open(
      at: directory.url.appendingPathComponent("\(name).annals"), plan: plan, log: log.connect(),
      options: Machine.options())
  }

  private func catchUp<Plan: SchemaMigrationPlan>(_ machines: [ClusterStore<Plan>]) async throws {
    for machine in machines {
      try await waitUntil { (machine.status?.applied ?? 0) >= UInt64(log.messages.count) }
    }
  }

  /// Appends on each of the machines, all of which refuse or all of which accept.
  private func check<Plan: SchemaMigrationPlan>(
    _ machines: [ClusterStore<Plan>], _ isRefused: Bool, _ comment: Comment,
    _ append: (EventStore<Plan>, StreamName) async throws -> Appended
  ) async throws {
    for (number, machine) in machines.enumerated() {
      var code: AnnalsError.Code?
      do {
        _ = try await append(machine.store, StreamName("\(comment.rawValue) \(number)"))
      } catch let error as AnnalsError { code = error.code }
      #expect(code == (isRefused ? .conflict : nil), "\(comment), machine \(number)")
      try await catchUp(machines)
    }
    #expect(Set(machines.map { $0.status?.hash }).count == 1, comment)
  }

  private func hasFeature(_ name: String) throws -> Bool {
    try EventLog.inspect(directory.url.appendingPathComponent("\(name).annals")).requires
      .contains("originals")
  }

  @Test func `a truncated event matches a condition on each machine, also after a compaction`() async throws {
    let machines = [
      try await open(SeatsPlan.self, "m1"), try await open(SeatsPlan.self, "m2"),
      try await open(SeatsPlan.self, "m3"),
    ]
    let first = try machines[0].store
    try await first.append([.booked(.init(seat: "1a", mark: 1)), .noted(.init(mark: 2))], to: "x")
    try await first.append([.booked(.init(seat: "1b", mark: 3))], to: "erased")
    try await first.append([.booked(.init(seat: "1a", mark: 4))], to: "x")
    try await first.truncate("x")
    _ = try first.erase(stream: "erased", by: "test", because: "asked")
    try await catchUp(machines)
    for round in 1...2 {
      // The second pass takes stubs over.
      _ = try await machines[1].store.log.compact().report()
      for (query, isRefused) in [
        (EventQuery<SeatsV1.Event>([\.booked], tags: ["seat:1a"]), true),
        (EventQuery([\.noted], tags: ["seat:1a"]), false),
        (EventQuery(tags: ["seat:1a"]), true),
        (EventQuery(tags: ["seat:1b"]), false),
      ] {
        try await check(machines, isRefused, "\(round) \(query)") { store, stream in
          try await store.append([.noted(.init(mark: round))], to: stream, unless: query)
        }
      }
      try await check(machines, true, "\(round) without tags") { store, stream in
        try await store.append(
          [.noted(.init(mark: round))], to: stream, unless: EventQuery([\.booked]), after: 3)
      }
    }
    #expect(try machines[1].store.events("x") == [])
    let url = directory.url.appendingPathComponent("m2.annals")
    #expect(try EventLog.verify(url).isClean)
    #expect(try hasFeature("m2") && !hasFeature("m1"))
    // A machine that begins with its backup decides in the same way.
    try machines[1].store.log.backup(to: directory.url.appendingPathComponent("m4.annals"))
    try await check(machines + [open(SeatsPlan.self, "m4")], true, "backup") { store, stream in
      try await store.append(
        [.noted(.init(mark: 5))], to: stream, unless: EventQuery(tags: [EventTag("seat", "1a")]))
    }
  }

  @Test func `a pass that was interrupted continues with what conditions compare`() async throws {
    let machines = [try await open(SeatsPlan.self, "m1"), try await open(SeatsPlan.self, "m2")]
    let second = try machines[1].store
    for number in 0..<40 {
      try await second.append([.booked(.init(seat: "s\(number)", mark: number))], to: "x")
    }
    try await second.truncate("x", before: 30)
    try await catchUp(machines)
    var options = MigrationOptions()
    (options.batch, options.durableBatch) = (10, 10)
    let (batches, batch) = AsyncStream.makeStream(of: Void.self)
    let isStopped = DispatchSemaphore(value: 0)
    options.atPoint = { point in
      guard point == .batchCommitted else { return }
      batch.yield()
      isStopped.wait()
      isStopped.signal()
    }
    let run = try second.log.compact(options)
    for await _ in batches { break }
    run.stop()
    isStopped.signal()
    let stopped = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(stopped?.code == .cancelled)
    options = MigrationOptions()
    options.unfinished = .mustBeThere
    #expect(try await second.log.compact(options).report().resumedAt > 0)
    for seat in ["seat:s2", "seat:s25", "seat:s35"] {
      try await check(machines, true, "\(seat)") { store, stream in
        try await store.append(
          [.noted(.init(mark: 1))], to: stream, unless: EventQuery([\.booked], tags: [EventTag(seat)]))
      }
    }
    #expect(try EventLog.verify(directory.url.appendingPathComponent("m2.annals")).isClean)
  }

  @Test func `conditions find the types of before a pass, and events that it has dropped`() async throws {
    let old = try await open(DealsPlan1.self, "old")
    try await old.store.append(
      [
        .moved(.init(account: "a", amount: 5)), .sent(.init(account: "b")), .noted(.init(account: "c")),
        .opened(.init(account: "d")), .moved(.init(account: "e", amount: 0)),
      ], to: "x")
    let machines = [
      try await open(DealsPlan2.self, "m1"), try await open(DealsPlan2.self, "m2"),
      try await open(DealsPlan2.self, "m3"),
    ]
    try await catchUp(machines)
    _ = try await machines[1].store.migrate().report()
    // The older program selects no 'Noted', which the pass has given a newer version.
    let opened = EventQuery<DealsV1.Event>([\.opened], tags: ["account:c"])
    try await old.store.append([.opened(.init(account: "f"))], to: "old", unless: opened)
    try await catchUp(machines)
    #expect(try machines[0].store.activate(superseding: true).isActivated)
    try await catchUp(machines)
    for round in 1...2 {
      for (query, isRefused) in [
        (EventQuery<DealsV2.Event>([\.paid], tags: ["account:a"]), true),
        (EventQuery([\.drawn], tags: ["account:a"]), true),
        (EventQuery([\.noted], tags: ["account:a"]), false),
        (EventQuery(tags: ["account:b"]), true),
        (EventQuery([\.opened], tags: ["account:b"]), false),
        (EventQuery([\.noted], tags: ["account:c"]), true),
        (EventQuery([\.drawn], tags: ["account:e"]), true),
      ] {
        try await check(machines, isRefused, "\(round) \(query)") { store, stream in
          try await store.append([.drawn(.init(account: "z", amount: 1))], to: stream, unless: query)
        }
      }
      for (type, isRefused) in [("Moved", true), ("Paid", false), ("Drawn", false)] {
        let query = LogQuery([.init(types: [type], tags: ["account:a"])])
        try await check(machines, isRefused, "\(round) untyped \(type)") { store, stream in
          let payload = try Payload(["account": "q"] as CBOR)
          let entry = NewEntry(type: "Opened", version: SchemaVersion(2, 0, 0), payload: payload)
          return try await store.log.append([entry], to: stream, unless: query)
        }
      }
      // The next pass begins with entries that have their original types.
      _ = try await machines[1].store.log.compact().report()
    }
    #expect(try EventLog.verify(directory.url.appendingPathComponent("m2.annals")).isClean)
    for machine in machines[1...] { _ = try await machine.store.migrate().report() }
    #expect(try machines[2].store.log.lines() == machines[1].store.log.lines())
  }

  @Test func `the name of an erased stream leads to the stream on each machine, also after a pass`()
    async throws
  {
    let machines = [try await open(SeatsPlan.self, "m1"), try await open(SeatsPlan.self, "m2")]
    let (first, second) = (try machines[0].store, try machines[1].store)
    try await first.append([.noted(.init(mark: 1)), .noted(.init(mark: 2))], to: "x")
    try await first.append([.noted(.init(mark: 3))], to: "y")
    _ = try first.erase(stream: "x", by: "test", because: "asked")
    try await catchUp(machines)
    for _ in 1...2 {
      _ = try await second.log.compact().report()
      #expect(try second.log.read { try $0.entry(at: 1)?.stream } == "$erased-1")
      let names = try second.log.read { (snapshot) throws(AnnalsError) in
        var streams = try snapshot.streams()
        var names: [StreamName] = []
        while let stream = try streams.next() { names.append(stream.name) }
        return names
      }
      #expect(names == ["$annals", "y"])
      // Both machines know that nothing is left to erase.
      #expect(try second.erase(stream: "x", by: "test", because: "again").entries == 0)
      try await catchUp(machines)
    }
    let refused = await #expect(throws: AnnalsError.self) {
      try await second.append([.noted(.init(mark: 4))], to: "x", expecting: .revision(0))
    }
    #expect(refused?.code == .conflict)
    #expect(try await first.append([.noted(.init(mark: 4))], to: "x").revisions == [2])
    try await catchUp(machines)
    _ = try await second.log.compact().report()
    #expect(try await second.append([.noted(.init(mark: 5))], to: "x").revisions == [3])
    try await catchUp(machines)
    #expect(try first.log.lines() == second.log.lines())
    #expect(machines[0].status?.hash == machines[1].status?.hash)
    #expect(try EventLog.verify(directory.url.appendingPathComponent("m2.annals")).isClean)
  }
}

@Schema(1, 0, 0) enum DealsV1 {
  @Record struct Moved {
    @Field(tag: "account") var account: String
    var amount: Int
  }
  @Record struct Sent { @Field(tag: "account") var account: String }
  @Record struct Noted { @Field(tag: "account") var account: String }
  @Record struct Opened { @Field(tag: "account") var account: String }
}

@Schema(2, 0, 0) enum DealsV2 {
  @Record struct Paid {
    @Field(tag: "account") var account: String
    var amount: Int
  }
  @Record struct Drawn {
    @Field(tag: "account") var account: String
    var amount: Int
  }
  @Record struct Noted {
    @Field(tag: "account") var account: String
    var text: String?
  }
  typealias Opened = DealsV1.Opened
}

enum DealsPlan1: SchemaMigrationPlan { static var stages: MigrationChain<DealsV1, DealsV1> {} }

enum DealsPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<DealsV1, DealsV2> {
    MigrationStage.custom(fromVersion: DealsV1.self, toVersion: DealsV2.self) {
      Split(\.moved, into: [\.paid, \.drawn]) { old, _ in
        if old.amount == 0 { return [] }
        return old.amount > 0
          ? [.paid(.init(account: old.account, amount: old.amount))]
          : [.drawn(.init(account: old.account, amount: -old.amount))]
      }
      Drop(\.sent, reason: "nobody reads it")
    }
  }
}

extension EventStore {
  /// The events of a stream.
  fileprivate func events(_ stream: StreamName) throws -> [String] {
    try read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: stream)
      var events: [String] = []
      while let entry = try entries.next() { events.append("\(entry.event)") }
      return events
    }
  }
}
