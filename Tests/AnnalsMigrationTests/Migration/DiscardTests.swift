import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// Removing generations that are not in use.
@Suite struct DiscardTests {
  private func switched(state: StoreMeta.State = .live) async throws -> (TemporaryStore, Generations) {
    let place = try TemporaryStore()
    let generations = Generations(place)
    for number in 0..<3 { try await place.open().append([.placed(number)], to: "a") }
    try generations.switchOver(1, to: 2, epoch: 1, last: 3, state: state)
    return (place, generations)
  }

  private func names(_ place: TemporaryStore) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix("log-") })
  }

  @Test func `the predecessor is removed with all its files, and CURRENT names the generation in use`()
    async throws
  {
    let (place, generations) = try await switched()
    let size = try Data(contentsOf: generations.file(1)).count
    #expect(try generations.named() == 1)
    let report = try EventLog.discardPrevious(place.url)
    #expect(report.discarded == [1] && report.inUse == 2 && report.kept.isEmpty)
    #expect(report.bytes >= size)
    #expect(try generations.named() == 2)
    #expect(try names(place) == ["log-000002.mdb", "log-000002.mdb-lock", "log-000002.lease"])
    let log = try place.open()
    #expect(try log.info().entries == 3)
    #expect(try log.info().predecessor == nil)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    #expect(try EventLog.discardPrevious(place.url).discarded == [])
  }

  @Test func `a generation that somebody reads from is not removed`() async throws {
    let (place, generations) = try await switched()
    let directory = try Directory.open(path: place.url.path)
    let lease = try FileLock("log-000001.lease", in: directory).lock(.shared)
    let before = try place.files()
    let error = #expect(throws: AnnalsError.self) { try EventLog.discardPrevious(place.url) }
    #expect(error?.code == .busy)
    #expect(error?.details.file == "log-000001.mdb")
    var after = try place.files()
    // The way was followed; nothing else was done.
    for name in ["CURRENT", "log-000002.lease"] { after[name] = before[name] }
    #expect(after == before)
    #expect(try EventLog.rollback(place.url).to == 1)
    _ = consume lease
    #expect(try EventLog.discardPrevious(place.url).discarded == [2])
    #expect(try generations.entries(1) == 3)
  }

  @Test func `a snapshot of this process keeps its generation`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    try log.read { (snapshot) throws in
      try generations.switchOver(1, to: 2, epoch: 1, last: 1)
      let error = #expect(throws: AnnalsError.self) { try EventLog.discardPrevious(place.url) }
      #expect(error?.code == .busy)
      #expect(try snapshot.all().count == 1)
    }
    // The writer moves on, too, as soon as it has anything to do.
    try await log.append([.placed(2)], to: "a")
    #expect(try EventLog.discardPrevious(place.url).discarded == [1])
    #expect(try await log.append([.placed(3)], to: "a").positions == [3])
  }

  @Test func `a writer with nothing to do lets go of its generation when a reader moves on`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 1)
    #expect(try log.info().generation == 2)
    var code: AnnalsError.Code? = .busy
    // The writer's thread is woken and needs a moment.
    for _ in 0..<6_000 where code == .busy {
      do throws(AnnalsError) {
        _ = try EventLog.discardPrevious(place.url)
        code = nil
      } catch { code = error.code }
      if code == .busy { try await Task.sleep(for: .milliseconds(10)) }
    }
    #expect(code == nil)
    #expect(try await log.append([.placed(2)], to: "a").positions == [2])
  }

  @Test func `nothing is removed while a switch is held`() async throws {
    let (place, _) = try await switched(state: .appendsSuspended)
    let error = #expect(throws: AnnalsError.self) { try EventLog.discardPrevious(place.url) }
    #expect(error?.code == .appendsSuspended)
    #expect(try names(place).contains("log-000001.mdb"))
  }

  @Test func `the file of an unfinished pass stays`() async throws {
    let (place, generations) = try await switched()
    _ = try place.open()
    try generations.copy(2, to: 3, epoch: 2, last: 3, state: .building(pass: generations.pass))
    try generations.begin(2, to: 3)
    let report = try EventLog.discardPrevious(place.url)
    #expect(report.discarded == [1])
    #expect(report.kept.map(\.file) == ["log-000003.mdb"])
    #expect(try names(place).contains("log-000003.mdb"))
  }

  @Test func `a file of another log, or one that is none, stays`() async throws {
    let (place, generations) = try await switched()
    let (other, _) = try await switched()
    try FileManager.default.copyItem(at: Generations(other).file(1), to: generations.file(7))
    try Data("dear diary".utf8).write(to: generations.file(8))
    try Data("notes".utf8).write(to: place.url.appendingPathComponent("log-9.mdb"))
    let report = try EventLog.discardPrevious(place.url)
    #expect(report.discarded == [1])
    #expect(report.kept.map(\.file) == ["log-000007.mdb", "log-000008.mdb"])
    #expect(try names(place).isSuperset(of: ["log-000007.mdb", "log-000008.mdb", "log-9.mdb"]))
  }

  @Test func `the remains of an interrupted removal are removed by the next`() async throws {
    let (place, generations) = try await switched()
    _ = try place.open()
    try FileManager.default.removeItem(at: generations.file(1))
    #expect(try EventLog.discardPrevious(place.url).discarded == [1])
    #expect(try names(place) == ["log-000002.mdb", "log-000002.mdb-lock", "log-000002.lease"])
  }

  @Test func `an open store continues after generations that are gone`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 1)
    try generations.switchOver(2, to: 3, epoch: 2, last: 1)
    // Nobody has generation 2 open, so that a removal takes it although this log has generation 1.
    try generations.name(3, of: log.id)
    for ending in ["mdb", "mdb-lock"] { try FileManager.default.removeItem(at: generations.file(2, ending)) }
    #expect(try await log.append([.placed(2)], to: "a").positions == [2])
    #expect(log.core.generation.number == 3)
  }

  @Test func `a generation that this process is about to let go of is waited for`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for number in 0..<3 { try await log.append([.placed(number)], to: "a") }
    let held = Mutex<Generation?>(log.core.generation)
    let first = try await log.compact().report()
    #expect(first.isDone)
    let release = Task {
      try await Task.sleep(for: .milliseconds(600))
      held.withLock { $0 = nil }
    }
    #expect(try EventLog.discardPrevious(place.url).discarded == [first.predecessor])
    try await release.value
  }

  @Test func `a pass's copy can be removed as soon as it is over`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for round in 0..<8 {
      try await log.append([.placed(round)], to: "a")
      let report = try await log.compact().report()
      #expect(try EventLog.discardPrevious(place.url).discarded == [report.predecessor])
    }
    #expect(try log.info().entries == 8)
  }
}
