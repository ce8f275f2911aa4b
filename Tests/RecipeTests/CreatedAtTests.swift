import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum NotesV1 {
  @Record struct NoteWritten: Equatable { var text: String }
}

/// The time of writing is unknown for older notes.
@Schema(2, 0, 0) enum OptionalNotesV2 {
  @Record struct NoteWritten: Equatable {
    var text: String
    var createdAt: Date?
  }
}

/// The time of writing is known for all notes: an older one was written when it was appended.
@Schema(2, 0, 0) enum NotesV2 {
  @Record struct NoteWritten: Equatable {
    var text: String
    var createdAt: Date
  }
}

enum OptionalNotePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, OptionalNotesV2> {
    MigrationStage.lightweight(fromVersion: NotesV1.self, toVersion: OptionalNotesV2.self)
  }
}

enum NotePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, NotesV2> {
    MigrationStage.custom(fromVersion: NotesV1.self, toVersion: NotesV2.self) {
      Upcast(\.noteWritten, to: \.noteWritten) { old, origin in
        .init(text: old.text, createdAt: origin.time)
      }
    }
  }
}

extension OptionalNotesV2.Event: Equatable {}
extension NotesV2.Event: Equatable {}

@Suite struct CreatedAtTests {
  private let then = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write([.noteWritten(.init(text: "milk"))], as: NotesV1.self, at: then)
    return place
  }

  // Promise P76.
  @Test func `a new date may be optional, and is nil in older events`() async throws {
    let place = try await seeded()
    #expect(
      try place.read(OptionalNotePlan.self) == [.noteWritten(.init(text: "milk", createdAt: nil))])
  }

  // Promise P77.
  @Test func `a new date that is required is taken from when the event was appended`() async throws {
    let place = try await seeded()
    #expect(try place.read(NotePlan.self) == [.noteWritten(.init(text: "milk", createdAt: then))])
  }

  @Test func `it is the same at every reading`() async throws {
    let place = try await seeded()
    let first = try place.read(NotePlan.self)
    #expect(try place.read(NotePlan.self) == first)
  }
}
