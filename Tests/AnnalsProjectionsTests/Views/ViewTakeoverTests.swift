import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files of views that several programs have open: who takes over, who looks, and what a kill leaves.
struct ViewTakeoverTests {
  /// As ``Tallies/Plan``, so that a store of this process has an engine of its own.
  private enum SamePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Tallies.V1, Tallies.V1> {}
  }

  /// A batch of another process, which ends on request and at the requested position.
  private final class OtherBatch: Sendable {
    let end = Mutex<Checkpoint?>(nil)
    let failure = Mutex<AnnalsError?>(nil)
    let hasBegun = Atomic(false)
    let mayEnd = Atomic(false)

    /// Lets it end as if it had read to a position.
    func end(at position: Position, of core: LogCore) throws(AnnalsError) {
      let snapshot = try LogSnapshot(core)
      let checkpoint = try snapshot.reader.checkpoint(at: position, log: core.log)
      end.withLock { $0 = checkpoint }
      mayEnd.store(true, ordering: .releasing)
    }

    func run(in file: ViewFile) {
      do throws(AnnalsError) {
        try file.environment.write(durability: .relaxed, failure: AnnalsError.init) {
          (transaction) throws(AnnalsError) in
          hasBegun.store(true, ordering: .releasing)
          while !mayEnd.load(ordering: .acquiring) { WriterThread.pause(milliseconds: 1) }
          guard let end = end.withLock({ $0 }) else { return }
          try transaction.put(end.encoded(), .checkpoint, in: file)
        }
      } catch {
        failure.withLock { $0 = error }
      }
    }
  }

  private func counted(_ count: Int, seed: UInt64) async throws -> TalliedStore {
    var random = SeededGenerator(seed: seed)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(count, to: store, &random)
    try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    return tallied
  }

  @Test("a program that takes a fold over believes the mark as of that moment")
  func mark() async throws {
    let tallied = try await counted(60, seed: 61)
    let store = try tallied.open()
    let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    // Another process folds, and has not yet made it durable.
    var lease: FoldLease?
    try await waitUntil {
      lease = try shelf.foldLease(1)
      return lease != nil
    }
    var mark = try #require(try shelf.mark(of: 1))
    #expect(mark.isSynced)
    mark.isSynced = false
    try shelf.put(mark, for: 1)
    let counts = try store.view(Tallies.Counts.self)
    let file = try #require(counts.registered.served?.file)
    let before = file.isSynced.load(ordering: .relaxed)
    #expect(!before)
    #expect(counts.registered.fold(of: file) == nil)
    mark.isSynced = true
    try shelf.put(mark, for: 1)
    withExtendedLifetime(lease) {}
    lease = nil
    try await waitUntil { counts.registered.fold(of: file) != nil }
    let after = file.isSynced.load(ordering: .relaxed)
    #expect(after)
  }

  @Test("a failure to maintain a view is reported as long as it lasts")
  func passingFailure() async throws {
    let tallied = try await counted(60, seed: 67)
    let store = try tallied.open()
    let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    // Another process folds.
    var lease: FoldLease?
    try await waitUntil {
      lease = try shelf.foldLease(1)
      return lease != nil
    }
    let counts = try store.view(Tallies.Counts.self)
    let lock = tallied.url.appendingPathComponent("views/views.lock")
    // The store's thread may make the file again between the two steps.
    try await waitUntil {
      try FileManager.default.removeItem(at: lock)
      do {
        try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        return true
      } catch let error as CocoaError where error.code == .fileWriteFileExists {
        return false
      }
    }
    try await waitUntil {
      if case .stopped = try counts.status().state { true } else { false }
    }
    try FileManager.default.removeItem(at: lock)
    try await waitUntil {
      if case .following = try counts.status().state { true } else { false }
    }
    withExtendedLifetime(lease) {}
    lease = nil
    var random = SeededGenerator(seed: 68)
    try await tallied.append(20, to: store, &random)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
  }

  @Test("a store that only reads a view keeps none of the same process from folding it")
  func readerFirst() async throws {
    let tallied = try await counted(60, seed: 69)
    let store = try tallied.open()
    let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    // Until what had it open before has let go of it.
    try await waitUntil { try shelf.foldLease(1) != nil }
    let reader = try tallied.open(StoreOptions(access: .readOnly))
    let seen = try reader.view(Tallies.Counts.self)
    #expect(try seen.read { try $0.all() } == tallied.counts())
    let counts = try store.view(Tallies.Counts.self)
    var random = SeededGenerator(seed: 70)
    try await tallied.append(20, to: store, &random)
    try await counts.waitUntil(tallied.last)
    #expect(try seen.read { try $0.all() } == tallied.counts())
  }

  @Test("a new file takes over from one that others fold only with all that they have reported of it")
  func switchBesideOther() async throws {
    let tallied = try await counted(60, seed: 71)
    let store = try tallied.open()
    let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    // Another process folds.
    var lease: FoldLease?
    try await waitUntil {
      lease = try shelf.foldLease(1)
      return lease != nil
    }
    let counts = try store.view(Tallies.Counts.self)
    let file = try #require(counts.registered.served?.file)
    let batch = OtherBatch()
    let other = try WriterThread(name: "other") { batch.run(in: file) }
    defer { batch.mayEnd.store(true, ordering: .releasing) }
    try await waitUntil { batch.hasBegun.load(ordering: .acquiring) }
    try store.rebuild(Tallies.Counts.self)
    // Long enough for what is built to have come to the end of the log.
    try await Task.sleep(for: .milliseconds(300))
    #expect(counts.registered.served?.file.number == 1)
    var random = SeededGenerator(seed: 72)
    let last = try await tallied.append(20, to: store, &random)
    try batch.end(at: last, of: store.log.core)
    other.join()
    #expect(batch.failure.withLock { $0 } == nil)
    try await waitUntil {
      let position = try counts.read { try $0.position() }
      #expect(position == tallied.last)
      return counts.registered.served?.file.number == 2
    }
    #expect(try counts.read { try $0.all() } == tallied.counts())
    let new = try #require(counts.registered.served?.file)
    let gate = try new.read { (view) throws(AnnalsError) in try new.gate(view) }
    #expect(gate == tallied.last.rawValue)
    withExtendedLifetime(lease) {}
    lease = nil
  }

  @Test("a view that others fold without pause is not ahead of the log for a program that opens it")
  func openedBesideAppends() async throws {
    let tallied = try await counted(60, seed: 62)
    let store = try tallied.open()
    let counts = try store.view(Tallies.Counts.self)
    // A cancelled append is not stored, so a flag ends the task instead.
    let isOver = Mutex(false)
    defer { isOver.withLock { $0 = true } }
    let appending = Task {
      var random = SeededGenerator(seed: 63)
      // A limit that the verification in each round can keep up with.
      while !isOver.withLock({ $0 }), tallied.last < 50_000 {
        try await tallied.append(5, to: store, &random)
      }
    }
    for _ in 0..<40 {
      let other = try EventStore(at: tallied.url, plan: SamePlan.self)
      let view = try other.view(Tallies.Counts.self)
      #expect(try view.status().reason == nil)
      #expect(view.registered.served?.file.number == 1)
      #expect(try EventLog.verify(tallied.url).findings.filter { $0.place.contains("view") }.isEmpty)
    }
    isOver.withLock { $0 = true }
    try await appending.value
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
  }

  @Test("a reader's store finds a file built after it was opened, and switches to it")
  func readerAcrossSwitch() async throws {
    var random = SeededGenerator(seed: 64)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(200, to: store, &random)
    let reader = try tallied.open(StoreOptions(access: .readOnly))
    let counts = try reader.view(Tallies.Counts.self)
    let error = #expect(throws: AnnalsError.self) { _ = try counts.read { try $0.position() } }
    #expect(error?.code == .readOnly)
    try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
    try store.rebuild(Tallies.Counts.self)
    try await waitUntil {
      try store.log.views().filter { $0.state == .ready }.map(\.number) == [2]
    }
    #expect(try counts.read { try $0.all() } == tallied.counts())
    #expect(counts.registered.served?.file.number == 2)
    let raised = try reader.view(Tallies.CountsV2.self)
    #expect(try raised.status().servedVersion == 1)
    _ = try store.view(Tallies.CountsV2.self)
    try await waitUntil {
      _ = try raised.read { try $0.position() }
      return try raised.status().servedVersion == 2
    }
    let word = try raised.read { try $0.get(Tallies.CountsV2.Word.self, "w1") }
    #expect(word?.times == tallied.counts()["w1"]?.times && word?.first != nil)
  }

  @Test("an interrupted removal is continued, and nothing is reported", arguments: 0...8)
  func cutRemoval(steps: Int) async throws {
    let tallied = try await counted(60, seed: 65)
    let views = tallied.url.appendingPathComponent("views")
    for ending in ViewDirectory.endings.prefix(steps) {
      let file = views.appendingPathComponent(ViewFile.stem(1) + ending)
      if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
    let store = try tallied.open()
    let counts = try store.view(Tallies.Counts.self)
    #expect(try counts.status().reason == nil)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts())
  }

  @Test("no number is used twice, and of those that are gone nothing is left but leases")
  func numbers() async throws {
    let tallied = try await counted(60, seed: 66)
    let views = tallied.url.appendingPathComponent("views").path
    let store = try tallied.open()
    for number in 2...3 as ClosedRange<UInt64> {
      // Until what had it open before has let go of it.
      try await waitUntil {
        do { try store.remove(view: "counts") } catch let error as AnnalsError where error.code == .busy {
          return false
        }
        return true
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: views).filter { $0.hasPrefix("v-") }
      #expect(left.allSatisfy { $0.hasSuffix(".lease") })
      #expect(left.contains(ViewFile.stem(number - 1) + ".lease"))
      let counts = try store.view(Tallies.Counts.self)
      #expect(try counts.status().reason == nil)
      try await counts.waitUntil(tallied.last)
      #expect(try store.log.views().map(\.number) == [number])
    }
  }
}
