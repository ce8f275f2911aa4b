import Foundation
import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsShapes

/// The source of a plan's next version. The file `DepotV3.swift` is such a source, and is compiled with these
/// tests.
@Suite struct NextSchemaTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  // Promise P182.
  @Test func `the next version has every record as an alias, or declared again from its shape`() throws {
    var options = NextSchema.Options()
    options.changing = ["parcel sent"]
    let next = try NextSchema(after: DepotPlan.self, options)
    let file = Self.folder.appending(path: "DepotV3.swift")
    if ProcessInfo.processInfo.environment["ANNALS_RECORD"] != nil {
      try next.source.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(next.source == (try String(contentsOf: file, encoding: .utf8)))
    #expect(next.version == DepotV3.version && next.name == "DepotV3" && next.stage == "depotV2ToDepotV3")
  }

  @Test func `a record declared again has the shape, the name and the reserved names that it had`() throws {
    #expect(DepotV3.Sent.recordShape == DepotV2.Sent.recordShape)
    #expect(DepotV3.Sent.recordShape?.unknownCases == DepotV2.Sent.recordShape?.unknownCases)
    #expect(DepotV3.Sent.recordName == "parcel sent")
    #expect(DepotV3.Sent.reservedNames == DepotV2.Sent.reservedNames)
    #expect(DepotV3.Arrived.self == DepotV1.Arrived.self)
  }

  @Test func `a record declared again has the same personal fields, with their replacements`() throws {
    let (old, new) = (try #require(DepotV2.Sent.recordShape), try #require(DepotV3.Sent.recordShape))
    #expect(new.fields.compactMap(\.subject).count == 9)
    #expect(new.fields.map(\.subject) == old.fields.map(\.subject))
    #expect(new.fields.map(\.replacement) == old.fields.map(\.replacement))
  }

  @Test func `a replacement that has no literal is left to be written`() throws {
    var options = NextSchema.Options()
    options.changing = ["Born"]
    let source = try NextSchema(after: DatedShelfPlan.self, options).source
    #expect(source.contains("@Field(personal: \"id\", erased: …) var on: Date\n"))
    #expect(source.contains("@Field(personal: \"id\", erased: …) var share: Double\n"))
    #expect(source.contains("@Field(personal: \"id\") var name: String?\n"))
  }

  @Test func `the plan with the new stage is valid, and reads every record as it is`() throws {
    let check = PlanCheck(of: NextDepotPlan.self)
    #expect(check.errors.isEmpty, "\(check)")
    let stage = try #require(check.stages.last)
    #expect(stage.records.map(\.outcome) == [.carried, .converted, .carried])
    #expect(stage.records.allSatisfy { $0.fields.isEmpty })
    _ = try CompiledPlan(NextDepotPlan.self)
  }

  @Test(.enabled(if: Compiler.found != nil, "no swiftc, or no built modules next to the tests"))
  func `every form of the source compiles with the plan`() throws {
    let compiler = try #require(Compiler.found)
    let plan = try String(contentsOf: Self.folder.appending(path: "DepotPlan.swift"), encoding: .utf8)
    var options = NextSchema.Options()
    options.version = SchemaVersion(3, 0, 1)
    options.name = "Future"
    options.isDraft = true
    options.changing = ["Arrived", "Lost for good", "parcel sent"]
    let next = try NextSchema(after: DepotPlan.self, options)
    #expect(next.source.contains("@Schema(3, 0, 1, .draft) enum Future {"))
    let user = """
      import Annals
      enum FuturePlan: SchemaMigrationPlan {
        static var stages: MigrationChain<DepotV1, Future> {
          MigrationStage.lightweight(fromVersion: DepotV1.self, toVersion: DepotV2.self)
          \(next.stage)
        }
      }
      """
    let outcome = try compiler.build(
      [("DepotPlan.swift", plan), ("Future.swift", next.source), ("FuturePlan.swift", user)], inBatches: false
    )
    #expect(outcome.succeeded, "\(outcome.output)\n\(next.source)")
    var open = NextSchema.Options()
    open.isPublic = true
    open.changing = ["Placed"]
    let isPublic = try NextSchema(after: PublicShelfPlan.self, open)
    let shelf = """
      public import Annals
      @Schema(1, 0, 0) public enum Shelf { @Record public struct Placed { public var title: String } }
      public enum PublicShelfPlan: SchemaMigrationPlan {
        public static var stages: MigrationChain<Shelf, Shelf> {}
      }
      """
    let built = try compiler.build(
      [("Shelf.swift", shelf), ("ShelfV2.swift", isPublic.source)], inBatches: false)
    #expect(built.succeeded, "\(built.output)\n\(isPublic.source)")
  }

  @Test func `a draft, a lower version, an unknown record and a type with its own code are refused`() {
    func refusal(
      _ plan: (some SchemaMigrationPlan).Type, _ code: AnnalsError.Code = .invalidPlan,
      _ change: (inout NextSchema.Options) -> Void = { _ in }
    ) -> String {
      var options = NextSchema.Options()
      change(&options)
      do {
        return try NextSchema(after: plan, options).source
      } catch {
        #expect(error.code == code)
        return error.message
      }
    }
    #expect(refusal(DraftShelfPlan.self).contains("DraftShelf (1.0.0) is a draft"))
    let low = refusal(DepotPlan.self, .wrongUse) { $0.version = SchemaVersion(1, 4, 0) }
    #expect(low.contains("is not above 1.4.0"))
    let unknown = refusal(DepotPlan.self, .wrongUse) { $0.changing = ["Sent"] }
    #expect(unknown.contains("has no record 'Sent'; it has 'Arrived'"))
    #expect(
      refusal(CodedShelfPlan.self) { $0.changing = ["Placed"] }.contains("copy its declaration by hand"))
    #expect(refusal(CodedShelfPlan.self) { $0.changing = ["Plain"] }.contains("copy its declaration by hand"))
  }
}

@Schema(1, 0, 0) private enum Shelf { @Record fileprivate struct Placed { var title: String } }
private enum PublicShelfPlan: SchemaMigrationPlan { static var stages: MigrationChain<Shelf, Shelf> {} }
@Schema(1, 0, 0, .draft) private enum DraftShelf { @Record fileprivate struct Placed { var title: String } }
private enum DraftShelfPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DraftShelf, DraftShelf> {}
}
@Schema(1, 0, 0) private enum DatedShelf {
  @Record fileprivate struct Born {
    var id: Int
    @Field(personal: "id", erased: Date(timeIntervalSince1970: 0)) var on: Date
    @Field(personal: "id", erased: Double.infinity) var share: Double
    @Field(personal: "id") var name: String?
  }
}
private enum DatedShelfPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DatedShelf, DatedShelf> {}
}
private struct Coded: Codable { var x = 1 }
@Schema(1, 0, 0) private enum CodedShelf {
  @Record fileprivate struct Placed { var coded: Coded }
  fileprivate struct Plain: Record, Codable { var x: Int }
}
private enum CodedShelfPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<CodedShelf, CodedShelf> {}
}
