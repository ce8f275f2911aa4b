import Annals
import AnnalsLog
import AnnalsProjections
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

/// The activation of inline projections at its place in a cluster's log.
@Suite struct InlineActivationTests {
  /// Begins the cluster by a program of the first release, so that only its projection is in force.
  private func begin(_ directory: TemporaryDirectory, _ log: MemoryLog) async throws {
    let (machine, _) = try await machine(directory, "m0", log, 1)
    machine.close()
  }

  private func machine(
    _ directory: TemporaryDirectory, _ name: String, _ log: MemoryLog, _ release: Int
  ) async throws -> (SeatMachine, SeatProgram) {
    let machine = SeatMachine(directory, name, log.connect())
    return (machine, try await machine.open(release))
  }

  private func catchUp(_ programs: [SeatProgram], _ log: MemoryLog) async throws {
    try await waitUntil {
      programs.allSatisfy { ($0.status()?.applied ?? 0) >= UInt64(log.messages.count) }
    }
  }

  @Test func `an event that a new projection refuses ends the activation before other machines hear of it`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (_, first) = try await machine(directory, "m1", log, 2)
    // The projection is not in force, so that it refuses nothing.
    _ = try await first.append(SeatWish(kind: .note, mark: 1), "a")
    _ = try await first.append(SeatWish(kind: .clear, mark: 2), "a")
    let count = log.messages.count
    let refused = #expect(throws: AnnalsError.self) { _ = try first.activate(true) }
    #expect(refused?.code == .rejected)
    #expect(refused?.details.position == 2)
    #expect(log.messages.count == count)
    try first.erase(2)
    #expect(try first.activate(true).isActivated)
    #expect(try first.differences().isEmpty)
  }

  @Test func `an activation that the log's events refuse is refused on every machine, which goes on`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (_, first) = try await machine(directory, "m1", log, 2)
    let (_, second) = try await machine(directory, "m2", log, 2)
    _ = try await first.append(SeatWish(kind: .note, mark: 1), "a")
    _ = try await first.append(SeatWish(kind: .clear, mark: 2), "a")
    // As if the event had come between the caller's look at its own rows and the message.
    let step = RolloutStep(
      .activate, SchemaVersion(2, 0, 0), .released,
      RuleSwitch(
        begins: [RuleVersion(name: "bookings", version: 2), RuleVersion(name: "even-notes", version: 1)]))
    let id = try first.log().id
    let commit = CommitID(id: UUID(), base: UInt64(log.messages.count))
    let change = LogChange(.roll(step), author: "", reason: "")
    log.store(try ClusterMessage(log: id, .change(change, commit)).encoded())
    try await catchUp([first, second], log)
    let commits = first.status()?.commits
    _ = try await second.append(SeatWish(kind: .note, mark: 3), "a")
    try await catchUp([first, second], log)
    #expect(first.status()?.commits == commits.map { $0 + 1 })
    #expect(first.status()?.hash == second.status()?.hash)
    for program in [first, second] {
      #expect(program.status()?.isStopped == false)
      let inForce = try program.log().inlineProjections().filter { $0.state == .live }
      #expect(inForce.map(\.version) == [1])
    }
    // The stream has two notes now, but not at the place of the event.
    let refused = #expect(throws: AnnalsError.self) { _ = try second.activate(true) }
    #expect(refused?.code == .rejected)
  }

  @Test func `a program needs the projections in force, and says which`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (old, first) = try await machine(directory, "m1", log, 1)
    let (_, second) = try await machine(directory, "m2", log, 2)
    _ = try await first.append(SeatWish(kind: .book("a"), mark: 1), "a")
    #expect(try second.activate(true).isActivated)
    try await waitUntil { first.status()?.isStopped == true }
    #expect(first.status()?.problem?.message.contains("'bookings' in version 2, 'even-notes'") == true)
    // With the newer program it goes on, and then the older one cannot open the store.
    let upgraded = try await old.open(2)
    try await catchUp([upgraded], log)
    old.close()
    let refused = await #expect(throws: AnnalsError.self) {
      try await waitUntil {
        do {
          _ = try await SeatProgram.open(1, old.url, log.connect())
          return true
        } catch let error as AnnalsError where error.code == .busy {
          return false
        }
      }
    }
    #expect(refused?.code == .superseded)
    // An activation of versions before those in force is refused.
    let step = RolloutStep(
      .activate, SchemaVersion(2, 0, 0), .released,
      RuleSwitch(begins: [RuleVersion(name: "bookings", version: 1)]))
    let commits = second.status()?.commits
    log.store(
      try ClusterMessage(
        log: second.log().id,
        .change(
          LogChange(.roll(step), author: "", reason: ""),
          CommitID(id: UUID(), base: UInt64(log.messages.count)))
      ).encoded())
    try await catchUp([second], log)
    #expect(second.status()?.commits == commits)
    #expect(try second.rows().count == 1)
  }

  @Test func `what a pass or a truncation hides on one machine is folded on none`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (_, first) = try await machine(directory, "m1", log, 2)
    let (_, second) = try await machine(directory, "m2", log, 2)
    for mark in 1...3 { _ = try await first.append(SeatWish(kind: .note, mark: mark), "a") }
    _ = try await first.append(SeatWish(kind: .book("x"), mark: 4), "b")
    _ = try await first.append(SeatWish(kind: .book("y"), mark: 5), "b")
    // A failed activation leaves rows on this machine that are folded before the truncation.
    _ = try await first.append(SeatWish(kind: .clear, mark: 6), "a")
    #expect(throws: AnnalsError.self) { _ = try first.activate(true) }
    try first.erase(6)
    try await first.truncate("a", 1)
    try await first.truncate("b", nil)
    try await catchUp([first, second], log)
    // One machine makes stubs of the hidden entries.
    _ = try await second.log().compact().report()
    #expect(try second.activate(true).isActivated)
    try await catchUp([first, second], log)
    #expect(try first.rows() == second.rows())
    // The stream has two notes that are not hidden.
    _ = try await second.append(SeatWish(kind: .clear, mark: 7), "a")
    _ = try await first.append(SeatWish(kind: .book("x"), mark: 8), "c")
    try await catchUp([first, second], log)
    #expect(first.status()?.hash == second.status()?.hash)
  }

  @Test(arguments: [false, true])
  func `rows that one machine folds early forget what is erased or truncated before the activation`(
    isErased: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (_, first) = try await machine(directory, "m1", log, 2)
    let (_, second) = try await machine(directory, "m2", log, 2)
    for mark in 1...3 { _ = try await first.append(SeatWish(kind: .note, mark: mark), "a") }
    _ = try await first.append(SeatWish(kind: .book("x"), mark: 4), "b")
    try first.fold()
    let early = try first.log().inlineProjections().filter { $0.state == .building }
    #expect(early.count == 2 && early.allSatisfy { $0.lag == 0 })
    if isErased { try first.erase(1) } else { try await first.truncate("a", 1) }
    try await catchUp([first, second], log)
    #expect(try second.activate(true).isActivated)
    try await catchUp([first, second], log)
    #expect(try first.rows() == second.rows())
    // Two notes are left.
    _ = try await first.append(SeatWish(kind: .clear, mark: 5), "a")
    #expect(try second.rows().count == 2)
  }

  @Test func `a call after the activation at which its machine stops has no verdict there`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let old = Machine(directory, "m0", log.connect())
    let connection = OvertakenLog(old.connection)
    old.log = connection
    try await old.open(inline: [Bookings.self])
    let (_, new) = try await machine(directory, "m1", log, 2)
    // Another roll-out has the projections alone, so that calls of the older version are accepted.
    let step = RolloutStep(
      .activate, SchemaVersion(1, 0, 0), .released,
      RuleSwitch(begins: [RuleVersion(name: "even-notes", version: 1)]))
    let change = LogChange(.roll(step), author: "", reason: "")
    connection.overtake(
      by: try ClusterMessage(log: new.log().id, .change(change, CommitID(id: UUID(), base: 1))).encoded())
    let error = await #expect(throws: AnnalsError.self) {
      try await old.store.append([.noted(.init(mark: 1))], to: "a")
    }
    #expect(error?.code == .unavailable)
    #expect(old.cluster?.status?.problem?.code == .superseded)
    // Other machines have accepted it.
    try await catchUp([new], log)
    #expect(try new.log().lines().count == 1)
  }

  @Test func `a pass of one machine leaves its inline rows equal to those of the others`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    try await begin(directory, log)
    let (_, first) = try await machine(directory, "m1", log, 2)
    let (_, second) = try await machine(directory, "m2", log, 2)
    let (_, old) = try await machine(directory, "m3", log, 1)
    _ = try await old.append(SeatWish(kind: .book("x"), mark: 1), "b")
    _ = try await old.append(SeatWish(kind: .note, mark: 2), "a")
    #expect(try first.activate(true).isActivated)
    try await first.truncate("b", nil)
    try await catchUp([first, second], log)
    try await second.migrate()
    #expect(try second.log().versions() == [SchemaVersion(2, 0, 0)])
    #expect(try first.rows() == second.rows())
    for mark in 3...5 {
      // The seat has two places, one of them by the hidden event.
      let program = mark == 3 ? second : first
      do throws(AnnalsError) {
        _ = try await program.append(SeatWish(kind: .book("x"), mark: mark), "c")
        #expect(mark == 3)
      } catch {
        #expect(mark > 3 && error.code == .rejected)
      }
    }
    try await catchUp([first, second], log)
    #expect(first.status()?.hash == second.status()?.hash)
    #expect(try first.rows() == second.rows())
  }

  @Test func `an event that one machine cannot read stops that machine, until its program can read it`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    func open<Plan: SchemaMigrationPlan>(
      _ plan: Plan.Type, _ name: String, _ inline: [any InlineProjection<Plan.Current.Event>.Type]
    ) async throws -> ClusterStore<Plan> {
      try await ClusterStore.open(
        at: directory.url.appendingPathComponent("\(name).annals"), plan: plan, log: log.connect(),
        options: Machine.options(), inline: inline)
    }
    let old = Machine(directory, "m0", log.connect())
    try await old.open()
    try await old.store.append([.noted(.init(mark: 13)), .noted(.init(mark: 14))], to: "a")
    let good = try await open(NewSeatsPlan.self, "m1", [EvenNotes.self])
    var bad: ClusterStore<UnluckySeatsPlan>? = try await open(UnluckySeatsPlan.self, "m2", [EvenNotes.self])
    try await good.waitUntil(2)
    #expect(try good.store.activate(superseding: true).isActivated)
    try await waitUntil { bad?.status?.isStopped == true }
    #expect(bad?.status?.problem?.code == .ruleFailed)
    #expect(bad?.status?.needs == nil)
    #expect(try need(bad).store.log.lines().count == 2)
    // The caller looks at its own rows first.
    let refused = #expect(throws: AnnalsError.self) { try need(bad).store.activate(superseding: true) }
    #expect(refused?.code == .ruleFailed)
    bad = nil
    try await good.store.append([.cleared(.init(mark: 15))], to: "a")
    let mended = try await open(NewSeatsPlan.self, "m2", [EvenNotes.self])
    try await mended.waitUntil(3)
    #expect(mended.status?.hash == good.status?.hash)
    #expect(try mended.store.differencesOfInlineRows().isEmpty)
  }
}

/// A plan with a rule that throws at one event.
private enum UnluckySeatsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV2> {
    MigrationStage.custom(fromVersion: SeatsV1.self, toVersion: SeatsV2.self) {
      Upcast(\.noted, to: \.noted) { old, _ in
        if old.mark == 13 { throw Missing() }
        return .init(mark: old.mark)
      }
    }
  }
}
