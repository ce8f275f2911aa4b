import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The end of runners and threads when a view cannot be opened or its files cannot be removed.
struct ViewReleaseTests {
  private func counted() async throws -> TalliedStore {
    var random = SeededGenerator(seed: 81)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(60, to: store, &random)
    try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
    return tallied
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
  }

  /// Calls `body`, and waits until the store that it opens is released. A release that never ends blocks its
  /// thread, so it has one of its own, and the wait has a limit.
  private func releasing<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    _ = try WriterThread(name: "release") {
      let result = Result { try body() }
      outcome.value.withLock { $0 = result }
    }
    try await waitUntil { outcome.value.withLock { $0 != nil } }
    return try #require(outcome.value.withLock { $0 }).get()
  }

  /// Waits on a thread that no task needs.
  private static func poll(_ condition: () throws -> Bool) throws -> Bool {
    for _ in 0..<5_000 {
      if try condition() { return true }
      WriterThread.pause(milliseconds: 2)
    }
    return false
  }

  /// Whether no runner has the right to fold a file.
  private static func isFree<Plan>(_ number: UInt64, in store: EventStore<Plan>) throws -> Bool {
    let views = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
    return try views.foldLease(number) != nil
  }

  @Test("a view that cannot be opened folds nothing, the store can be released, and the next call opens it")
  func failedOpen() async throws {
    let tallied = try await counted()
    let fold = tallied.url.appendingPathComponent("views/v-000002.fold")
    let (isFree, rows) = try await releasing {
      let store = try tallied.open()
      // A build that another program has begun, and that cannot be continued.
      let views = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
      let inputs = ProjectionInputs(store.reach.plan, cases: Tallies.Counts.events.cases)
      let outline = try ProjectionOutline(Tallies.Counts.self)
      #expect(try views.create(outline, inputs, isCarrying: false).number == 2)
      try FileManager.default.createDirectory(at: fold, withIntermediateDirectories: false)
      #expect(throws: AnnalsError.self) { try store.view(Tallies.Counts.self) }
      let isFree = try Self.poll { try Self.isFree(1, in: store) }
      try FileManager.default.removeItem(at: fold)
      let counts = try store.view(Tallies.Counts.self)
      #expect(try Self.poll { counts.registered.served?.file.number == 2 })
      return (isFree, try counts.read { try $0.all() })
    }
    #expect(isFree)
    #expect(rows == tallied.counts())
  }

  @Test("a runner that no machine knows any more does not keep a store from being released")
  func forgottenRunner() async throws {
    let tallied = try await counted()
    try await releasing {
      let store = try tallied.open()
      let counts = try store.view(Tallies.Counts.self)
      let file = try #require(counts.registered.served?.file)
      #expect(try Self.poll { counts.registered.fold(of: file) != nil })
      // As if the effects were lost.
      _ = counts.registry.decide(.removed, counts.registered)
    }
  }

  @Test("a file that cannot be removed is not folded on, and goes once it can be removed")
  func failedRemoval() async throws {
    let tallied = try await counted()
    let views = tallied.url.appendingPathComponent("views")
    let lease = views.appendingPathComponent("v-000001.lease")
    let (served, isFree, isGone) = try await releasing {
      let store = try tallied.open()
      let counts = try store.view(Tallies.Counts.self)
      let file = try #require(counts.registered.served?.file)
      #expect(try Self.poll { counts.registered.fold(of: file) != nil })
      // A later file of the same version, as another process would build it.
      for ending in [".mdb", ".state"] {
        try FileManager.default.copyItem(
          at: views.appendingPathComponent("v-000001\(ending)"),
          to: views.appendingPathComponent("v-000002\(ending)"))
      }
      try FileManager.default.removeItem(at: lease)
      try FileManager.default.createDirectory(at: lease, withIntermediateDirectories: false)
      try counts.registry.chooseAgain(counts.registered)
      let isFree = try Self.poll { try Self.isFree(1, in: store) }
      try FileManager.default.removeItem(at: lease)
      let isGone = try Self.poll { try store.log.views().map(\.number) == [2] }
      return (counts.registered.served?.file.number, isFree, isGone)
    }
    #expect(served == 2)
    #expect(isFree && isGone)
  }
}
