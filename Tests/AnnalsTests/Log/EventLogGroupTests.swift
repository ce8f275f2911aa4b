import Foundation
import LMDB
import Testing

@testable import Annals

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
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(answers.flatMap(\.positions)).count == 64 * 20)
    for stream in 0..<7 {
      let entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "s\(stream)") }
      #expect(entries.map(\.revision.rawValue) == (0..<UInt64(entries.count)).map { $0 })
    }
    let commits = try log.core.generation.environment.lastTransaction() - before
    #expect(commits < 64 * 20 / 2, "\(commits) commits")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `of many who expect the same revision one succeeds`() async throws {
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
    // Whoever waits for the turn waits for ever, so that an answer is all that is to be shown.
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
}
