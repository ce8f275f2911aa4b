import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

/// The steps of a roll-out as messages of a cluster's log.
@Suite struct SharedRolloutTests {
  private static let newer = SchemaVersion(2, 0, 0)

  private func open<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ directory: TemporaryDirectory, _ name: String, _ connection: MemoryLog.Connection
  ) async throws -> ClusterStore<Plan> {
    var membership = ClusterOptions()
    membership.programLease = .seconds(1)
    return try await ClusterStore.open(
      at: directory.url.appendingPathComponent("\(name).annals"), plan: plan, log: connection,
      options: Machine.options(), cluster: membership)
  }

  @Test func `a contraction stops older programs at its place on every machine, and newer ones go on`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let away = log.connect()
    var old: ClusterStore<WeightsPlan1>? = try await open(WeightsPlan1.self, directory, "old", away)
    try await need(old).store.append([.weighed(.init(pounds: 1, mark: 1))], to: "a")
    away.setCut(true)
    let new = try await open(WeightsPlan2.self, directory, "new", log.connect())
    let other = try await open(WeightsPlan2.self, directory, "other", log.connect())
    try await new.waitUntil(1)
    // The machine that is away counts as running until its lease ends.
    try await waitUntil { try !new.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) } }
    #expect(try new.store.activate().isActivated)
    #expect(try !new.store.activate().isActivated)
    try await new.store.append([.weighed(.init(ounces: 5, mark: 2))], to: "b")
    let left = #expect(throws: AnnalsError.self) { try new.store.contract() }
    #expect(left?.code == .requiresPass)
    _ = try await new.store.migrate().report()
    #expect(try new.store.contract().isContracted)
    #expect(try new.store.contract().phase == .contracted)
    // A machine whose pass is still due reads its older events.
    try await other.waitUntil(2)
    let read = try other.store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var ounces: [Int] = []
      while let entry = try entries.next() {
        if case .weighed(let weighed) = entry.event { ounces.append(weighed.ounces) }
      }
      return ounces
    }
    #expect(read == [16, 5])
    try await other.store.append([.noted(.init(mark: 3))], to: "a")
    away.setCut(false)
    // It stops at the first event that it cannot read.
    try await waitUntil { old?.status?.isStopped == true }
    #expect(old?.status?.needs == Self.newer)
    #expect(try need(old).store.log.lines().count == 1)
    old = nil
    let upgraded = try await open(WeightsPlan2.self, directory, "old", away)
    try await upgraded.waitUntil(3)
    try await waitUntil { upgraded.status?.applied == UInt64(log.messages.count) }
    #expect(upgraded.status?.hash == other.status?.hash)
    upgraded.leave()
    let late = await #expect(throws: AnnalsError.self) {
      _ = try await open(WeightsPlan1.self, directory, "old", away)
    }
    #expect(late?.code == .superseded)
  }

  @Test func `a program of a retired version stops before the contraction, also if it reads all events`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let connection = log.connect()
    let new = try await open(WeightsPlan2.self, directory, "new", log.connect())
    try await new.store.append([.noted(.init(mark: 1))], to: "a")
    connection.setCut(true)
    #expect(try new.store.activate(superseding: true).isActivated)
    #expect(try new.store.contract().isContracted)
    connection.setCut(false)
    var old: ClusterStore<WeightsPlan1>? = try await open(WeightsPlan1.self, directory, "old", connection)
    try await waitUntil { old?.status?.isStopped == true }
    #expect(old?.status?.problem?.code == .superseded)
    #expect(old?.status?.needs == Self.newer)
    // It has applied the activation and not the contraction.
    #expect(old?.status?.applied == UInt64(log.messages.count - 1))
    #expect(try need(old).store.log.lines().count == 1)
    // A newer program applies it.
    old = nil
    let upgraded = try await open(WeightsPlan2.self, directory, "old", connection)
    try await waitUntil { upgraded.status?.applied == UInt64(log.messages.count) }
    #expect(upgraded.status?.commits == new.status?.commits)
    #expect(upgraded.status?.hash == new.status?.hash)
  }

  @Test func `an activation waits for the programs of other machines, and for those of this one`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let new = try await open(WeightsPlan2.self, directory, "new", log.connect())
    let old = try await open(WeightsPlan1.self, directory, "old", log.connect())
    try await waitUntil { try new.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) } }
    let refused = #expect(throws: AnnalsError.self) { try new.store.activate() }
    #expect(refused?.code == .busy)
    #expect(refused?.message.contains("on machine") == true)
    #expect(try new.store.activate(isRehearsal: true).olderPrograms.count >= 1)
    // A machine that leaves says so, long before its lease ends.
    old.leave()
    try await waitUntil { try !new.store.log.programs().contains { $0.machine != nil } }
    var options = StoreOptions()
    options.access = .readOnly
    do {
      // A reader next to the member holds a lease in the store's directory.
      let reader = try EventStore(
        at: directory.url.appendingPathComponent("new.annals"), plan: WeightsPlan1.self, options: options)
      #expect(throws: AnnalsError.self) { try new.store.activate() }
      withExtendedLifetime(reader) {}
    }
    #expect(try new.store.activate().isActivated)
  }

  @Test func `a machine that was cut off asks the others again before it activates`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let connection = log.connect()
    let new = try await open(WeightsPlan2.self, directory, "new", connection)
    let old = try await open(WeightsPlan1.self, directory, "old", log.connect())
    try await waitUntil { try new.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) } }
    connection.setCut(true)
    try await waitUntil { try !new.store.log.programs().contains { $0.machine != nil } }
    connection.setCut(false)
    let refused = #expect(throws: AnnalsError.self) { try new.store.activate() }
    #expect(refused?.code == .busy)
    withExtendedLifetime(old) {}
  }

  @Test func `without the other machines an activation fails at its deadline`() async throws {
    let directory = try TemporaryDirectory()
    let connection = MemoryLog().connect()
    var membership = ClusterOptions()
    membership.deadline = .seconds(1)
    let new = try await ClusterStore.open(
      at: directory.url.appendingPathComponent("new.annals"), plan: WeightsPlan2.self, log: connection,
      options: Machine.options(), cluster: membership)
    let store = try new.store
    connection.setCut(true)
    let refused = #expect(throws: AnnalsError.self) { try store.activate(superseding: true) }
    #expect(refused?.code == .unavailable)
  }

  @Test func `programs announce readers of their machine, which others wait for`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let first = try await open(WeightsPlan2.self, directory, "m1", log.connect())
    let second = try await open(WeightsPlan2.self, directory, "m2", log.connect())
    var options = StoreOptions()
    options.access = .readOnly
    let reader = try EventStore(
      at: directory.url.appendingPathComponent("m2.annals"), plan: WeightsPlan1.self, options: options)
    try await waitUntil {
      try first.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) && $0.machine != nil }
    }
    let refused = #expect(throws: AnnalsError.self) { try first.store.activate() }
    #expect(refused?.code == .busy)
    withExtendedLifetime((reader, second)) {}
  }

  @Test func `a version above a bridge activates it first, once no older program runs`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let old = try await open(WeightsPlan1.self, directory, "old", log.connect())
    let middle = try await open(WeightsPlan2.self, directory, "middle", log.connect())
    let newest = try await open(WeightsPlan3.self, directory, "newest", log.connect())
    try await waitUntil { try newest.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) } }
    let event = WeightsV3.Event.weighed(.init(ounces: 16, mark: 1, scale: "s"))
    let refused = await #expect(throws: AnnalsError.self) {
      try await newest.store.append([event], to: "a")
    }
    #expect(refused?.code == .busy)
    // A record that the older version has no form for waits as well.
    let later = await #expect(throws: AnnalsError.self) {
      try await middle.store.append([.calibrated(.init(mark: 2))], to: "a")
    }
    #expect(later?.code == .unrepresentable)
    old.leave()
    try await waitUntil {
      try !newest.store.log.programs().contains { $0.version == SchemaVersion(1, 0, 0) }
    }
    try await newest.store.append([event], to: "a")
    #expect(try newest.store.log.versions() == [SchemaVersion(3, 0, 0)])
    try await waitUntil { middle.status?.isStopped == true }
    #expect(middle.status?.needs == SchemaVersion(3, 0, 0))
    // The bridge became active in the log, before the event.
    let back = try await open(WeightsPlan1.self, directory, "back", log.connect())
    try await waitUntil { back.status?.isStopped == true }
    #expect(try EventLog.inspect(directory.url.appendingPathComponent("back.annals")).schemas.count >= 1)
  }

  @Test(arguments: [0, 20])
  func `an activation counts after a pass, which begins again if it came meanwhile`(
    milliseconds: Int
  ) async throws {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog()
    let old = try await open(SeatsPlan.self, directory, "old", log.connect())
    for number in 0..<40 {
      let events = (0..<50).map { SeatsV1.Event.noted(.init(mark: number * 50 + $0)) }
      try await old.store.append(events, to: StreamName("s\(number % 7)"))
    }
    let rewriting = try await open(NewSeatsPlan.self, directory, "rewriting", log.connect())
    let other = try await open(NewSeatsPlan.self, directory, "other", log.connect())
    try await rewriting.waitUntil(2_000)
    try await other.waitUntil(2_000)
    let store = try rewriting.store
    let pass = Task { try await store.migrate().report() }
    try await Task.sleep(for: .milliseconds(milliseconds))
    #expect(try other.store.activate(superseding: true).isActivated)
    do { _ = try await pass.value } catch let error as AnnalsError {
      #expect(error.code == .busy)
      _ = try await store.migrate().report()
    }
    for member in [rewriting, other] {
      try await waitUntil { member.status?.applied == UInt64(log.messages.count) }
      #expect(try member.store.activate(superseding: true).phase == .active)
    }
    let refused = await #expect(throws: AnnalsError.self) {
      try await old.store.append([.noted(.init(mark: 1))], to: "s1")
    }
    #expect(refused?.code == .superseded)
    try await rewriting.store.append([.cleared(.init(mark: 2))], to: "s1")
    for member in [rewriting, other] {
      try await waitUntil { member.status?.applied == UInt64(log.messages.count) }
      #expect(try member.store.log.info().entries == 2_001)
      #expect(member.status?.hash == rewriting.status?.hash)
    }
  }

  @Test func `a pass waits for the activation of a bridge that older programs cannot read`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let new = try await open(WeightsPlan2.self, directory, "new", log.connect())
    try await new.store.append([.weighed(.init(ounces: 32, mark: 1))], to: "a")
    #expect(try new.store.log.versions() == [SchemaVersion(1, 0, 0)])
    let early = await #expect(throws: AnnalsError.self) { _ = try await new.store.migrate().report() }
    #expect(early?.code == .requiresActivation)
    #expect(try new.store.activate().isActivated)
    _ = try await new.store.migrate().report()
    #expect(try new.store.log.versions() == [Self.newer])
    try await new.store.append([.weighed(.init(ounces: 5, mark: 2))], to: "a")
    #expect(new.status?.isStopped == false)
  }
}
