import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Going back to the generation before a switch, and the images that a crash on the way leaves.
@Suite struct RollbackTests {
  /// A store of `count` entries in generation 2, which generation 1 was switched to.
  private func switched(_ count: Int = 3) async throws -> (TemporaryStore, Generations) {
    let place = try TemporaryStore()
    let generations = Generations(place)
    for number in 0..<count { try await place.open().append([.placed(number)], to: "a") }
    try generations.switchOver(1, to: 2, epoch: 1, last: UInt64(count))
    _ = try place.open()
    return (place, generations)
  }

  // Promise P136.
  @Test func `a rollback brings the predecessor back for everybody`() async throws {
    let (place, generations) = try await switched()
    let log = try place.open()
    #expect(try log.info().predecessor == LogInfo.Predecessor(generation: 1, last: 3))
    #expect(try EventLog.rollback(place.url) == RollbackReport(from: 2, to: 1, wasFinished: false))
    #expect(try generations.named() == 1)
    #expect(try log.info().generation == 1)
    #expect(try await log.append([.placed(3)], to: "a", expecting: .revision(2)).positions == [4])
    _ = consume log
    #expect(try generations.entries(2) == 3)
    #expect(try generations.entries(1) == 4)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a writer in the rolled back generation continues in the predecessor`() async throws {
    let (place, _) = try await switched()
    try await place.open().append([], to: "a")
    let log = try place.open()
    #expect(log.core.generation.number == 2)
    _ = try EventLog.rollback(place.url)
    #expect(try await log.append([.placed(3)], to: "a", expecting: .revision(2)).positions == [4])
    #expect(log.core.generation.number == 1)
  }

  // Promise P137.
  @Test func `a rollback that would lose entries is refused and says how many`() async throws {
    let (place, generations) = try await switched()
    let log = try place.open()
    for number in 3..<5 { try await log.append([.placed(number)], to: "a") }
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.contains("2 entries") == true)
    #expect(error?.details.position == 4)
    #expect(try log.info().generation == 2)
    #expect(try generations.named() == 2)
    #expect(try await log.append([.placed(5)], to: "a").positions == [6])
  }

  @Test func `a feature that came into use since the switch is not taken for an activation`() async throws {
    let (place, generations) = try await switched()
    try await place.open().close("a", by: "jane", because: "done")
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.contains("1 entries were appended") == true)
    #expect(try generations.named() == 2)
  }

  @Test func `a held generation can be rolled back`() async throws {
    let place = try TemporaryStore()
    let generations = Generations(place)
    try await place.open().append([.placed(1)], to: "a")
    try generations.switchOver(1, to: 2, epoch: 1, last: 1, state: .appendsSuspended)
    #expect(try EventLog.rollback(place.url).to == 1)
    #expect(try await place.open().append([.placed(2)], to: "a").positions == [2])
  }

  @Test func `a store that was never migrated has nothing to go back to`() async throws {
    let place = try TemporaryStore()
    try await place.open().append([.placed(1)], to: "a")
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .wrongUse)
  }

  @Test func `an unfinished pass keeps the predecessor from coming back`() async throws {
    let (place, generations) = try await switched()
    try generations.begin(2, to: 3)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .busy)
  }

  @Test func `a process with pass lock keeps all others from changing generations`() async throws {
    let (place, _) = try await switched()
    let hold = try FileLock("pass.lock", in: Directory.open(path: place.url.path)).lock(.exclusive)
    let changes: [() throws -> Void] = [
      { _ = try EventLog.rollback(place.url) }, { _ = try EventLog.accept(place.url) },
      { _ = try EventLog.discardPrevious(place.url) },
    ]
    for change in changes {
      let error = #expect(throws: AnnalsError.self) { try change() }
      #expect(error?.code == .busy)
      #expect(error?.details.holder == getpid())
    }
    // An open needs it only to tidy up.
    #expect(try place.open().info().generation == 2)
    _ = consume hold
  }

  /// The files left by a process that was killed after the first step of a rollback.
  private func cutShort() async throws -> (TemporaryStore, Generations) {
    let (place, generations) = try await switched()
    try generations.seal(2, successor: 1, epoch: 2)
    return (place, generations)
  }

  @Test func `an interrupted rollback is finished by the next writer`() async throws {
    let (place, generations) = try await cutShort()
    let log = try place.open()
    #expect(log.core.generation.number == 1)
    #expect(try generations.named() == 1)
    #expect(
      try log.core.generation.environment.read(failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        let meta = try StoreReader(transaction.view, log.core.generation.tables).meta()
        return meta.state == .live && meta.epoch == 2
      })
    #expect(try await log.append([.placed(3)], to: "a").positions == [4])
  }

  @Test func `a reader follows an interrupted rollback and changes no byte`() async throws {
    let (place, _) = try await cutShort()
    let before = try place.files()
    do {
      let log = try place.open(StoreOptions(access: .readOnly))
      #expect(log.core.generation.number == 1)
      #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } == 3)
    }
    #expect(try place.files() == before)
  }

  @Test func `a writer that is open through a cut rollback finishes it`() async throws {
    let (place, generations) = try await switched()
    let log = try place.open()
    try await log.append([], to: "a")
    try generations.seal(2, successor: 1, epoch: 2)
    #expect(try await log.append([.placed(3)], to: "a", expecting: .revision(2)).positions == [4])
    _ = consume log
    // An open through CURRENT, which still names the rolled back generation, leads to the same one.
    #expect(try generations.named() == 2)
    #expect(try place.open().info().entries == 4)
    #expect(try generations.named() == 1)
  }

  @Test func `a cut rollback is finished by the same call`() async throws {
    let (place, _) = try await cutShort()
    #expect(try EventLog.rollback(place.url) == RollbackReport(from: 2, to: 1, wasFinished: true))
    #expect(try place.open().info().generation == 1)
  }

  @Test func `a second switch after a rollback leads on, also from a CURRENT that is old`() async throws {
    let (place, generations) = try await cutShort()
    let log = try place.open()
    try await log.append([.placed(3)], to: "a")
    let id = log.id
    _ = consume log
    try generations.switchOver(1, to: 3, epoch: 3, last: 4)
    try generations.name(2, of: id)
    let again = try place.open()
    #expect(try again.info().generation == 3)
    #expect(try generations.named() == 3)
    #expect(try await again.append([.placed(4)], to: "a").positions == [5])
  }

  @Test func `numbers of generations are never used again`() async throws {
    let (place, _) = try await switched()
    _ = try EventLog.rollback(place.url)
    _ = try EventLog.discardPrevious(place.url)
    let log = try place.open()
    #expect(log.core.generation.number == 1)
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.newestGeneration() } == 2)
  }
}
