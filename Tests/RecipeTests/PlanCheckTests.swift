import Annals
import Foundation
import Testing

extension ShopV1.Placed {
  static var samples: [Self] { [.init(lines: ["tea"], total: 250), .init(lines: [], total: -1)] }
}

@Suite struct PlanCheckTests {
  // Promise P162.
  @Test func `the plan is valid, and released versions are unchanged`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    try ShopPlan.check(lock: folder.appending(path: "ShopPlan.lock"))
  }

  // Promise P41.
  @Test func `a constant is named in the report, and a possible renaming is an error`() throws {
    let report = "\(try ShelfPlan.check())"
    #expect(report.contains("\"en\""), "\(report)")
    let error = #expect(throws: AnnalsError.self) { try ForgetfulReelPlan.check() }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("originalName") == true, "\(String(describing: error))")
    try RemovingReelPlan.check()
  }

  // Promise P21.
  @Test func `the effect of a lightweight stage on each field is printed, without a store`() throws {
    let report = try ExercisePlan.check()
    let notes = try #require(report.stages.first?.records.first?.fields.first)
    #expect(notes.line == "+ notes: text?")
    #expect(notes.newReadsOld == "nil")
    #expect(notes.oldReadsNew == "ignored")
  }

  // Promise P16.
  @Test func `rules below a minor version are a warning, and no error`() throws {
    let warnings = try MinorShopPlan.check().findings.filter { $0.severity == .warning }
    #expect(warnings.count == 1)
    #expect(warnings.first?.message.contains("2.0.0") == true, "\(warnings)")
  }

  @Test func `a version that was edited after its release fails before any store does`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    // A copy, so that recording the real file never includes the edited version.
    let copy = try TemporaryStore()
    try FileManager.default.copyItem(at: folder.appending(path: "ShopPlan.lock"), to: copy.url)
    let error = #expect(throws: AnnalsError.self) { try EditedShopPlan.check(lock: copy.url) }
    #expect(error?.code == .shapeChanged)
    #expect(error?.message.contains("Placed") == true, "\(String(describing: error))")
  }
}

/// Version 2 of the shop under a number that promises less.
@Schema(1, 1, 0) enum MinorShop {
  typealias Shipped = ShopV1.Shipped
  typealias Placed = ShopV2.Placed
}

enum MinorShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, MinorShop> {
    MigrationStage.custom(fromVersion: ShopV1.self, toVersion: MinorShop.self) {
      Upcast(\.placed, to: \.placed) { old, origin in
        .init(lines: old.lines, total: old.total, currency: "EUR")
      }
    }
  }
}

/// Version 2 of the shop with a field that it was not released with.
@Schema(2, 0, 0) enum EditedShopV2 {
  typealias Shipped = ShopV1.Shipped
  @Record struct Placed: Equatable {
    var lines: [String]
    var total: Int
    var currency: String
    var note: String?
  }
}

enum EditedShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, EditedShopV2> {
    MigrationStage.custom(fromVersion: ShopV1.self, toVersion: EditedShopV2.self) {
      Upcast(\.placed, to: \.placed) { old, origin in
        .init(lines: old.lines, total: old.total, currency: "EUR", note: nil)
      }
    }
  }
}
