import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import LMDB

/// How opens, readers and writers get from a sealed generation to the one in use.
@Suite struct FollowingTests {
  private func count(_ log: EventLog) throws(AnnalsError) -> Int {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
  }

  /// A store of `count` entries that nobody has open.
  private func store(_ count: Int) async throws -> (TemporaryStore, Generations, id: UUID) {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 0..<count { try await log.append([.placed(number)], to: "a") }
    return (place, Generations(place), log.id)
  }

  @Test func `an open follows a seal and lets CURRENT name where it led`() async throws {
    let (place, generations, id) = try await store(5)
    try generations.switchOver(1, to: 2, epoch: 1, last: 5)
    #expect(try generations.named() == 1)
    let log = try place.open()
    #expect(try generations.named() == 2)
    #expect(log.id == id)
    #expect(try count(log) == 5)
    try await log.append([.placed(5)], to: "a")
    #expect(try log.info().generation == 2)
    _ = consume log
    #expect(try generations.entries(1) == 5)
    #expect(try generations.entries(2) == 6)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an open for reading follows seals and changes no byte`() async throws {
    let (place, generations, _) = try await store(5)
    try generations.switchOver(1, to: 2, epoch: 1, last: 5)
    let before = try place.files()
    do {
      let log = try place.open(StoreOptions(access: .readOnly))
      #expect(try count(log) == 5)
      #expect(try log.info().generation == 2)
      #expect(try EventLog.inspect(place.url).generation == 2)
      #expect(try EventLog.verify(place.url).entries == 5)
    }
    var after = try place.files()
    // A lease is no data.
    after["log-000002.lease"] = nil
    #expect(after == before)
  }

