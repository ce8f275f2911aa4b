import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// Stores that Apple's frameworks wrote, read in place where they are available.
enum RealStores {
  /// Their folder, next to the package; `nil` where they are not available.
  static let folder: URL? = {
    let package = URL(filePath: #filePath).pathComponents.dropLast(3)
    let candidates = (1...2).map { levels in
      URL(filePath: package.dropLast(levels).joined(separator: "/")).appending(path: "shared/data/swiftdata")
    }
    return candidates.first {
      FileManager.default.fileExists(atPath: $0.appending(path: "default.store").path)
    }
  }()
}

@Suite(.enabled(if: RealStores.folder != nil, "no stores of the framework on this machine"))
struct RealStoreTests {
  private let folder: URL

  init() throws {
    folder = try #require(RealStores.folder)
  }

  @Test func `the model of a SwiftData store is read from its cache`() throws {
    let file = try SwiftDataFile(at: folder.appending(path: "default.store"))
    #expect(file.versions == ["1.0.0"] && file.id.uuidString == "1D070E6D-145B-4367-8928-974368B60AC7")
    #expect(file.entities.map(\.name) == ["Component", "CraftingRecipe", "Item"])
    let component = try #require(file.entities.first)
    #expect(
      component.fields.map { "\($0.name) \($0.type.rawValue) \($0.isOptional)" } == [
        "count Int false", "id UUID false", "craftingRecipe Int true", "item Int true",
      ])
    #expect(component.fields.map(\.destination) == [nil, nil, "CraftingRecipe", "Item"])
  }

  @Test func `the history of a SwiftData store becomes its 19 changes, and a second import adds none`() throws
  {
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let file = try SwiftDataFile(at: folder.appending(path: "default.store"))
    let mapping = try file.proposal(named: "Resources").mapping
    let report = try file.importRows(into: log, mapping: mapping)
    #expect(report.inserted == 9 && report.updated == 8 && report.deleted == 2)
    #expect(try file.importRows(into: log, mapping: mapping).stored == 0)
    let entries = try log.everything()
    #expect(entries.compactMap { $0.metadata["swiftdata"]?["change"]?.integer } == Array(1...19))
    #expect(entries.map(\.time) == entries.map(\.time).sorted())
    #expect(entries[0].time.description == "2024-07-29T00:42:12.380816Z")
    // Each row that is there now has its values in its last event, and no event before has any.
    #expect(entries.count { $0.metadata["incomplete"] == true } == 10)
    #expect(entries.count { $0.metadata["swiftdata"]?["digest"] != nil } == 7)
    #expect(try EventLog.verify(store.url).findings.isEmpty)
  }

  @Test func `the books of a Core Data store have their dates`() throws {
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let file = try SwiftDataFile(at: folder.appending(path: "books.sqlite"))
    #expect(try file.importRows(into: log, mapping: file.proposal(named: "Books").mapping).inserted == 11)
    let strata = try #require(try log.everything().first)
    #expect(strata["title"] == "Strata" && strata["copyright"] == -631064399.0)
  }

  @Test func `every value of the model has its type in the list of types`() throws {
    let file = try SwiftDataFile(at: folder.appending(path: "default.store"))
    for entity in try #require(file.model).entities.values {
      for attribute in entity.attributes { #expect(SwiftDataType(attribute: attribute.type) != nil) }
    }
  }
}
