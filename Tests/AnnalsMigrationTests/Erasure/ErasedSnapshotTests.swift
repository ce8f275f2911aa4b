import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// The file with snapshots of aggregates, which an erasure removes while programs have it open.
@Suite struct ErasedSnapshotTests {
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
}

extension ClosedRange<Int> {
  fileprivate var sum: Int { reduce(0, +) }
}
