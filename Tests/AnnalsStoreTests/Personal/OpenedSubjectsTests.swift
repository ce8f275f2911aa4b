import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

@Schema(3, 0, 0) private enum FoldedOrders {
  typealias Registered = PlacedOrders.Registered

  @Record struct Orders: Equatable {
    var id: String
    var total: Int
    @Field(personal: "id", erased: "none") var names: String
  }
}

extension FoldedOrders.Event: Equatable {}

private enum FoldedOrdersPlan: SchemaMigrationPlan {
  struct State: Codable, Sendable {
    var id = ""
    var total = 0
    var names: [String] = []
  }

  static var stages: MigrationChain<PlacedOrders, FoldedOrders> {
    NamedOrdersPlan.naming
    MigrationStage.custom(fromVersion: NamedOrders.self, toVersion: FoldedOrders.self) {
      Fold(\.ordered, into: \.orders, grouping: { old, _ in old.id }, from: State()) { state, old, _ in
        state.id = old.id
        state.total += old.total
        state.names.append(old.name)
      } result: { state, _ in
        .init(id: state.id, total: state.total, names: state.names.joined(separator: ", "))
      }
    }
  }
}

/// Whose values were decrypted for an event: of which records that is noted, and what follows.
@Suite struct OpenedSubjectsTests {
  private let directory: TemporaryDirectory
  private let keys = MemoryKeys()
  private var url: URL { directory.url.appendingPathComponent("orders.annals") }

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a fold has no value of a context that its older records met`() async throws {
    try await keys.open(PlacedOrdersPlan.self, at: url).append(
      [.registered(.init(id: "a", name: "Ada's name")), .ordered(.init(id: "a", total: 1))], to: "orders")
    try await keys.open(NamedOrdersPlan.self, at: url).append(
      [.ordered(.init(id: "a", total: 2, name: "Ada Lovelace"))], to: "orders")
    let store = try keys.open(FoldedOrdersPlan.self, at: url)
    try store.forget("a", by: "jane", because: "request")
    let wanted: [FoldedOrders.Event] = [
      .registered(.init(id: "a", name: "gone")), .orders(.init(id: "a", total: 3, names: "none")),
    ]
    #expect(try MemoryKeys.events(store) == wanted)
    _ = try await store.migrate().report()
    #expect(try MemoryKeys.events(store) == wanted)
  }

  private var kind: (plan: CompiledPlan, record: RecordKind, payload: [UInt8]) {
    get throws {
      let plan = try CompiledPlan(TradesPlan.self, StageContexts(keys: keys))
      let trade = TradesV1.Trade(
        buyer: "b", seller: "s", street: "Ada's street", phone: "Bob's phone", remark: "", title: nil)
      var payload: [UInt8] = []
      try TradesV1.Event.trade(trade).encode(into: &payload)
      return (plan, plan.written[0], payload)
    }
  }

  @Test func `a buffer for many entries does not collect people`() throws {
    let (plan, record, payload) = try kind
    let sealed = try #require(try plan.sealed(payload.span, as: record, isNew: true))
    let entrance = try plan.storedEntrance(of: record)
    let origin = Origin(
      position: 1, stream: "trades", revision: 0, timestamp: Timestamp(microseconds: 0), id: nil,
      metadata: [:],
      log: UUID())
    let buffer = TypedEventBuffer<TradesV1.Event>()
    for _ in 0..<3 { try entrance.upcast(sealed.span, origin, into: buffer) }
    #expect(buffer.count == 3)
    #expect(buffer.openedSubjects.living.isEmpty)
  }

  @Test func `a pass stores no value in the clear whose key is dropped in between`() throws {
    let (plan, record, payload) = try kind
    var opened = OpenedSubjects()
    opened.add(ExactText("s"))
    try keys.drop("s")
    let error = #expect(throws: AnnalsError.self) {
      try plan.sealed(payload.span, as: record, isNew: false, besides: opened)
    }
    #expect(error?.code == .subjectForgotten)
    #expect(try plan.sealed(payload.span, as: record, isNew: false, besides: OpenedSubjects()) != nil)
  }
}
