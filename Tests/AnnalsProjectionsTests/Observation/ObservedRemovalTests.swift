import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The removal of views that the program observes, and views whose removal fails.
struct ObservedRemovalTests {
  typealias Item = Stock.Item

  /// Removes the view, and returns whether that succeeded. Threads of the view that get no processor for two
  /// seconds keep its file.
  private static func removes(in room: StockRoom) throws -> Bool {
    do throws(AnnalsError) { try room.store.remove(view: "stock") } catch {
      guard error.code == .busy else { throw error }
      return false
    }
    return true
  }

  @Test(.timeLimit(.minutes(1)))
  func `a view is removed while loops over its results and changes handle one`() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let view = room.view
    var results = view.results(RowQuery(Item.self)).makeAsyncIterator()
    var changes = view.changes(of: Item.self).makeAsyncIterator()
    #expect(try await results.next()?.count == 1)
    try await room.count(["b": 1, "c": 1])
    #expect(try await results.next()?.count == 3)
    #expect(try await changes.next() != nil)
    try await waitUntil { try Self.removes(in: room) }
    // The other change of the page was read before.
    #expect(try await changes.next() != nil)
    let ends = await [
      #expect(throws: AnnalsError.self) { _ = try await results.next() },
      #expect(throws: AnnalsError.self) { _ = try await changes.next() },
    ]
    #expect(ends.allSatisfy { $0?.code == .busy && $0?.message.contains("removed") == true })
    #expect(try room.store.log.views().isEmpty)
  }

  @Test(.timeLimit(.minutes(1)))
  func `calls that wait for a removed view end at once`() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let view = room.view
    try await waitUntil { try Self.removes(in: room) }
    var reports = 0
    let start = ContinuousClock.now
    let ends = await [
      #expect(throws: AnnalsError.self) { try await view.waitUntil(1, timeout: .seconds(60)) },
      #expect(throws: AnnalsError.self) { try await view.waitUntilBuilt(timeout: .seconds(60)) },
      #expect(throws: AnnalsError.self) {
        try await view.waitUntilCaughtUp(timeout: .seconds(60)) { _ in reports += 1 }
      },
    ]
    #expect(ends.allSatisfy { $0?.code == .busy && $0?.message.contains("removed") == true })
    #expect(ContinuousClock.now - start < .seconds(30) && reports == 0)
  }

  @Test(.timeLimit(.minutes(1)))
  @MainActor func `a view is removed on the main actor while a live query follows`() async throws {
    var isRemoved = false
    for _ in 0..<5 where !isRemoved {
      let room = try StockRoom()
      try await room.count(["a": 1])
      let query = LiveQuery(RowQuery(Item.self), in: room.view)
      try await waitUntil { !query.isLoading }
      // Blocks the actor on which the query's task goes on.
      isRemoved = try Self.removes(in: room)
      try await waitUntil { query.error != nil }
      #expect(query.error?.code == .busy && query.rows.map(\.name) == ["a"])
    }
    #expect(isRemoved)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a view whose removal fails goes on, and can be removed later`() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let view = room.view
    for round in 2...3 {
      let error = #expect(throws: AnnalsError.self) {
        try view.read { (_) throws(AnnalsError) in try room.store.remove(view: "stock") }
      }
      #expect(error?.code == .busy && error?.details.file == "v-000001.mdb")
      try await room.count(["a": round])
      #expect(try view.get(Item.self, "a")?.count == round)
      #expect(try room.store.view(Stock.self).registered === view.registered)
      var results = view.results(RowQuery(Item.self)).makeAsyncIterator()
      #expect(try await results.next()?.map(\.count) == [round])
    }
    #expect(try room.store.log.views().map(\.number) == [1])
    try await waitUntil { try Self.removes(in: room) }
    #expect(try room.store.log.views().isEmpty)
  }
}
