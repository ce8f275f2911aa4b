import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// A store that the framework wrote, imported again after a pass.
@Suite(.enabled(if: RealStores.folder != nil, "no stores of the framework on this machine"))
struct RealImportAfterPassTests {
  @Test func `the history of a SwiftData store adds nothing after a pass that drops some of its events`()
    async throws
  {
    let folder = try #require(RealStores.folder)
    let place = try TemporaryStore()
    let file = try SwiftDataFile(at: folder.appending(path: "default.store"))
    let mapping = try file.proposal(named: "Resources").mapping
    #expect(try file.importRows(into: EventLog(at: place.url), mapping: mapping).stored == 19)
    for isActive in [false, true] {
      let store = try EventStore(at: place.url, plan: ResourcesPlan.self)
      if isActive { _ = try store.activate() } else { #expect(try await store.migrate().report().isDone) }
      let log = try EventLog(at: place.url)
      let report = try file.importRows(into: log, mapping: mapping)
      #expect(report.stored == 0 && report.skipped == 0 && report.rows == 7)
      let entries = try log.everything()
      #expect(entries.count == 19)
      #expect(entries.count { if case .stub = $0.content { true } else { false } } == 3)
    }
  }
}

@Schema(1, 0, 0) private enum Resources1 {
  @Record fileprivate struct ComponentInserted: Equatable {
    var primaryKey: Int
    var count: Int?
    var id: UUID?
    var craftingRecipe: Int?
    var item: Int?
  }
  @Record fileprivate struct ComponentUpdated: Equatable {
    var primaryKey: Int
    var count: Int?
    var id: UUID?
    var craftingRecipe: Int?
    var item: Int?
  }
  @Record fileprivate struct ComponentDeleted: Equatable { var primaryKey: Int }
  @Record fileprivate struct CraftingRecipeInserted: Equatable {
    var primaryKey: Int
    var producedItemCount: String?
    var producedItem: Int?
  }
  @Record fileprivate struct CraftingRecipeUpdated: Equatable {
    var primaryKey: Int
    var producedItemCount: String?
    var producedItem: Int?
  }
  @Record fileprivate struct CraftingRecipeDeleted: Equatable { var primaryKey: Int }
  @Record fileprivate struct ItemInserted: Equatable {
    var primaryKey: Int
    var name: String?
    var craftingRecipe: Int?
  }
  @Record fileprivate struct ItemUpdated: Equatable {
    var primaryKey: Int
    var name: String?
    var craftingRecipe: Int?
  }
  @Record fileprivate struct ItemDeleted: Equatable { var primaryKey: Int }
}
@Schema(1, 1, 0) private enum Resources2 {
  typealias ComponentInserted = Resources1.ComponentInserted
  typealias ComponentUpdated = Resources1.ComponentUpdated
  typealias CraftingRecipeInserted = Resources1.CraftingRecipeInserted
  typealias CraftingRecipeUpdated = Resources1.CraftingRecipeUpdated
  typealias CraftingRecipeDeleted = Resources1.CraftingRecipeDeleted
  typealias ItemInserted = Resources1.ItemInserted
  typealias ItemDeleted = Resources1.ItemDeleted
}
private enum ResourcesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Resources1, Resources2> {
    MigrationStage.custom(fromVersion: Resources1.self, toVersion: Resources2.self) {
      Drop(\.componentDeleted, reason: "they are not missed")
      Drop(\.itemUpdated, reason: "the first name counts")
    }
  }
}
