import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// Views of events that a stage splits into many.
struct ViewSplitTests {
  @Schema(1, 0, 0) enum CratesV1 {
    @Record struct Crate { var bottles: Int }
  }
  @Schema(2, 0, 0) enum CratesV2 {
    @Record struct Bottle { var number: Int }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<CratesV1, CratesV1> {}
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<CratesV1, CratesV2> {
      MigrationStage.custom(fromVersion: CratesV1.self, toVersion: CratesV2.self) {
        Split(\.crate, into: [\.bottle]) { old, _ in
          (0..<old.bottles).map { .bottle(.init(number: $0)) }
        }
      }
    }
  }

  @Record struct Label: ProjectionRow {
    var id: String
    var text: String
    var key: String { id }
  }
  enum Labels: Projection {
    typealias Event = CratesV2.Event
    static let name = "labels"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Label.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try rows.put(
        Label(id: "\(entry.position)/\(entry.path)", text: String(repeating: "x", count: 900)))
    }
  }

  @Test(arguments: [(1, 5_000), (200, 20)])
  func `however little memory a view has, it folds all parts of each entry`(crates: Int, bottles: Int)
    async throws
  {
    let temporary = try TemporaryStore()
    do {
      let store = try EventStore(at: temporary.url, plan: First.self)
      try await store.append(
        (0..<crates).map { _ in .crate(.init(bottles: bottles)) }, to: "cellar")
    }
    var options = StoreOptions()
    options.viewMemory = 1 << 20
    let store = try EventStore(at: temporary.url, plan: Second.self, options: options)
    let view = try store.view(Labels.self)
    try await view.waitUntilCaughtUp()
    #expect(try view.count(RowQuery(Label.self)) == crates * bottles)
  }
}
