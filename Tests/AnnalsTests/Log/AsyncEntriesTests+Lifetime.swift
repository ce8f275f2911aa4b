import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// What a sequence of entries holds, and for how long.
extension AsyncEntriesTests {
  // Promise P179.
  @Test func `a slow loop takes no place among the readers`() async throws {
    let orders = try await orders(9)
    let log = orders.store
    for stream in [nil, "order-2"] as [StreamName?] {
      var entries = stream.map { log.entries(in: $0) } ?? log.entries()
      entries.limits.elements = 2
      var count = 0
      for try await _ in entries {
        #expect(try log.core.generation.environment.readers().filter { $0.transaction != nil }.isEmpty)
        count += 1
      }
      #expect(count == (stream == nil ? 9 : 3))
    }
  }

  @Test func `a cancelled task gets an error at the next page, and then nothing more`() async throws {
    let orders = try await orders(9)
    let log = orders.store
    var entries = log.entries()
    entries.limits.elements = 4
    try await Task { [entries] in
      var iterator = entries.makeAsyncIterator()
      var read = 0
      let error = await #expect(throws: AnnalsError.self) {
        while try await iterator.next() != nil {
          read += 1
          if read == 2 { cancelTask() }
        }
      }
      #expect(read == 4)
      #expect(error?.code == .cancelled)
      let next = try await iterator.next()
      #expect(next == nil)
    }.value
  }

  @Test func `a sequence keeps the store open until it is released`() async throws {
    let place = try TemporaryStore()
    weak var core: LogCore?
    do {
      let entries: AsyncEntries<LogEntry>
      do {
        let log = try place.open()
        try await log.append([try .placed(1), try .placed(2)], to: "order-1")
        core = log.core
        entries = log.entries()
      }
      #expect(try await entries.positions(1) == [1, 2])
    }
    // The writer's thread may hold it for a moment after its last answer.
    try await waitUntil { core == nil }
  }
}

/// Cancels the task that calls.
private func cancelTask() {
  unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
}

/// An open store whose directory is removed when this ends, not before.
final class HeldStore<Store: Sendable>: Sendable {
  let store: Store
  private let place: TemporaryStore

  init(_ store: Store, in place: TemporaryStore) {
    self.store = store
    self.place = place
  }
}
