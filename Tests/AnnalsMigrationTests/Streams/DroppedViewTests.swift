import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsProjections

/// A view of a store whose plan gets a stage that drops events where it moves streams.
@Suite struct DroppedViewTests {
  @Schema(1, 0, 0) enum V1 { @Record struct Draw: Equatable { var n: Int } }
  @Schema(2, 0, 0) enum V2 { typealias Draw = V1.Draw }

  enum Before: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
  enum After: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V2> {
      MigrationStage.custom(fromVersion: V1.self, toVersion: V2.self) {
        Streams { events, _ in
          if case .draw(let draw)? = events.first, draw.n % 2 == 0 { return .dropped(reason: "even") }
          return .stays
        }
      }
    }
  }

  @Record struct Row: ProjectionRow {
    var position: UInt64
    var n: Int
    var key: UInt64 { position }
  }
  enum Draws<Schema: VersionedSchema>: Projection {
    typealias Event = Schema.Event
    static var name: String { "draws" }
    static var version: Int { 1 }
    static var tables: [ProjectionTable] { [.rows(Row.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      let n =
        switch entry.event {
        case let event as V1.Event: if case .draw(let draw) = event { draw.n } else { 0 }
        case let event as V2.Event: if case .draw(let draw) = event { draw.n } else { 0 }
        default: 0
        }
      try rows.put(Row(position: entry.position.rawValue, n: n))
    }
  }

  @Test func `a stage that drops events of streams has views built again`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: Before.self)
      try await store.append((1...6).map { .draw(.init(n: $0)) }, to: "a")
      let view = try store.view(Draws<V1>.self)
      try await view.waitUntil(6)
    }
    for _ in 0..<2 {
      var options = StoreOptions()
      options.migration = .beforeOpen()
      let store = try EventStore(at: place.url, plan: After.self, options: options)
      let view = try store.view(Draws<V2>.self)
      try await view.waitUntilBuilt()
      try await view.waitUntilCaughtUp()
      #expect(try view.rows(RowQuery(Row.self)).map(\.n) == [1, 3, 5])
    }
  }
}