  @Test func `a plan that cannot read the store leaves CURRENT as it was`() async throws {
    let place = try TemporaryStore()
    try await place.open().append([.sized(1, type: "Unheard")], to: "a")
    let generations = Generations(place)
    try generations.switchOver(1, to: 2, epoch: 1, last: 1)
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: Specimen.Plan.self)
    }
    #expect(error?.code == .noPath)
    #expect(try generations.named() == 1)
  }

  @Test func `seals are followed as far as they lead`() async throws {
    let (place, generations, _) = try await store(3)
    for old in UInt64(1)...4 { try generations.switchOver(old, to: old + 1, epoch: old, last: 3) }
    let log = try place.open()
    #expect(try log.info().generation == 5)
    #expect(try generations.named() == 5)
  }

  @Test func `readers and the writer of a process move on without noticing`() async throws {
    let (place, generations, _) = try await store(3)
    let log = try place.open()
    try await log.append([.placed(3)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 4)
    #expect(try count(log) == 4)
    #expect(try log.info().generation == 2)
    let appended = try await log.append([.placed(4)], to: "a", expecting: .revision(3))
    #expect(appended.positions == [5])
    try generations.switchOver(2, to: 3, epoch: 2, last: 5)
    // Now the writer is the first to meet the seal.
    #expect(try await log.append([.placed(5)], to: "a", expecting: .revision(4)).positions == [6])
    #expect(try count(log) == 6)
    _ = consume log
    #expect(try generations.entries(1) == 4)
    #expect(try generations.entries(2) == 5)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a snapshot that lives through a switch finishes on its first generation`() async throws {
    let (place, generations, _) = try await store(3)
    let log = try place.open()
    try log.read { (snapshot) throws in
      try generations.switchOver(1, to: 2, epoch: 1, last: 3)
      #expect(snapshot.generation.number == 1)
      #expect(try snapshot.all().count == 3)
      #expect(try snapshot.revision(of: "a") == 2)
    }
    #expect(try log.info().generation == 2)
  }

  @Test func `a loop that waits goes on in the successor between two pages`() async throws {
    let (place, generations, _) = try await store(600)
    let log = try place.open()
    var positions: [UInt64] = []
    for try await entry in log.entries() {
      positions.append(entry.position.rawValue)
      if positions.count == 10 { try generations.switchOver(1, to: 2, epoch: 1, last: 600) }
    }
    #expect(positions == Array(1...600))
    #expect(log.core.generation.number == 2)
  }

  @Test func `calls that wait in line during a switch are stored once, in the successor`() async throws {
    let (place, generations, _) = try await store(3)
    let log = try place.open()
    try await log.append([.placed(3)], to: "a")
    try generations.copy(1, to: 2, epoch: 1, last: 4)
    let old = log.core.generation
    let (taken, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // A thread of its own has the turn. A task could continue on the thread of one that waits, and a lock
    // lets a call of its holder's thread pass.
    Thread.detachNewThread {
      do {
        let turn = try old.environment.turn()
        taken.signal()
        free.wait()
        var transaction = try old.environment.beginWrite(turn)
        var meta = old.meta
        meta.state = .sealed(Seal(successor: 2, epoch: 1))
        try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: old.tables.meta)
        try transaction.commit()
      } catch {
        Issue.record(error)
        taken.signal()
      }
    }
    taken.wait()
    let calls = (0..<20).map { number in
      Task { try await log.append([.placed(number, id: UUID())], to: "line") }
    }
    let writer = try #require(log.core.writer)
    try await waitUntil { writer.waiting == 20 }
    // They get the turn after the seal.
    free.signal()
    var positions: [UInt64] = []
    for call in calls { positions += try await call.value.positions.map(\.rawValue) }
    #expect(positions.sorted() == Array(5...24))
    #expect(try count(log) == 24)
    #expect(try generations.entries(1) == 4)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a held generation refuses appends and can be read`() async throws {
    let (place, generations, _) = try await store(3)
    let log = try place.open()
    try await log.append([.placed(3)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 4, state: .appendsSuspended)
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.placed(4)], to: "a") }
    #expect(error?.code == .appendsSuspended)
    #expect(try count(log) == 4)
    #expect(try log.info().state == .appendsSuspended)
    #expect(try EventLog.accept(place.url) == AcceptReport(generation: 2, wasHeld: true))
    #expect(try EventLog.accept(place.url) == AcceptReport(generation: 2, wasHeld: false))
    #expect(try await log.append([.placed(4)], to: "a").positions == [5])
  }

  @Test func `a seal whose successor is missing is reported and creates nothing new`() async throws {
    let (place, generations, _) = try await store(3)
    try generations.seal(1, successor: 2, epoch: 1)
    let before = try place.files()
    for opener in Opener.allCases { #expect(opener.refusal(place.url)?.code == .incomplete, "\(opener)") }
    #expect(try place.files() == before)
  }

  @Test func `a seal that leads to another log is reported`() async throws {
    let (place, generations, _) = try await store(3)
    let (other, _, _) = try await store(3)
    try FileManager.default.copyItem(at: Generations(other).file(1), to: generations.file(2))
    var meta = StoreMeta(log: UUID())
    meta.generation = 2
    try generations.set(2, [(StoreMeta.Name.generation.rawValue, meta.value(of: .generation))])
    try generations.seal(1, successor: 2, epoch: 1)
    for opener in Opener.allCases where opener != .verify {
      #expect(opener.refusal(place.url)?.code == .foreign, "\(opener)")
    }
  }

  @Test func `a seal that leads to a generation under construction is damage`() async throws {
    let (place, generations, _) = try await store(3)
    try generations.copy(1, to: 2, epoch: 1, last: 3, state: .building(pass: generations.pass))
    try generations.seal(1, successor: 2, epoch: 1)
    for opener in Opener.allCases { #expect(opener.refusal(place.url)?.code == .damaged, "\(opener)") }
  }

  @Test func `the remains of an unfinished pass block no other`() async throws {
    let (place, generations, _) = try await store(3)
    try generations.begin(1, to: 2)
    // Killed between the successor's last commit and the seal.
    try generations.copy(1, to: 2, epoch: 1, last: 3)
    try generations.begin(1, to: 2)
    let log = try place.open()
    try await log.append([.placed(3)], to: "a")
    #expect(try log.info().generation == 1)
    #expect(try log.info().pass?.generation == 2)
    #expect(try generations.entries(2) == 3)
  }

  @Test func `the kinds of a generation are its own`() async throws {
    let (place, generations, _) = try await store(3)
    let log = try place.open()
    try generations.copy(1, to: 2, epoch: 1, last: 3)
    try generations.change(2) { (transaction, tables) throws(EnvironmentError) in
      // A type that the predecessor has never had.
      let row = KindRow(ordinal: 1, name: "Other", shape: .undeclared, first: 9)
      let bytes = Annals.Row.seal(row.encoded(), key: Annals.Row.key(2))
      try transaction.put(bytes.span, forKey: 2, in: tables.kinds)
    }
    #expect(try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds.kinds.count } == 1)
    try generations.seal(1, successor: 2, epoch: 1)
    let kinds = try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds }
    #expect(kinds.generation == 2 && kinds.kinds.count == 2)
  }
}
