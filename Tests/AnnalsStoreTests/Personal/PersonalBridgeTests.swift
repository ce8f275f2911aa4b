import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Personal fields of a bridge whose records are stored as the older version.
@Suite struct PersonalBridgeTests {
  @Schema(1, 0, 0) enum Plain {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      var text: String
      var count: Int32
    }
  }
  @Schema(1, 0, 0) enum Sealed {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      @Field(personal: "author", erased: "nobody") var text: String
      var count: Int32
    }
  }
  @Schema(1, 0, 0) enum OfEditor {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      @Field(personal: "editor", erased: "nobody") var text: String
      var count: Int32
    }
  }
  @Schema(2, 0, 0, .bridge) enum Wide {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      @Field(personal: "author", erased: "gone") var text: String
      var count: Int
    }
  }
  @Schema(2, 0, 0, .bridge) enum Same {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      @Field(personal: "author", erased: "gone") var text: String
      var count: Int32
    }
  }
  @Schema(3, 0, 0) enum Later {
    @Record struct Noted: Equatable {
      var author: Int
      var editor: Int
      @Field(personal: "author", erased: "gone") var text: String
      var count: Int
    }
  }

  enum OldPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Sealed, Sealed> {}
  }
  enum PlainPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Plain> {}
  }
  enum PlainToWide: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Wide> {
      MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Wide.self)
    }
  }
  enum EditorToWide: SchemaMigrationPlan {
    static var stages: MigrationChain<OfEditor, Wide> {
      MigrationStage.lightweight(fromVersion: OfEditor.self, toVersion: Wide.self)
    }
  }
  enum SealedToWide: SchemaMigrationPlan {
    static var stages: MigrationChain<Sealed, Wide> {
      MigrationStage.lightweight(fromVersion: Sealed.self, toVersion: Wide.self)
    }
  }
  enum PlainToSame: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Same> {
      MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Same.self)
    }
  }
  /// The bridge is not the last version, so nothing is stored in its older form.
  enum BridgeBehind: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Later> {
      MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Wide.self)
      MigrationStage.lightweight(fromVersion: Wide.self, toVersion: Later.self)
    }
  }
  enum Lowered: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Wide> {
      MigrationStage.custom(fromVersion: Plain.self, toVersion: Wide.self) {
        Upcast(\.noted, to: \.noted) { old, _ in
          .init(author: old.author, editor: old.editor, text: old.text, count: Int(old.count))
        }
        Downcast(\.noted, to: \.noted) { new in
          .init(author: new.author, editor: new.editor, text: new.text, count: Int32(new.count))
        }
      }
    }
  }
  enum Chosen: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Wide> {
      MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Wide.self) {
        Downcast(\.noted) { new in
          .noted(
            .init(author: new.author, editor: new.editor, text: new.text, count: Int32(new.count)))
        }
      }
    }
  }
  enum Losing: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Wide> {
      MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Wide.self) {
        Downcast(\.noted, to: \.noted, losing: \.text) { new in
          .init(author: new.author, editor: new.editor, text: "-", count: Int32(new.count))
        }
      }
    }
  }

  @Schema(1, 0, 0) enum OfText {
    @Record struct Noted: Equatable {
      var author: String
      @Field(personal: "author", erased: "nobody") var text: String
    }
  }
  /// The same bytes, which have another text as the id of a person.
  @Schema(2, 0, 0, .bridge) enum OfData {
    @Record(formerly: ["Noted"]) struct Written: Equatable {
      var author: Data
      @Field(personal: "author", erased: "nobody") var text: String
    }
  }
  enum TextToData: SchemaMigrationPlan {
    static var stages: MigrationChain<OfText, OfData> {
      MigrationStage.lightweight(fromVersion: OfText.self, toVersion: OfData.self)
    }
  }
  /// The rule keeps the text of the id.
  enum DecodedToData: SchemaMigrationPlan {
    static var stages: MigrationChain<OfText, OfData> {
      MigrationStage.custom(fromVersion: OfText.self, toVersion: OfData.self) {
        Upcast(\.noted, to: \.written) { old, _ in
          .init(author: Data(base64Encoded: old.author) ?? Data(), text: old.text)
        }
        Downcast(\.written, to: \.noted) { new in
          .init(author: new.author.base64EncodedString(), text: new.text)
        }
      }
    }
  }

  @Test func `a bridge that would store a personal field in the clear is refused`() {
    func problem<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> String? {
      do throws(AnnalsError) { _ = try CompiledPlan(plan) } catch {
        return error.code == .invalidPlan ? error.message : "\(error)"
      }
      return nil
    }
    for message in [
      problem(PlainToWide.self), problem(EditorToWide.self), problem(Lowered.self), problem(Chosen.self),
      problem(TextToData.self),
    ] {
      #expect(message?.contains("`text` would not be encrypted there with the key of") == true)
    }
    #expect(problem(Lowered.self)?.contains("name it in 'losing:'") == true)
    #expect(problem(SealedToWide.self) == nil)
    #expect(problem(PlainToSame.self) == nil, "its records are stored in their own form")
    #expect(problem(BridgeBehind.self) == nil)
    #expect(problem(Losing.self) == nil)
    #expect(problem(DecodedToData.self) == nil)
  }

  @Test func `a bridge accepts the replacement that it declares, and no other value of a forgotten person`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("notes.annals")
    let keys = MemoryKeys()
    let old = try EventStore(at: url, plan: OldPlan.self, options: keys.options)
    try await old.append([.noted(.init(author: 1, editor: 2, text: "old", count: 1))], to: "a")
    let store = try EventStore(at: url, plan: SealedToWide.self, options: keys.options)
    func append(_ text: String) async throws {
      try await store.append([.noted(.init(author: 1, editor: 2, text: text, count: 1))], to: "a")
    }
    try await append("new")
    try store.forget(1, by: "jane", because: "request")
    try await append("gone")
    for text in ["late", "nobody"] {
      let error = await #expect(throws: AnnalsError.self) { try await append(text) }
      #expect(error?.code == .subjectForgotten)
    }
    let texts = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var texts: [String] = []
      while let entry = try entries.next() {
        if case .noted(let noted) = entry.event { texts.append(noted.text) }
      }
      return texts
    }
    #expect(texts == ["nobody", "nobody", "gone"])
  }

  @Test func `data of forgotten people are refused also where the older form does not hold them`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("notes.annals")
    let keys = MemoryKeys()
    let old = try EventStore(at: url, plan: PlainPlan.self, options: keys.options)
    try await old.append([.noted(.init(author: 1, editor: 2, text: "old", count: 1))], to: "a")
    let store = try EventStore(at: url, plan: Losing.self, options: keys.options)
    try store.forget(1, by: "jane", because: "request")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(author: 1, editor: 2, text: "late", count: 1))], to: "a")
    }
    #expect(error?.code == .subjectForgotten)
    let stored = try await store.append(
      [.noted(.init(author: 1, editor: 2, text: "gone", count: 1))], to: "a")
    #expect(stored.positions == [3])
  }
}
