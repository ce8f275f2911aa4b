import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// Views of a store and of a copy of it, which has the same log's id.
struct CopiedStoreViewTests {
  private static let events = [StockV1.Event.counted(.init(item: "a", count: 1))]

  @Test func `a call refuses views of a copy of its store`() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let place = try TemporaryStore()
    try room.store.backup(to: place.url)
    let copy = try EventStore(at: place.url, plan: StockPlan.self, options: .relaxedCommits)
    #expect(copy.log.id == room.store.log.id)
    let own = try copy.view(Stock.self)
    let refused = await [
      #expect(throws: AnnalsError.self) {
        try await copy.append(Self.events, to: "stock", waitingFor: room.view)
      },
      #expect(throws: AnnalsError.self) {
        try copy.read(own, room.view) { (_, _) throws(AnnalsError) in Issue.record("two stores were read") }
      },
      #expect(throws: AnnalsError.self) {
        try copy.read(own, own, room.view) { (_, _, _) throws(AnnalsError) in
          Issue.record("two stores were read")
        }
      },
    ]
    #expect(refused.allSatisfy { $0?.code == .wrongUse && $0?.message.contains("'stock'") == true })
    #expect(try copy.read { snapshot in try snapshot.head() } == 1)
    try await copy.append(Self.events, to: "stock", waitingFor: own)
    #expect(try own.get(Stock.Item.self, "a")?.count == 1)
    #expect(try room.view.get(Stock.Item.self, "a")?.count == 0)
  }

  @Test func `a call takes views that were opened for reading at the same place`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: StockPlan.self, options: .relaxedCommits)
    let view = try store.view(Stock.self)
    try await store.append(Self.events, to: "stock", waitingFor: view)
    let reader = try EventStore(
      at: place.url, plan: StockPlan.self, options: StoreOptions(access: .readOnly))
    let read = try reader.view(Stock.self)
    try await store.append(Self.events, to: "stock", waitingFor: read)
    let positions = try reader.read(view, read) { (one, two) throws(AnnalsError) in
      [try one.position(), try two.position()]
    }
    #expect(positions == [2, 2])
  }
}
