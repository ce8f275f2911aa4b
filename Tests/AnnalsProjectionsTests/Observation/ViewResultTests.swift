import Foundation
import LMDB
import Observation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The results of a query as they change, and live queries.
struct ViewResultTests {
  typealias Item = Stock.Item

  @Test("a result is given now and whenever it has changed, and only then")
  func results() async throws {
    let room = try StockRoom()
    try await room.count(["a1": 1, "b1": 1])
    let results = room.view.results(RowQuery(Item.self, .prefix("a")))
    var iterator = results.makeAsyncIterator()
    #expect(try await iterator.next()?.map(\.name) == ["a1"])
    // Neither of these changes it.
    try await room.count(["b2": 2])
    try await room.count(["a1": 1])
    try await room.count(["a2": 2])
    #expect(try await iterator.next()?.map(\.name) == ["a1", "a2"])
    // Of many only the newest.
    for number in 0..<30 { try await room.count(["a3": number]) }
    #expect(try await iterator.next()?.last?.count == 29)
    // By a secondary key: the row is found under another one by now.
    var many = room.view.results(RowQuery(Item.byCount, .from(10)).limit(5)).makeAsyncIterator()
    #expect(try await many.next()?.map(\.name) == ["a3"])
    try await room.count(["a3": 0])
    #expect(try await many.next()?.isEmpty == true)
  }

  @Test("a result of a view that is being built is waited for, and a cancelled task ends it")
  func waiting() async throws {
    let room = try StockRoom()
    var iterator = room.view.results(RowQuery(Item.self)).makeAsyncIterator()
    #expect(try await iterator.next()?.isEmpty == true)
    let begun = Signal()
    let known = begun.count
    let reader = Task { [room] in
      var count = 0
      for try await _ in room.view.results(RowQuery(Item.self)) {
        count += 1
        begun.announce()
      }
      for try await _ in room.view.changes(of: Item.self) { count += 1 }
      return count
    }
    await begun.wait(beyond: known, upTo: .seconds(30))
    reader.cancel()
    #expect(try await reader.value == 1)
  }

  @Test("observers of a removed view get an error, and keep none of its files")
  func removal() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let begun = Signal()
    let known = begun.count
    let results = Task { [room] () -> AnnalsError.Code? in
      do throws(AnnalsError) {
        for try await _ in room.view.results(RowQuery(Item.self)) { begun.announce() }
      } catch {
        return error.code
      }
      return nil
    }
    let changes = Task { [room] () -> AnnalsError.Code? in
      do throws(AnnalsError) {
        for try await _ in room.view.changes(of: Item.self) {}
      } catch {
        return error.code
      }
      return nil
    }
    await begun.wait(beyond: known, upTo: .seconds(30))
    try await waitUntil {
      // Threads that get no processor keep files.
      do { try room.store.remove(view: "stock") } catch let error as AnnalsError where error.code == .busy {
        return false
      }
      return true
    }
    #expect(await results.value == .busy)
    #expect(await changes.value == .busy)
    guard case .stopped(let error) = try room.view.status().state else {
      Issue.record("the view goes on")
      return
    }
    #expect(error.code == .busy && error.message.contains("removed"))
    let again = try room.store.view(Stock.self)
    try await again.waitUntil(1)
    #expect(try again.rows(RowQuery(Item.self)).map(\.name) == ["a"])
  }

  @Test("a type that is no table of the projection is reported to the reader")
  func wrongType() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let error = await #expect(throws: AnnalsError.self) {
      for try await _ in room.view.results(RowQuery(Library.Shelf.self)) { break }
    }
    #expect(error?.code == .wrongUse)
  }

  @Test("a change is reported without the wait for a look at the file", .timeLimit(.minutes(5)))
  func latency() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let changes = room.view.changes(of: Item.self)
    let clock = ContinuousClock()
    let reader = Task {
      var times: [ContinuousClock.Instant] = []
      for try await _ in changes {
        times.append(clock.now)
        if times.count == 40 { break }
      }
      return times
    }
    var begun: [ContinuousClock.Instant] = []
    var costs: [Duration] = []
    for number in 1...40 {
      try await Task.sleep(for: .milliseconds(5))
      let start = clock.now
      // Several changes of one row may be reported as one.
      try await room.store.append([.counted(.init(item: "a\(number)", count: number))], to: "stock")
      begun.append(clock.now)
      costs.append(clock.now - start)
      try await room.view.waitUntil(Position(UInt64(number) + 1))
    }
    let latencies = zip(begun, try await reader.value).map { $1 - $0 }.sorted()
    costs.sort()
    // An observer looks every half second. A change is reported after the view's own commit, which is slow on
    // a slow disk.
    #expect(latencies[20] < .milliseconds(250) + costs[20] * 4, "\(latencies[20]), \(costs[20])")
  }

  @Test("a live query has the newest rows and reports them")
  @MainActor func liveQuery() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    weak var released: LiveQuery<Item>?
    do {
      let query = LiveQuery(RowQuery(Item.self), in: room.view)
      released = query
      #expect(query.isLoading && query.rows.isEmpty)
      try await waitUntil { !query.isLoading }
      #expect(query.rows.map(\.name) == ["a"])
      let told = Mutex(false)
      withObservationTracking {
        _ = query.rows
      } onChange: {
        told.withLock { $0 = true }
      }
      try await room.count(["b": 2])
      try await waitUntil { query.rows.count == 2 }
      #expect(told.withLock { $0 })
      #expect(query.error == nil)
      let wrong = LiveQuery(RowQuery(Library.Shelf.self), in: room.view)
      try await waitUntil { !wrong.isLoading }
      #expect(wrong.error?.code == .wrongUse)
    }
    try await waitUntil { released == nil }
  }

  /// Blocks the main actor until the result of an append waits for it.
  @MainActor private static func count(_ count: Int, in room: StockRoom) throws {
    try room.store.append([.counted(.init(item: "a", count: count))], to: "stock")
    while try room.view.get(Item.self, "a")?.count != count { WriterThread.pause(milliseconds: 1) }
    WriterThread.pause(milliseconds: 200)
  }

  @Test(.timeLimit(.minutes(1)))
  @MainActor func `after a reload, a live query shows no result of the task before`() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let query = LiveQuery(RowQuery(Item.self), in: room.view)
    try await waitUntil { !query.isLoading }
    for round in 0..<5 {
      try Self.count(2 * round + 1, in: room)
      query.reload()
      try Self.count(2 * round + 2, in: room)
      while query.isLoading { await Task.yield() }
      #expect(query.rows.map(\.count) == [2 * round + 2])
    }
  }
}
