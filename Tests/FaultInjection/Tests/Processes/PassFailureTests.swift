import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import FaultPrograms

/// Passes that end with an error: the store is as it was, and works.
@Suite(.serialized) struct PassFailureTests {
  /// The state that a failed pass must not change.
  private struct Remains: Equatable {
    var rows: [String]
    var names: Set<String>
    var hasPass: Bool
  }

  private func remains(_ trial: PassTrial) throws -> Remains {
    let log = try EventLog(
      at: trial.temporary.url, options: StoreOptions(access: .readOnly, creation: .never))
    let pass = try log.core.generation.read { (reader) throws(AnnalsError) in try reader.pass() }
    let names = try FileManager.default.contentsOfDirectory(atPath: trial.temporary.url.path)
    return Remains(
      rows: try trial.rows(), names: Set(names.filter { $0 != "pass.lock" && !$0.hasPrefix("program-") }),
      hasPass: pass != nil)
  }

  /// Expects that a pass fails with a code and changes nothing, and that the store then takes an append and
  /// another pass.
  private func expect<Plan: SchemaMigrationPlan>(
    _ code: AnnalsError.Code, of plan: Plan.Type, _ trial: PassTrial, at position: Position? = nil
  ) async throws {
    let before = try remains(trial)
    #expect(!before.hasPass)
    do {
      let store = try EventStore(at: trial.temporary.url, plan: plan)
      let error = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
      #expect(error?.code == code, "\(String(describing: error))")
      if let position { #expect(error?.details.position == position) }
    }
    let after = try remains(trial)
    #expect(after == before)
  }

  /// Expects that the store takes appends and a pass.
  private func expectWork(_ trial: PassTrial) throws {
    try trial.checkReading("after the failure")
    let writer = try trial.writer(1, calls: 2)
    #expect(try writer.wait() == .exit(0), "\(writer.text())")
    #expect(try trial.finish().first == "done")
    try trial.checkReading("after a pass", writers: [1])
    try trial.checkOrder("after a pass")
  }

  // Promise P147.
  @Test func `a stage that doubts the result ends the pass`() async throws {
    let trial = try await PassTrial()
    try await expect(.verifyFailed, of: DoubtingMeals.self, trial)
    try expectWork(trial)
  }

  @Test func `a rule that fails in the middle ends the pass at its position`() async throws {
    let trial = try await PassTrial()
    // Three events a call, the order first.
    try await expect(.ruleFailed, of: RefusingMeals.self, trial, at: Position(25 * 3 + 1))
    try expectWork(trial)
  }

  @Test func `an entry that a rule fails on is set aside where that is asked for`() async throws {
    let trial = try await PassTrial()
    let store = try EventStore(at: trial.temporary.url, plan: RefusingMeals.self)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    let report = try await store.migrate(options).report()
    #expect(report.isDone && report.quarantined == 1)
    let error = #expect(throws: AnnalsError.self) {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while try entries.next() != nil {}
      }
    }
    #expect(error?.details.position == Position(25 * 3 + 1))
    #expect(try EventLog.verify(trial.temporary.url).isClean)
  }

  @Test func `a damaged entry in the middle ends the pass at its position`() async throws {
    let trial = try await PassTrial()
    let file = trial.temporary.url.appendingPathComponent("log-000001.mdb")
    let bytes = try Data(contentsOf: file)
    let handle = try FileHandle(forWritingTo: file)
    var (next, places) = (bytes.startIndex, 0)
    // Pages that were replaced have the text, too.
    while let place = bytes[next...].range(of: Data("cook 25".utf8)) {
      try handle.seek(toOffset: UInt64(place.lowerBound))
      try handle.write(contentsOf: [bytes[place.lowerBound] ^ 1])
      (next, places) = (place.upperBound, places + 1)
    }
    try handle.close()
    try #require(places > 0)
    try await expect(.damaged, of: Meals.self, trial, at: Position(25 * 3 + 3))
  }

  @Test func `a pass of a store that was opened for reading is refused`() async throws {
    let trial = try await PassTrial()
    let before = try remains(trial)
    let store = try EventStore(
      at: trial.temporary.url, plan: Meals.self,
      options: StoreOptions(access: .readOnly, creation: .never))
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(error?.code == .readOnly)
    let after = try remains(trial)
    #expect(after == before)
  }

  @Test func `a pass by an older program is refused`() async throws {
    let trial = try await PassTrial()
    let old = try EventStore(at: trial.temporary.url, plan: FirstMeals.self)
    let writer = try trial.writer(1, calls: 2)
    #expect(try writer.wait() == .exit(0))
    let before = try remains(trial)
    let error = await #expect(throws: AnnalsError.self) { try await old.migrate().report() }
    #expect(error?.code == .newerSchema)
    let after = try remains(trial)
    #expect(after == before)
  }

  @Test func `a second pass at the same time is refused`() async throws {
    let trial = try await PassTrial()
    let store = try EventStore(at: trial.temporary.url, plan: Meals.self)
    let isNamed = Atomic(false)
    let goesOn = Atomic(false)
    var options = MigrationOptions()
    options.atPoint = { point in
      guard point == .named else { return }
      isNamed.store(true, ordering: .releasing)
      while !goesOn.load(ordering: .acquiring) { usleep(1_000) }
    }
    let run = try store.migrate(options)
    while !isNamed.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(1)) }
    // One of this process has its lock.
    let child = try trial.pass("slow")
    #expect(try child.wait() == .exit(0))
    let text = child.text()
    goesOn.store(true, ordering: .releasing)
    #expect(text.contains("refused busy"), "\(text)")
    #expect(try await run.report().isDone)
    try trial.checkReading("after both")
    try trial.checkOrder("after both")
  }

  @Test func `an unfinished pass of another plan is in the way until it is thrown away`() async throws {
    let trial = try await PassTrial()
    let killed = try trial.pass("batchCommitted:2")
    #expect(try killed.wait() == .signal(SIGKILL))
    let before = try remains(trial)
    #expect(before.hasPass)
    do {
      let log = try EventLog(at: trial.temporary.url)
      let error = await #expect(throws: AnnalsError.self) { try await log.compact().report() }
      #expect(error?.code == .wrongUse)
      let after = try remains(trial)
      #expect(after == before)
      var options = MigrationOptions()
      options.unfinished = .discard
      let report = try await log.compact(options).report()
      #expect(report.isDone && report.generation == 3 && report.resumedAt == 0)
    }
    try trial.checkReading("after the other pass")
    try trial.checkOrder("after the other pass")
  }

  @Test func `a file that may not grow ends the pass, and it works once it may`() async throws {
    let first = try await PassTrial()
    let whole = try remains(first)
    var failures = 0
    for pages in stride(from: 2, through: 60, by: 4) {
      let trial = try PassTrial(copying: first)
      let text = try trial.finish("limit:\(pages * 4096)")
      if text.first == "done" { continue }
      #expect(text.prefix(2) == ["refused", "diskFull"], "\(pages): \(text)")
      failures += 1
      var after = try remains(trial)
      // If the old generation may not grow either, it still names the pass, whose file is gone.
      after.hasPass = false
      #expect(after == whole, "\(pages)")
      if failures % 3 == 1 { try expectWork(trial) }
    }
    #expect(failures > 3)
  }

  // Promise P146.
  @Test(
    .enabled(if: SmallDisk.isPossible, "needs root, and mount"),
    arguments: [(PassPoint.named, 1), (.tables, 1), (.created, 1), (.batch, 1), (.batch, 3)])
  func `a disk that is full from some step on ends the pass, and nothing is left of it`(
    point: PassPoint, count: Int
  ) async throws {
    let first = try await PassTrial()
    let disk = try SmallDisk(bytes: 48 << 20)
    let trial = try PassTrial(copying: first, below: disk.directory)
    let before = try remains(trial)
    do {
      let store = try EventStore(at: trial.temporary.url, plan: Meals.self)
      var options = MigrationOptions()
      (options.batch, options.durableBatch) = (25, 25)
      let met = Mutex(0)
      options.atPoint = { [disk] in
        guard $0 == point,
          met.withLock({
            $0 += 1; return $0
          }) == count
        else { return }
        disk.fill()
      }
      let run = try store.migrate(options)
      let error = await #expect(throws: AnnalsError.self) { try await run.report() }
      #expect(error?.code == .diskFull, "\(String(describing: error))")
    }
    let after = try remains(trial)
    #expect(after == before)
    try trial.checkReading("on a full disk")
    try disk.clear()
    try expectWork(trial)
  }
}
