import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// What a pass makes of streams, compared with a log that is an array.
@Suite struct StreamPassTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func expect(_ log: EventLog, is model: ClubModel, _ hint: Comment = "") throws {
    let places = try log.places()
    #expect(places.scanned == model.places, hint)
    #expect(places.walked == model.places, hint)
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [], hint)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `streams are renamed, merged and split, and entries dropped`(seed: UInt64) async throws {
    let model = ClubModel(seed: seed, count: 40 * Int(seed))
    try await place.seed(model)
    let store = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing())
    #expect(try store.lines() == model.at(2).delivered)
    try expect(store.log, is: model.at(2))
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `two stages with streams and rules between them are passes one after the other`(seed: UInt64)
    async throws
  {
    let model = ClubModel(seed: seed, count: 150)
    try await place.seed(model)
    var options = MigrationOptions()
    options.threads = Int(seed % 3) + 1
    options.batch = Int(seed) * 7
    options.durableBatch = Int(seed) * 9
    let store = try EventStore(at: place.url, plan: ClubPlan.self, options: .passing(options))
    #expect(try store.lines() == model.at(5).delivered)
    try expect(store.log, is: model.at(5))
    // Two passes for the streams, one for the stages after them.
    #expect(try store.log.info().generation == 4)
    let census = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.filter { $0.count > 0 }.allSatisfy { $0.version == ClubV5.version })
  }

  @Test func `the way over earlier versions leads to the same log`() async throws {
    let model = ClubModel(seed: 7, count: 200)
    try await place.seed(model)
    let other = try TemporaryStore()
    try FileManager.default.copyItem(at: place.url, to: other.url)
    do { _ = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing()) }
    do { _ = try EventStore(at: place.url, plan: ClubThird.self, options: .passing()) }
    do { _ = try EventStore(at: place.url, plan: ClubFourth.self, options: .passing()) }
    // Older programs would read events in streams that their version does not have.
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: ClubSecond.self, options: .passing())
    }
    #expect(error?.code == .newerSchema)
    let store = try EventStore(at: place.url, plan: ClubPlan.self, options: .passing())
    let straight = try EventStore(at: other.url, plan: ClubPlan.self, options: .passing())
    #expect(try store.lines() == model.at(5).delivered)
    #expect(try straight.lines() == model.at(5).delivered)
    #expect(try store.log.places().scanned == straight.log.places().scanned)
  }

  @Test func `a second pass has nothing to do`() async throws {
    let model = ClubModel(seed: 8, count: 60)
    try await place.seed(model)
    let store = try EventStore(at: place.url, plan: ClubPlan.self, options: .passing())
    let report = try await store.migrate().report()
    #expect(!report.isDone && report.generation == 4)
    #expect(
      try EventStore(at: place.url, plan: ClubPlan.self, options: .passing()).log.info().generation == 4)
  }

  @Test func `ids, times, metadata, positions and the ends of calls stay`() async throws {
    let model = ClubModel(seed: 9, count: 80)
    try await place.seed(model)
    func kept(_ log: EventLog) throws -> [String] {
      try log.read { (snapshot) throws(AnnalsError) in
        try snapshot.all().map { entry in
          // A drop takes the metadata, as it does anywhere.
          var isGone = false
          if case .stub = entry.content { isGone = true }
          let metadata = isGone || model.at(2).entries[Int(entry.position.rawValue) - 1].isGone
          return
            "\(entry.position) \(entry.id?.uuidString ?? "-") \(entry.time) \(entry.isEndOfCall) \(metadata ? "" : "\(entry.metadata)")"
        }
      }
    }
    let before: [String]
    do { before = try kept(place.open()) }
    do { _ = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing()) }
    #expect(try kept(place.open()) == before)
  }

  @Test func `a repeated append to a stream that was merged is refused, and stores nothing`() async throws {
    let model = ClubModel(seed: 10, count: 60)
    try await place.seed(model)
    let store = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing())
    let moved = model.at(2).entries
    let index = try #require(
      moved.lastIndex { entry in
        !entry.isGone && entry.kind == .weighed && entry.id != nil && entry.stream.hasPrefix("athlete")
      })
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(
        [NewEvent(.weighed(.init(n: moved[index].n)), id: moved[index].id)],
        to: StreamName(moved[index].stream))
    }
    #expect(error?.code == .streamMoved)
    #expect(try store.log.info().entries == 60)
  }

  @Test func `appends continue after the new ends of streams`() async throws {
    let model = ClubModel(seed: 11, count: 90)
    try await place.seed(model)
    let store = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing())
    let newest = model.at(2).entries.filter { $0.stream == "athlete-1" }.count
    let done = try await store.append(
      [.noted(.init(n: 1000)), .noted(.init(n: 1001))], to: "athlete-1",
      expecting: .revision(Revision(UInt64(newest - 1))))
    #expect(done.positions == [91, 92])
    #expect(done.revisions == [Revision(UInt64(newest)), Revision(UInt64(newest + 1))])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `entries appended while a pass continues go where the rule says`() async throws {
    let model = ClubModel(seed: 12, count: 100)
    try await place.seed(model)
    let old = try EventStore(at: place.url, plan: ClubFirst.self, options: .merging(every: 16))
    let appended = Mutex(0)
    var options = MigrationOptions()
    options.batch = 10
    options.durableBatch = 10
    options.atPoint = { point in
      guard [.batchCommitted, .copied, .merged, .reopened, .compared, .verified].contains(point) else {
        return
      }
      let number = appended.withLock { number -> Int in
        number += 1
        return number
      }
      // The pass waits for the append, which waits for nothing of the pass.
      let done = DispatchSemaphore(value: 0)
      Task {
        do { try await old.append([.weighed(.init(n: 10_000 + number))], to: "user \(number % 4)") } catch {
          Issue.record(error)
        }
        done.signal()
      }
      done.wait()
    }
    try await place.migrate(ClubSecond.self, options)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    let count = appended.withLock { $0 }
    #expect(count > 5)
    let lines = try store.lines()
    for number in 1...count {
      #expect(
        lines.contains {
          $0.contains(" athlete-\(number % 4) ") && $0.hasSuffix("weighed \(10_000 + number) -")
        })
    }
    #expect(Array(lines.prefix(model.at(2).delivered.count)) == model.at(2).delivered)
    #expect(try EventLog.verify(place.url).isClean)
    // A program that knows only the older version gets an error.
    let error = await #expect(throws: AnnalsError.self) {
      try await old.append([.weighed(.init(n: 1))], to: "user 1")
    }
    #expect(error?.code == .superseded)
  }

  @Test func `a commit while a pass copies its first rows is among the entries that it verifies`()
    async throws
  {
    let model = ClubModel(seed: 15, count: 60)
    try await place.seed(model)
    let old = try EventStore(at: place.url, plan: ClubFirst.self)
    let counter = Counter()
    var options = MigrationOptions()
    options.atPoint = { point in
      guard point == .contexts else { return }
      let done = DispatchSemaphore(value: 0)
      Task {
        do {
          // A commit notes its time only after a while.
          try await Task.sleep(for: .milliseconds(30))
          try await old.append([.weighed(.init(n: 10_000 + counter.next()))], to: "user 1")
        } catch {
          Issue.record(error)
        }
        done.signal()
      }
      done.wait()
    }
    try await place.migrate(ClubSecond.self, options)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.lines().last?.hasSuffix("weighed 10001 -") == true)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: PassPoint.allCases.filter { ![.removing, .removed, .cleared, .round].contains($0) })
  func `a pass that is stopped anywhere goes on and ends as one that was not`(point: PassPoint) async throws {
    let model = ClubModel(seed: 13, count: 120)
    try await place.seed(model)
    var options = MigrationOptions()
    options.batch = 17
    options.durableBatch = 17
    options.threads = 2
    let stopping = Stopping()
    options.atPoint = { reached in if reached == point { stopping.stop() } }
    var passes = try PlanMigration(at: place.url, plan: ClubPlan.self, to: nil, options: .merging(every: 16))
    let run = try #require(try passes.next(options))
    stopping.put(run)
    do { _ = try await run.report() } catch { #expect((error as AnnalsError).code == .cancelled) }
    let store = try EventStore(at: place.url, plan: ClubPlan.self, options: .passing())
    #expect(try store.lines() == model.at(5).delivered)
    try expect(store.log, is: model.at(5), "\(point)")
  }

  @Test func `a rollback brings the old streams back`() async throws {
    let model = ClubModel(seed: 14, count: 70)
    try await place.seed(model)
    do { _ = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing()) }
    _ = try EventLog.rollback(place.url)
    try expect(place.open(), is: model)
    let first = try EventStore(at: place.url, plan: ClubFirst.self)
    try await first.append([.noted(.init(n: 1))], to: "user 1", expecting: .exists)
    #expect(try first.log.moved(from: "user 1") == [])
    let store = try EventStore(at: place.url, plan: ClubSecond.self, options: .passing())
    #expect(try store.lines().dropLast() == model.at(2).delivered[...])
    #expect(try store.lines().last?.contains(" athlete-1 ") == true)
  }
}
