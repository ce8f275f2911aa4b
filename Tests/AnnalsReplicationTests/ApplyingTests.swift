import Annals
import AnnalsLog
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

@Suite struct ApplyingTests {
  private func note(_ mark: Int) -> SeatsV1.Event { .noted(.init(mark: mark)) }

  /// What of a store must not depend on the size of batches: entries, times of commits, rows of the cluster.
  private func all(of machine: Machine) throws -> [String] {
    var lines = try machine.store.log.lines()
    try machine.store.log.read { (snapshot) throws(AnnalsError) in
      for (name, value) in try snapshot.reader.clusterRows() { lines.append("\(name) \(value)") }
      for name in ["times 0000000000000001", "times"] {
        let value = try snapshot.reader.row(name, in: snapshot.generation.tables.meta) {
          (bytes) throws(FormatFailure) in bytes.copied
        }
        lines.append("\(name) \(value ?? [])")
      }
    }
    return lines
  }

  @Test func `stores are equal however the messages fall into batches`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog(seed: 3)
    let writer = Machine(directory, "m1", log.connect(.init(twice: 200, late: 200)))
    try await writer.open(inline: [Bookings.self])
    let store = try writer.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(task))
          for number in 0..<40 {
            let seat = "s\(Int.random(in: 0..<60, using: &random))"
            let events: [SeatsV1.Event] = [
              .booked(.init(seat: seat, mark: task * 100 + number)), .noted(.init(mark: -number)),
            ]
            do throws(AnnalsError) {
              try await store.append(events, to: StreamName("a\(number % 7)"))
            } catch {
              #expect(error.code == .rejected)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.close("a1")
    try await writer.store.append([note(1)], to: "last")
    let small = Machine(directory, "m2", log.connect(.init(batch: 1)))
    let large = Machine(directory, "m3", log.connect(.init(batch: 2_000)))
    for machine in [small, large] { try await machine.open(inline: [Bookings.self]) }
    for machine in [writer, small, large] { try await machine.catchUp(with: log) }
    // Machines that have read a last copy have noted it; those messages are at the end of all logs alike.
    let expected = try all(of: writer)
    #expect(try all(of: small) == expected)
    #expect(try all(of: large) == expected)
    #expect(expected.count > 100)
  }

  @Test func `a machine that is cut off catches up, and its own calls fail meanwhile`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...2).map { Machine(directory, "m\($0)", log.connect()) }
    try await machines[0].open()
    try await machines[1].open(deadline: .milliseconds(200))
    machines[1].connection.setCut(true)
    for mark in 1...30 { try await machines[0].store.append([note(mark)], to: "a") }
    let error = await #expect(throws: AnnalsError.self) {
      try await machines[1].store.append([self.note(99)], to: "a")
    }
    #expect(error?.code == .unavailable)
    #expect(try machines[1].store.log.lines().isEmpty)
    machines[1].connection.setCut(false)
    try await need(machines[1].cluster).waitUntil(30)
    #expect(try machines[1].store.log.lines() == machines[0].store.log.lines())
  }

  @Test func `blocking appends on every thread of the tasks still get their verdicts`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    let store = try await machine.open()
    let threads = (0..<16).map { number in
      Task.detached {
        try Self.block(store, number)
      }
    }
    for thread in threads { try await thread.value }
    try await machine.catchUp(with: log)
    #expect(try store.log.lines().count == 16)
  }

  /// Appends without a suspension.
  private static func block(_ store: EventStore<SeatsPlan>, _ number: Int) throws(AnnalsError) {
    try store.append([.noted(.init(mark: number))], to: "a")
  }

  @Test func `a commit is new once, a copy for a time, and late from then on`() {
    var recent = RecentCommits()
    let id = UUID()
    let commit = CommitID(id: id, base: 10)
    #expect(recent.fate(of: commit, at: 11) == .new)
    recent.note(id, at: 11)
    #expect(recent.fate(of: commit, at: 12) == .copy)
    #expect(recent.fate(of: commit, at: 10 + RecentCommits.window) == .copy)
    #expect(recent.fate(of: commit, at: 11 + RecentCommits.window) == .late)
    #expect(recent.fate(of: CommitID(id: UUID(), base: 11), at: 11) == .late)
  }

  @Test(arguments: RunLength.seeds(4))
  func `no copy of a commit is ever new, whichever messages lie between`(seed: UInt64) {
    print("copies with seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var recent = RecentCommits()
    var decided: Set<UUID> = []
    var open: [CommitID] = []
    var sequence: UInt64 = 1
    for _ in 0..<50_000 {
      sequence += 1 + random.next() % 8
      let commit: CommitID
      if !open.isEmpty, random.next() % 2 == 0 {
        commit = open[Int(random.next() % UInt64(open.count))]
      } else {
        commit = CommitID(id: UUID(), base: sequence - 1 - random.next() % min(sequence, 100))
        open.append(commit)
        if open.count > 500 { open.remove(at: Int(random.next() % 500)) }
      }
      if recent.fate(of: commit, at: sequence) == .new {
        #expect(decided.insert(commit.id).inserted)
        recent.note(commit.id, at: sequence)
      }
    }
    #expect(decided.count > 10_000)
  }

  @Test func `the hash of most machines is right, and a tie stops both`() {
    let (own, right, wrong) = (UUID(), UUID(), UUID())
    let (good, bad) = (CommitChain(low: 1, high: 1), CommitChain(low: 2, high: 2))
    func audit(_ machine: UUID, _ commits: UInt64, _ hash: CommitChain) -> Audit {
      Audit(machine: machine, commits: commits, position: commits * 2, hash: hash)
    }
    var book = AuditBook()
    book.note(audit(own, 1_000, good))
    #expect(book.take(audit(wrong, 1_000, bad)) == nil)
    #expect(book.take(audit(right, 1_000, good)) == nil)
    #expect(book.take(audit(own, 1_000, good)) == nil)
    #expect(book.take(audit(right, 2_000, good)) == nil)
    var other = AuditBook()
    other.note(audit(wrong, 1_000, bad))
    #expect(other.take(audit(own, 1_000, good)) == nil)
    #expect(
      other.take(audit(right, 1_000, good)) == AuditBook.Difference(commits: 1_000, position: 2_000))
    var pair = AuditBook()
    pair.note(audit(own, 1_000, good))
    #expect(pair.take(audit(wrong, 1_000, bad)) == nil)
    #expect(pair.take(audit(wrong, 2_000, bad)) == AuditBook.Difference(commits: 1_000, position: 2_000))
  }
}
