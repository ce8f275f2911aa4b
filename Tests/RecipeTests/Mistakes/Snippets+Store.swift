extension Snippet {
  /// The plan of the shop, for what follows it.
  static let plan = """
    import Foundation
    enum ShopPlan: SchemaMigrationPlan { static var stages: MigrationChain<V1, V3> { first; second } }

    """

  /// Correct appends and reads; beyond its schemas a program names records by their alias alone.
  static let store =
    plan + """
      func open(at url: URL) throws(AnnalsError) -> EventStore<ShopPlan> {
        try EventStore(at: url, plan: ShopPlan.self)
      }
      func place(in store: EventStore<ShopPlan>) async throws(AnnalsError) {
        let placed = Placed(total: 1, currency: "EUR")
        try await store.append([.placed(placed)], to: "order-1", expecting: .noStream)
        try await store.append([NewEvent(.placed(placed), metadata: ["user": "7"])], to: "order-1")
        try await store.append { call in
          call.append([.placed(placed)], to: "order-1", expecting: .revision(1))
          call.append([NewEvent(.default(.init(number: 1)))], to: "order-1")
          call.check("order-2", .noStream)
        }
      }
      func total(in store: EventStore<ShopPlan>) throws(AnnalsError) -> Int {
        try store.read { (snapshot) throws(AnnalsError) in
          var total = 0
          var entries = try snapshot.entries(in: "order-1")
          while let entry = try entries.next() {
            switch entry.event {
            case .placed(let placed): total += placed.total
            case .default, .`init`: break
            }
          }
          return total
        }
      }
      func current(_ event: EventStore<ShopPlan>.Event) -> ShopPlan.Current.Event { event }
      """

  /// Mistakes in the use of a store.
  static let uses =
    [
      Snippet(
        "a store without a plan", says: "missing argument for parameter 'plan' in call",
        "func open(at url: URL) throws { _ = try EventStore(at: url) }"),
      Snippet(
        "a snapshot that is kept",
        says: "instance method 'read' requires that 'StoreSnapshot<V3.Event>' conform to 'Copyable'",
        """
        func keep(_ store: EventStore<ShopPlan>) throws {
          _ = try store.read { (snapshot) throws(AnnalsError) -> StoreSnapshot<V3.Event> in snapshot }
        }
        """),
    ].map { Snippet($0.mistake, says: $0.message, plan + $0.source) } + appends

  /// What cannot be appended.
  private static let appends = [
    Snippet(
      "an event of an old version",
      says: "cannot convert value of type 'V1.Event' to expected element type 'V3.Event'",
      "store.append([V1.Event.placed(.init(total: 1))], to: \"order-1\")"),
    Snippet(
      "a record of an old version",
      says:
        "cannot convert value of type 'V1.Placed' to expected argument type 'V3.Event.Carried.Placed' (aka 'V2.Placed')",
      "store.append([.placed(V1.Placed(total: 1))], to: \"order-1\")"),
    Snippet(
      "an event of an old version with an id",
      says: "cannot convert value of type 'NewEvent<V1.Event>' to expected element type 'V3.Event'",
      "store.append([NewEvent(V1.Event.placed(.init(total: 1)), id: UUID())], to: \"order-1\")"),
    Snippet(
      "an event of an old version in a call for several streams",
      says: "cannot convert value of type 'V1.Event' to expected element type 'NewEvent<V3.Event>'",
      "store.append { call in call.append([V1.Event.placed(.init(total: 1))], to: \"order-1\") }"),
    Snippet(
      "a record that the current version no longer has", says: "type 'V3.Event' has no member 'pinged'",
      "store.append([.pinged(.init(number: 1))], to: \"order-1\")"),
    Snippet(
      "a type that is no record", says: "type 'V3.Event' has no member 'line'",
      "store.append([.line(.init(text: \"ink\"))], to: \"order-1\")"),
  ].map { append in
    Snippet(
      "appending " + append.mistake, says: append.message,
      plan + "func place(in store: EventStore<ShopPlan>) async throws { try await \(append.source) }")
  }
}
