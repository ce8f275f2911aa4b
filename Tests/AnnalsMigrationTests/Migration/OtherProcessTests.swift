import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// What a process does that others switch under.
@Suite(.serialized) struct OtherProcessTests {
  private static let switches: UInt64 = 5

  /// Switches a store to a new generation while others append. The copy is made in a turn, like the last
  /// round of a pass.
  private static func switchLive(_ place: TemporaryStore, _ log: EventLog) throws {
    let generations = Generations(place)
    _ = try log.info()
    let old = log.core.generation
    let turn = try old.environment.turn()
    let next = old.number + 1
    try FileManager.default.copyItem(at: generations.file(old.number), to: generations.file(next))
    let last = try old.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try StoreReader(transaction.view, old.tables).last()
    }
    // The turn is taken already, through other values of the same locks.
    try generations.withoutLocks.finish(next, of: old.number, epoch: old.arrived + 1, last: last)
    var transaction = try old.environment.beginWrite(turn)
    var meta = old.meta
    meta.state = .sealed(Seal(successor: next, epoch: old.arrived + 1))
    try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: old.tables.meta)
    try transaction.commit()
  }

  @Test func `another process appends through switches, and each call is stored once and in order`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    let (ready, total) = (
      place.directory.appendingPathComponent("ready"), place.directory.appendingPathComponent("total")
    )
    let switching = Task {
      try await waitUntil { FileManager.default.fileExists(atPath: ready.path) }
      for _ in 0..<Self.switches {
        try await Task.sleep(for: .milliseconds(30))
        try Self.switchLive(place, log)
      }
    }
    await #expect(processExitsWith: .success) {
      [
        path = place.url.path as String, ready = ready.path as String, total = total.path as String,
        last = Self.switches + 1 as UInt64
      ] in
      let log = try EventLog(at: URL(fileURLWithPath: path), options: .merging(every: 50))
      var (number, rest) = (0, 50)
      while rest > 0, number < 100_000 {
        // Stored twice, or not at all, a call would not fit the expectation of the next.
        let expected: Annals.Expectation = number == 0 ? .noStream : .revision(Revision(UInt64(number - 1)))
        let appended = try await log.append([.placed(number)], to: "other", expecting: expected)
        number += 1
        try #require(appended.positions == [Position(UInt64(number))])
        if number == 20 { try Data().write(to: URL(fileURLWithPath: ready)) }
        if number % 50 == 0 {
          let count = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "other").count }
          try #require(count == number)
        }
        if log.core.generation.number >= last { rest -= 1 }
      }
      try Data("\(number)".utf8).write(to: URL(fileURLWithPath: total))
    }
    try await switching.value
    let count = try #require(Int(String(contentsOf: total, encoding: .utf8)))
    #expect(try log.info().generation == Self.switches + 1)
    #expect(try log.info().entries == UInt64(count))
    let generations = Generations(place)
    // No process appended to a generation after its seal.
    for number in 1...Self.switches {
      #expect(
        try generations.entries(number) <= generations.entries(number + 1)
          && generations.entries(number) < count)
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a writer of another process that met a rollback goes back with it`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    try await place.open().append([.placed(0)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 1)
    let (ready, done) = (
      place.directory.appendingPathComponent("ready"), place.directory.appendingPathComponent("done")
    )
    let rolling = Task {
      try await waitUntil { FileManager.default.fileExists(atPath: ready.path) }
      let report = try EventLog.rollback(place.url)
      try Data().write(to: done)
      return report
    }
    await #expect(processExitsWith: .success) {
      [path = place.url.path as String, ready = ready.path as String, done = done.path as String] in
      let log = try EventLog(at: URL(fileURLWithPath: path))
      try #require(try log.info().generation == 2)
      try Data().write(to: URL(fileURLWithPath: ready))
      try await waitUntil { FileManager.default.fileExists(atPath: done) }
      let appended = try await log.append([.placed(1)], to: "a", expecting: .revision(0))
      try #require(appended.positions == [2])
      try #require(try log.info().generation == 1)
    }
    #expect(try await rolling.value.to == 1)
    #expect(try generations.entries(1) == 2)
    #expect(try generations.entries(2) == 1)
  }

  @Test func `a generation that another process has open is not removed until that has ended`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    try await place.open().append([.placed(0)], to: "a")
    let (ready, done) = (
      place.directory.appendingPathComponent("ready"), place.directory.appendingPathComponent("done")
    )
    let discarding = Task {
      try await waitUntil { FileManager.default.fileExists(atPath: ready.path) }
      try generations.switchOver(1, to: 2, epoch: 1, last: 1)
      let error = #expect(throws: AnnalsError.self) { try EventLog.discardPrevious(place.url) }
      try Data().write(to: done)
      return error?.code
    }
    await #expect(processExitsWith: .success) {
      [path = place.url.path as String, ready = ready.path as String, done = done.path as String] in
      let log = try EventLog(at: URL(fileURLWithPath: path), options: StoreOptions(access: .readOnly))
      try Data().write(to: URL(fileURLWithPath: ready))
      try await waitUntil { FileManager.default.fileExists(atPath: done) }
      try #require(try log.info().entries == 1)
    }
    #expect(try await discarding.value == .busy)
    #expect(try EventLog.discardPrevious(place.url).discarded == [1])
  }
}
