import Foundation

@testable import Annals
@testable import AnnalsProjections
@testable import AnnalsStore

@Schema(1, 0, 0) enum StockV1 {
  @Record struct Counted { var item: String; var count: Int }
  @Record struct SoldOut { var item: String }
}

enum StockPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<StockV1, StockV1> {}
}

/// How many there are of each item.
enum Stock: Projection {
  typealias Event = StockV1.Event
  @Record struct Item: ProjectionRow, Equatable {
    var name: String
    var count: Int

    var key: String { name }
    static let byCount = SecondaryKey<Item, Int>("count") { $0.count }
    static var secondaryKeys: [any DeclaredKey<Item>] { [byCount] }
  }

  static let name = "stock"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Item.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .counted(let counted): try rows.put(Item(name: counted.item, count: counted.count))
    case .soldOut(let sold): try rows.delete(Item.self, sold.item)
    }
  }
}

/// A store of items with its view, in a directory that goes with it.
final class StockRoom: Sendable {
  let store: EventStore<StockPlan>
  let view: View<Stock>
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(
      at: place.url, plan: StockPlan.self, options: .relaxedCommits)
    view = try store.view(Stock.self)
  }

  /// Appends events and waits until the view shows them.
  @discardableResult
  func note(_ events: [StockV1.Event]) async throws -> Position {
    let last = try await store.append(events, to: "stock").position ?? 0
    try await view.waitUntil(last)
    return last
  }

  /// Sets the counts of items.
  @discardableResult
  func count(_ counts: KeyValuePairs<String, Int>) async throws -> Position {
    try await note(counts.map { .counted(.init(item: $0.key, count: $0.value)) })
  }
}
