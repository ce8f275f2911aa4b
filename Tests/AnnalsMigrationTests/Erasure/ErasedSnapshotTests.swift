import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// The file with snapshots of aggregates, which an erasure removes while programs have it open.
@Suite struct ErasedSnapshotTests {
  /// A profile whose fold first does what a test wants.
  private enum Interrupted: Aggregate {
    typealias Event = InlineAccountsV1.Event
    typealias State = ErasedCustomers.Profile.State
    /// The work of the tests, by the names of streams.
    static let work = Mutex<[String: @Sendable () -> Void]>([:])

    static let name = "interrupted"
    static let version = 1
    static var initial: State { ErasedCustomers.Profile.initial }
    static var snapshotInterval: Int? { 3 }
    static func apply(_ entry: Entry<Event>, to state: inout State) {
      work.withLock { $0.removeValue(forKey: entry.stream.text) }?()
      ErasedCustomers.Profile.apply(entry, to: &state)
    }
  }

  private let customers: ErasedCustomers
  private let store: EventStore<InlineAccountsPlan>

  init() async throws {
    customers = try ErasedCustomers()
    store = try customers.store()
    try await customers.fill(store)
  }

  private var views: URL { customers.place.url.appendingPathComponent("views") }

  private func load() throws(AnnalsError) -> Loaded<ErasedCustomers.Profile> {
    try store.load(ErasedCustomers.Profile.self, from: "customer-1")
  }

  /// Removes the file, as the erasure of another process does.
  private func removeFile() throws {
    for name in ["snapshots.mdb", "snapshots.mdb-lock"] {
      try FileManager.default.removeItem(at: views.appendingPathComponent(name))
    }
  }

  @Test func `an erasure succeeds after one of another process has removed the file`() throws {
    #expect(try load().state.name == ErasedCustomers.secret)
    try removeFile()
    #expect(try store.erase([1], by: "jane", because: "request").entries == 1)
    #expect(try store.log.unfinishedErasures().isEmpty)
    #expect(try load().state == ErasedCustomers.Profile.State(name: "", sum: 10))
    #expect(try customers.hasSecret(in: views) == [])
  }

  @Test func `a program uses snapshots again after an erasure of another process`() throws {
    #expect(try load().folded == 5)
    #expect(try load().folded == 0)
    try removeFile()
    #expect(try load().folded == 5)
    #expect(try load().folded == 0)
    #expect(try load().state.name == ErasedCustomers.secret)
  }

  @Test func `the lock file of a file that was removed is not used again`() throws {
    #expect(try load().folded == 5)
    // The process was killed between the two.
    try FileManager.default.removeItem(at: views.appendingPathComponent("snapshots.mdb"))
    #expect(try load().folded == 5)
    #expect(try load().folded == 0)
  }

  @Test func `erasures succeed while other tasks load`() async throws {
    try await store.append((1...60).map { .moved(.init(amount: $0)) }, to: "customer-1")
    let loading = Task.detached { [store] in
      while !Task.isCancelled { _ = try store.load(ErasedCustomers.Profile.self, from: "customer-1") }
    }
    for position in 10..<50 {
      #expect(try store.erase([Position(UInt64(position))], by: "jane", because: "request").entries == 1)
    }
    loading.cancel()
    try await loading.value
    try store.erase([1], by: "jane", because: "request")
    #expect(try load().state == ErasedCustomers.Profile.State(name: "", sum: 10 + 1 + 2 + (43...60).sum))
    #expect(try customers.hasSecret(in: views) == [])
  }

  @Test func `a load that began before an erasure keeps no snapshot after it`() async throws {
    let name = "short-\(UUID())"
    let short = StreamName(name)
    try await store.append([.moved(.init(amount: 1))], to: short)
    Interrupted.work.withLock {
      $0[name] = { [store] in
        #expect(throws: Never.self) { try store.erase([1], by: "jane", because: "request") }
      }
    }
    // The file is opened for the second stream, when the erasure is complete.
    let loaded = try store.load(Interrupted.self, from: [short, "customer-1"])
    #expect(try loaded.loaded("customer-1").state.name == ErasedCustomers.secret)
    #expect(try customers.hasSecret(in: views) == [])
    #expect(try store.load(Interrupted.self, from: "customer-1").state.name == "")
  }
}

extension ClosedRange<Int> {
  fileprivate var sum: Int { reduce(0, +) }
}
