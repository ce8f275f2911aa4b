import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Imports without a version that belong to the newest one, next to events that need a stage with a context.
@Suite struct AdoptionAboveStageTests {
  @Schema(1, 0, 0) enum Notes1 {
    @Record struct Noted: Equatable { var text: String }
  }
  @Schema(2, 0, 0) enum Notes2 {
    @Record struct Noted: Equatable {
      var text: String
      var isFirst: Bool
    }
  }
  @Schema(3, 0, 0) enum Notes3 {
    @Record struct Noted: Equatable {
      @Field(originalName: "text") var words: String
      var isFirst: Bool
    }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<Notes1, Notes1> {}
  }
  enum Plan: SchemaMigrationPlan {
    static var stages: MigrationChain<Notes1, Notes3> {
      MigrationStage.custom(
        fromVersion: Notes1.self, toVersion: Notes2.self,
        prepare: { history in
          try history.firstPositions { entry in
            switch entry.event {
            case .noted(let note): note.text
            }
          }
        }
      ) {
        Upcast(\.noted, to: \.noted) { old, origin, firsts in
          .init(text: old.text, isFirst: firsts[old.text] == origin.position)
        }
      }
      MigrationStage.lightweight(fromVersion: Notes2.self, toVersion: Notes3.self)
    }
    static var unversioned: UnversionedEvents { .adopt(as: Notes3.self) }
  }

  @Test func `a stage is prepared from the versions below it, regardless of adoptions above`() async throws {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: First.self)
    try await first.append([.noted(.init(text: "a"))], to: "notes")
    try await place.open().append(
      [NewEntry(type: "Noted", version: nil, payload: try Payload(["words": "a", "isFirst": false]))],
      to: "notes")
    try await first.append([.noted(.init(text: "a"))], to: "notes")
    var options = StoreOptions()
    options.activating = true
    _ = try EventStore(at: place.url, plan: Plan.self, options: options)
    let notes = try EventStore(at: place.url, plan: Plan.self).events().map { event in
      switch event {
      case .noted(let note): note
      }
    }
    #expect(notes.map(\.words) == ["a", "a", "a"])
    #expect(notes.map(\.isFirst) == [true, false, false])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
