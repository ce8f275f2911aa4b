import AnnalsTestSupport
import Testing

@testable import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Older programs, and later drafts, that read events of a forgotten person.
@Suite struct PersonalReaderTests {
  @Schema(1, 0, 0) enum Older {
    @Record struct Noted: Equatable {
      var author: Int
      @Field(personal: "author", erased: "nobody") var text: String
    }
  }
  @Schema(2, 0, 0) enum Newer {
    @Record struct Noted: Equatable {
      var author: Int
      @Field(originalName: "text", personal: "author", erased: "gone") var words: String
      @Field(personal: "author", erased: 7) var added: Int
    }
  }
  enum OlderPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Older, Older> {}
  }
  enum NewerPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Older, Newer> {
      MigrationStage.lightweight(fromVersion: Older.self, toVersion: Newer.self) {
        Default(\.noted, \.added, 0)
      }
    }
  }

  @Schema(1, 0, 0, .draft) enum Draft {
    @Record struct Noted: Equatable {
      var author: Int
      @Field(personal: "author", erased: "nobody") var text: String
      @Field(personal: "author", erased: 1) var share: Float
    }
  }
  @Schema(1, 0, 0, .draft) enum Removed {
    @Record struct Noted: Equatable { var author: Int }
  }
  @Schema(1, 0, 0, .draft) enum Renamed {
    @Record struct Noted: Equatable {
      @Field(originalName: "author") var writer: Int
      @Field(originalName: "text", personal: "writer", erased: "gone") var words: String
      @Field(personal: "writer", erased: 2.5) var share: Double
    }
  }
  @Schema(1, 0, 0) enum Loose {
    @Record struct Noted: Equatable {
      var author: Int
      var text: String?
      var share: Double?
    }
  }
  @Schema(1, 0, 0, .draft) enum Plain {
    @Record struct Noted: Equatable {
      var author: Int
      var text: String
    }
  }
  enum DraftPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Draft, Draft> {}
  }
  enum RemovedPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Removed, Removed> {}
  }
  enum RenamedPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Renamed, Renamed> {}
  }
  enum LoosePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Loose, Loose> {}
  }
  enum PlainPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Plain, Plain> {}
  }

  /// The type of the first version is gone.
  @Schema(1, 0, 0) enum Tree {
    struct Noted: TreeRecord { var tree: CBOR }
  }
  @Schema(2, 0, 0) enum AfterTree {
    @Record struct Noted: Equatable {
      var author: Int
      @Field(personal: "author", erased: "gone") var text: String
    }
  }
  enum TreePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Tree, AfterTree> {
      MigrationStage.custom(fromVersion: Tree.self, toVersion: AfterTree.self) {
        Upcast(\.noted, to: \.noted) { old, _ in
          let text = if case .text(let text)? = old.tree["text"] { text } else { "no text" }
          return .init(author: 1, text: text)
        }
      }
    }
  }

  private let directory: TemporaryDirectory
  private let keys = MemoryKeys()

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func store<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws -> EventStore<Plan> {
    let url = directory.url.appendingPathComponent("notes.annals")
    return try EventStore(at: url, plan: plan, options: keys.options)
  }

  private func events<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws -> [Plan.Current.Event] {
    try store(plan).read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  @Test func `an older program reads its own replacement, and ignores personal fields that it lacks`()
    async throws
  {
    do {
      let store = try store(NewerPlan.self)
      try await store.append(
        [
          .noted(.init(author: 1, words: "secret", added: 3)),
          .noted(.init(author: 2, words: "open", added: 4)),
        ], to: "a")
    }
    let opens = keys.opens
    guard case .noted(let before)? = try events(OlderPlan.self).first else { return #expect(Bool(false)) }
    #expect(before == .init(author: 1, text: "secret"))
    #expect(keys.opens == opens + 2, "a field that nobody reads is not decrypted")
    try store(NewerPlan.self).forget(1, by: "jane", because: "request")
    let texts = try events(OlderPlan.self).map { event in
      if case .noted(let noted) = event { noted.text } else { "" }
    }
    #expect(texts == ["nobody", "open"])
    guard case .noted(let newest)? = try events(NewerPlan.self).first else { return #expect(Bool(false)) }
    #expect(newest == .init(author: 1, words: "gone", added: 7))
  }

  @Test func `a later draft reads its own replacement, of its own type, or nothing`() async throws {
    do {
      let store = try store(DraftPlan.self)
      try await store.append([.noted(.init(author: 1, text: "secret", share: 0.5))], to: "a")
      try store.forget(1, by: "jane", because: "request")
    }
    guard case .noted(let removed)? = try events(RemovedPlan.self).first,
      case .noted(let renamed)? = try events(RenamedPlan.self).first,
      case .noted(let loose)? = try events(LoosePlan.self).first
    else { return #expect(Bool(false)) }
    #expect(removed == .init(author: 1))
    #expect(renamed == .init(writer: 1, words: "gone", share: 2.5))
    #expect(loose == .init(author: 1, text: nil, share: nil))
  }

  @Test func `a tree record lacks the field of a forgotten person`() async throws {
    do {
      let store = try store(OlderPlan.self)
      try await store.append([.noted(.init(author: 1, text: "secret"))], to: "a")
    }
    guard case .noted(let before)? = try events(TreePlan.self).first else { return #expect(Bool(false)) }
    #expect(before.text == "secret")
    do { try store(OlderPlan.self).forget(1, by: "jane", because: "request") }
    guard case .noted(let after)? = try events(TreePlan.self).first else { return #expect(Bool(false)) }
    #expect(after.text == "no text")
  }

  @Test func `a plain field that must have a value says what it lacks`() async throws {
    do {
      let store = try store(DraftPlan.self)
      try await store.append([.noted(.init(author: 1, text: "secret", share: 0.5))], to: "a")
      #expect(try events(PlainPlan.self).count == 1)
      try store.forget(1, by: "jane", because: "request")
    }
    let error = #expect(throws: AnnalsError.self) { try events(PlainPlan.self) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("the key of the subject of 'text' was dropped") == true)
  }
}
