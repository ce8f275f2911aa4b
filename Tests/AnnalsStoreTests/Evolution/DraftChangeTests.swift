import Annals
import Testing

/// Drafts of one version whose stage has declarations, or whose fields change names.
@Suite struct DraftChangeTests {
  @Schema(1, 0, 0) enum First {
    @Record struct Made: Equatable {
      var width: Int
      var height: Int
      var label: String
    }
  }
  enum Monday {
    @Schema(2, 0, 0, .draft) enum Second {
      @Record struct Made: Equatable {
        @Field(originalName: "height") var width: Int
        @Field(originalName: "width") var height: Int
        var label: String
      }
    }
  }
  enum Friday {
    @Schema(2, 0, 0) enum Second {
      @Record struct Made: Equatable {
        @Field(originalName: "height") var width: Int
        @Field(originalName: "width") var depth: Int
        var label: [String]
        var count: Int
      }
    }
  }
  enum Other {
    @Schema(2, 0, 0, .draft) enum Second {
      @Record struct Made: Equatable {
        var width: String
        var height: Int
        var label: String
      }
    }
  }
  enum FirstPlan: SchemaMigrationPlan { static var stages: MigrationChain<First, First> {} }
  enum MondayPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<First, Monday.Second> {
      MigrationStage.lightweight(fromVersion: First.self, toVersion: Monday.Second.self)
    }
  }
  enum FridayPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<First, Friday.Second> {
      MigrationStage.lightweight(fromVersion: First.self, toVersion: Friday.Second.self) {
        Default(\.made, \.count, 5)
        Wrap(\.made, \.label)
      }
    }
  }
  enum OtherPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<First, Other.Second> {
      MigrationStage.custom(fromVersion: First.self, toVersion: Other.Second.self) {
        Upcast(\.made, to: \.made) { old, _ in
          .init(width: "\(old.width)", height: old.height, label: old.label)
        }
      }
    }
  }

  @Test func `events of a draft and of the version before read alike, by fields and by declarations`()
    async throws
  {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: FirstPlan.self).append(
      [.made(.init(width: 1, height: 2, label: "a"))], to: "all")
    let monday = try EventStore(at: place.url, plan: MondayPlan.self)
    // The same as the first event, by the fields of the first version.
    try await monday.append([.made(.init(width: 2, height: 1, label: "a"))], to: "all")
    let friday = try EventStore(at: place.url, plan: FridayPlan.self)
    let expected = Friday.Second.Made(width: 2, depth: 1, label: ["a"], count: 5)
    #expect(try Self.made(friday) == [expected, expected])
    #expect(try await friday.migrate().report().rewritten == 2)
    #expect(try Self.made(friday) == [expected, expected])
  }

  private static func made(_ store: EventStore<FridayPlan>) throws -> [Friday.Second.Made] {
    try store.read { snapshot in
      var made: [Friday.Second.Made] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        switch entry.event {
        case .made(let one): made.append(one)
        }
      }
      return made
    }
  }

  @Test func `a draft that cannot be read names the draft, the fields and what to do`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: MondayPlan.self).append(
      [.made(.init(width: 2, height: 1, label: "a"))], to: "all")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: OtherPlan.self) }
    #expect(error?.code == .shapeChanged)
    let message = try #require(error?.message)
    for part in ["'Made' of version 2.0.0, 1 events", "a draft", "`width` was int64, and is text", "aside"] {
      #expect(message.contains(part), "\(message)")
    }
    #expect(!message.contains("released"))
  }
}
