import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsSchema

/// A field that is plain in the first version, and personal from the second one on.
@Schema(1, 0, 0) enum NotesV1 {
  @Record struct Noted: Equatable {
    var author: Int
    var text: String
    var place: String?
  }
}

@Schema(2, 0, 0) enum NotesV2 {
  @Record struct Noted: Equatable {
    var author: Int
    @Field(personal: "author", erased: "gone") var text: String
    @Field(personal: "author") var place: String?
  }
}

enum NotesPlanV1: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, NotesV1> {}
}

enum NotesPlanV2: SchemaMigrationPlan {
  static var stages: MigrationChain<NotesV1, NotesV2> {
    MigrationStage.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)
  }
}

extension NotesV2.Event: Equatable {}

@Suite struct PersonalHistoryTests {
  private func events(_ store: EventStore<NotesPlanV2>) throws -> [NotesV2.Event] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [NotesV2.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  /// The bytes of all files of a store.
  private func has(_ text: String, _ url: URL) throws -> Bool {
    let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if let data = try? Data(contentsOf: file), data.range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }

  @Test func `a field that becomes personal is encrypted in new events, and by a pass in older ones`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("notes.annals")
    let keys = MemoryKeys()
    do {
      let store = try EventStore(at: url, plan: NotesPlanV1.self)
      try await store.append([.noted(.init(author: 1, text: "an old secret", place: nil))], to: "a")
    }
    let store = try EventStore(at: url, plan: NotesPlanV2.self, options: keys.options)
    try await store.append([.noted(.init(author: 1, text: "a new secret", place: "here"))], to: "a")
    let before = try events(store)
    #expect(try has("an old secret", url))
    #expect(try !has("a new secret", url))
    _ = try await store.migrate().report()
    #expect(try events(store) == before)
    _ = try EventLog.discardPrevious(url)
    #expect(try !has("an old secret", url))
    try store.forget(1, by: "jane", because: "request")
    #expect(
      try events(store) == [
        .noted(.init(author: 1, text: "gone", place: nil)),
        .noted(.init(author: 1, text: "gone", place: nil)),
      ])
  }

  @Test func `an imported event is in the clear until a pass encrypts it`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("notes.annals")
    let keys = MemoryKeys()
    let store = try EventStore(at: url, plan: NotesPlanV2.self, options: keys.options)
    let payload = try Payload(["author": 1, "text": "an imported secret"])
    try await store.log.append(
      [NewEntry(type: "Noted", version: SchemaVersion(2, 0, 0), payload: payload)], to: "a")
    let event = NotesV2.Event.noted(.init(author: 1, text: "an imported secret", place: nil))
    #expect(try events(store) == [event])
    #expect(try has("an imported secret", url))
    _ = try await store.migrate().report()
    #expect(try events(store) == [event])
    _ = try EventLog.discardPrevious(url)
    #expect(try !has("an imported secret", url))
    #expect(keys.seals > 0)
    try store.forget(1, by: "jane", because: "request")
    #expect(try events(store) == [.noted(.init(author: 1, text: "gone", place: nil))])
  }

  /// An event as the model has it.
  private struct Modelled {
    let note: NotesV2.Noted
    /// Whether its values are encrypted in the store.
    var isSealed: Bool
    /// Whether a pass found it plain, of a person who was forgotten by then.
    var staysPlain = false

    func event(_ forgotten: Set<Int>) -> NotesV2.Event {
      guard isSealed, forgotten.contains(note.author) else { return .noted(note) }
      return .noted(.init(author: note.author, text: "gone", place: nil))
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `random histories of appends, drops and passes read as a model says`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("notes.annals")
    let keys = MemoryKeys()
    var model: [Modelled] = []
    var forgotten: Set<Int> = []
    do {
      let store = try EventStore(at: url, plan: NotesPlanV1.self)
      for number in 0..<10 {
        let note = NotesV2.Noted(
          author: Int.random(in: 0..<5, using: &generator), text: "old \(number)", place: "p")
        try await store.append(
          [.noted(.init(author: note.author, text: note.text, place: note.place))], to: "a")
        model.append(Modelled(note: note, isSealed: false))
      }
    }
    let store = try EventStore(at: url, plan: NotesPlanV2.self, options: keys.options)
    for step in 0..<40 {
      let author = Int.random(in: 0..<5, using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0:
        _ = try await store.migrate().report()
        for index in model.indices where !model[index].isSealed && !model[index].staysPlain {
          model[index].staysPlain = forgotten.contains(model[index].note.author)
          model[index].isSealed = !model[index].staysPlain
        }
      case 1:
        try store.forget(author, by: "jane", because: "step \(step)")
        forgotten.insert(author)
      default:
        let note = NotesV2.Noted(
          author: author, text: "note \(step)", place: Bool.random(using: &generator) ? "x" : nil)
        do throws(AnnalsError) {
          try await store.append([.noted(note)], to: "a")
          #expect(!forgotten.contains(author), "seed \(seed), step \(step)")
          model.append(Modelled(note: note, isSealed: true))
        } catch {
          #expect(
            error.code == .subjectForgotten && forgotten.contains(author), "seed \(seed), step \(step)")
        }
      }
      #expect(
        try events(store) == model.map { $0.event(forgotten) }, "seed \(seed), step \(step)")
    }
    #expect(try EventLog.verify(url).isClean)
  }
}
