import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Calls that wait together are stored together, and each is answered as if it were alone.
@Suite struct EventLogGroupTests {
  private static let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))

  @Test func `many tasks share commits, and every answer holds`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let before = try log.core.generation.environment.lastTransaction()
    let answers = try await withThrowingTaskGroup(of: [Appended].self) { group in
      for task in 0..<64 {
        group.addTask {
          var answers: [Appended] = []
          for _ in 0..<20 { answers.append(try await log.append([Self.entry], to: "s\(task % 7)")) }
          return answers
        }
      }
      var all: [Appended] = []
      for try await answers in group { all += answers }
      return all
    }
    #expect(Set(answers.flatMap(\.positions)).count == 64 * 20)
    for stream in 0..<7 {
      let entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "s\(stream)") }
      #expect(entries.map(\.revision.rawValue) == Array(0..<UInt64(entries.count)))
    }
    let commits = try log.core.generation.environment.lastTransaction() - before
    #expect(commits < 64 * 20 / 2, "\(commits) commits")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `of many calls that expect the same revision one succeeds`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for revision in 0..<20 as Range<UInt64> {
      let expected: Annals.Expectation = revision == 0 ? .noStream : .revision(Revision(revision - 1))
      let outcomes = await withTaskGroup(of: AnnalsError.Code?.self) { group in
        for _ in 0..<16 {
          group.addTask {
            do throws(AnnalsError) {
              try await log.append([Self.entry], to: "one", expecting: expected)
              return nil
            } catch {
              return error.code
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 == nil }.count == 1)
      #expect(outcomes.filter { $0 == .conflict }.count == 15)
    }
  }

  @Test func `a writer that keeps its turn is named, and nothing is written`() async throws {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.lockTimeout = .milliseconds(300)
    let log = try place.open(options)
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    // The thread that waits for the turn waits forever; only the call's answer is under test.
    let error = await #expect(throws: AnnalsError.self) { try await log.append([Self.entry], to: "a") }
    #expect(error?.code == .busy)
    #expect(error?.details.holder == getpid())
    #expect(error?.details.waited.map { $0 >= .milliseconds(300) } == true)
    _ = consume turn
    // With the usual patience: the thread has to be woken first.
    try await place.open().append([Self.entry], to: "a", expecting: .revision(0))
  }

  @Test func `a call that is cancelled while it waits is taken back`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    let call = Task { try await log.append([Self.entry], to: "a") }
    try await Task.sleep(for: .milliseconds(50))
    call.cancel()
    let error = await #expect(throws: AnnalsError.self) { try await call.value }
    #expect(error?.code == .cancelled)
    _ = consume turn
    #expect(try await log.append([Self.entry], to: "a").revision == 1)
  }

  @Test func `a store can be let go while its writer waits for a turn`() async throws {
    let place = try TemporaryStore()
    do { _ = try place.open() }
    let directory = try Directory.open(path: place.url.path)
    let turn = try FileLock("write.lock", in: directory).lock(.exclusive)
    do {
      var options = StoreOptions()
      options.lockTimeout = .milliseconds(50)
      let log = try place.open(options)
      let error = await #expect(throws: AnnalsError.self) { try await log.append([Self.entry], to: "a") }
      #expect(error?.code == .busy)
    }
    // Here the log has been released, while the turn is kept.
    _ = consume turn
  }

  @Test func `relaxed appends are there after a kill and in other processes`() async throws {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.durability = .relaxed
    let log = try place.open(options)
    for _ in 0..<10 { try await log.append([Self.entry], to: "a") }
    #expect(try EventLog.verify(place.url).entries == 10)
  }

  /// Options for calls that wait as long as it takes.
  private static var patient: StoreOptions {
    var options = StoreOptions()
    options.lockTimeout = .seconds(600)
    return options
  }

  /// A number that several tasks raise.
  private final class Count: Sendable {
    let number = Atomic(0)
  }

  /// The revision that a call was given, or why it failed.
  private func outcome<Failure>(
    of call: Task<Appended, Failure>
  ) async -> (revision: UInt64?, code: AnnalsError.Code?) {
    switch await call.result {
    case .success(let appended): (appended.revision?.rawValue, nil)
    case .failure(let error): (nil, (error as? AnnalsError)?.code)
    }
  }

  /// Waits until so many calls wait in the line of a log.
  private func wait(for count: Int, in log: EventLog) async throws {
    let writer = try #require(log.core.writer)
    try await waitUntil { writer.waiting == count }
  }

  @Test func `thousands of calls that wait are cancelled at once`() async throws {
    let place = try TemporaryStore()
    let log = try place.open(Self.patient)
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    // The thread of the writer asks for its turn with the first.
    let first = Task { try await log.append([Self.entry], to: "a") }
    let calls = (0..<20_000).map { _ in Task { try await log.append([Self.entry], to: "a") } }
    try await wait(for: 20_001, in: log)
    let time = ContinuousClock().measure { for call in calls { call.cancel() } }
    print("20,000 calls were cancelled in \(time)")
    var codes: Set<AnnalsError.Code?> = []
    for call in calls { codes.insert(await outcome(of: call).code) }
    #expect(codes == [.cancelled])
    _ = consume turn
    #expect(try await first.value.revision == 1)
    // Each look at all others would take minutes.
    #expect(time < .seconds(10))
  }

  @Test func `of a group that fails the call that cannot be stored is found in few transactions`()
    async throws
  {
    let place = try TemporaryStore()
    // Closed in between, so that the heads are in their rows.
    do { try await place.open().append([Self.entry], to: "bad") }
    try BadRowTests().craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(([1, 2, 3] as [UInt8]).span, forKey: 1, in: tables.heads)
    }
    let log = try place.open(Self.patient)
    try await log.append([Self.entry], to: "good")
    let environment = log.core.generation.environment
    let before = environment.writes.load(ordering: .relaxed)
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    let calls = (0..<1_000).map { number in
      Task { try await log.append([Self.entry], to: number == 700 ? "bad" : "good") }
    }
    try await wait(for: 1_000, in: log)
    _ = consume turn
    var revisions: Set<UInt64> = []
    for (number, call) in calls.enumerated() {
      let (revision, code) = await outcome(of: call)
      if let revision { revisions.insert(revision) }
      #expect(code == (number == 700 ? .damaged : nil))
    }
    #expect(revisions == Set(1...999))
    // Halves of halves: at most two for each of ten levels.
    #expect(environment.writes.load(ordering: .relaxed) - before <= 25)
  }

  @Test func `calls beyond the queue's bytes wait, and all are stored`() async throws {
    let place = try TemporaryStore()
    var options = StoreOptions.merging(every: 64)
    options.queueMemory = 10_000
    options.lockTimeout = .seconds(600)
    let log = try place.open(options)
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    let encoded = Count()
    let calls = (0..<200).map { _ in
      Task {
        try await log.append { call in
          encoded.number.add(1, ordering: .relaxed)
          call.append([Self.entry], to: "a")
        }
      }
    }
    let writer = try #require(log.core.writer)
    try await waitUntil { writer.waitingForRoom + writer.waiting >= 200 }
    // Each takes about 200 bytes. Those that wait for room have not encoded anything.
    #expect(writer.waitingForRoom > 100)
    #expect(encoded.number.load(ordering: .relaxed) == writer.waiting)
    let cancelled = calls[199]
    cancelled.cancel()
    await #expect(throws: AnnalsError.self) { try await cancelled.value }
    _ = consume turn
    for call in calls.dropLast() { _ = try await call.value }
    #expect(try log.read { (snapshot) throws in try snapshot.all(in: "a").count } == 200)
  }

  @Test func `a call that waits for room gets an error with the process that keeps the turn`() async throws {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.lockTimeout = .milliseconds(300)
    options.queueMemory = 1
    let log = try place.open(options)
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    let calls = (0..<5).map { _ in Task { try await log.append([Self.entry], to: "a") } }
    for call in calls {
      let error = await #expect(throws: AnnalsError.self) { try await call.value }
      #expect(error?.code == .busy)
      #expect(error?.details.holder == getpid())
    }
    _ = consume turn
    try await place.open().append([Self.entry], to: "a", expecting: .revision(0))
  }
  @MainActor @Test func `calls that block the main actor are stored while others need it`() async throws {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.queueMemory = 1
    let log = try place.open(options)
    func append(_ stream: StreamName) throws(AnnalsError) { try log.append([Self.entry], to: stream) }
    let tasks = (0..<8).map { task in
      Task { @MainActor in
        for _ in 0..<50 { try await log.append { $0.append([Self.entry], to: "task-\(task)") } }
      }
    }
    for _ in 0..<100 {
      try append("main")
      await Task.yield()
    }
    for task in tasks { try await task.value }
    #expect(try log.read { (snapshot) throws in try snapshot.head() } == 500)
  }
  @Test func `calls that block all threads of tasks are answered while a writer keeps its turn`() async throws
  {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.lockTimeout = .milliseconds(300)
    let log = try place.open(options)
    try await log.append([Self.entry], to: "a")
    let turn = try FileLock("write.lock", in: log.core.generation.directory).lock(.exclusive)
    @Sendable func append() throws(AnnalsError) { try log.append([Self.entry], to: "a") }
    let codes = await withTaskGroup(of: AnnalsError.Code?.self) { group in
      for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          do throws(AnnalsError) { try append() } catch { return error.code }
          return nil
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.allSatisfy { $0 == .busy })
    _ = consume turn
  }
}
