import Testing

@testable import Annals
@testable import AnnalsProjections

/// Rows that cannot be encoded, and are replaced before they could be stored.
struct UnencodableRowTests {
  @Schema(1, 0, 0) enum NotesV1 {
    @Record struct Noted {
      var way: Int
      var isNull: Bool
    }
  }
  enum NotesPlan: SchemaMigrationPlan { static var stages: MigrationChain<NotesV1, NotesV1> {} }

  /// Rows whose value may be a null inside an optional, which has no encoding.
  enum Notes: Projection, InlineProjection {
    typealias Event = NotesV1.Event
    @Record struct Note: ProjectionRow {
      var id: Int
      var value: AnyValue?
      var key: Int { id }
    }
    @Record struct Keyed: ProjectionRow {
      var id: Int
      @Indexed var count: Int
      var value: AnyValue?
      var key: Int { id }
    }

    static let name = "notes"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Note.self), .rows(Keyed.self)] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .noted(let noted) = entry.event else { return }
      let value: AnyValue? = noted.isNull ? .some(.null) : nil
      switch noted.way {
      case 0: try rows.put(Note(id: 1, value: value))
      case 1:
        _ = try rows.get(Note.self, 1)
        try rows.put(Note(id: 1, value: value))
      case 2: try rows.update(Note.self, 1, initial: Note(id: 1, value: nil)) { $0.value = value }
      case 3: try rows.put(Keyed(id: 1, count: 1, value: value))
      case 4:
        try rows.update(Keyed.self, 1, initial: Keyed(id: 1, count: 1, value: nil)) { $0.value = value }
      default:
        // The fold goes on with the old row.
        do { try rows.put(Note(id: 1, value: value)) } catch {
          guard let note = try rows.get(Note.self, 1) else { throw error }
          try rows.put(note)
        }
      }
    }
  }

  static func noted(_ way: Int, isNull: Bool = false) -> NotesV1.Event {
    .noted(.init(way: way, isNull: isNull))
  }

  @Test(
    "a row that cannot be encoded stops the view, also if another of its call replaces it",
    arguments: 0..<5, [false, true])
  func stops(way: Int, isOneCall: Bool) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: NotesPlan.self)
    let view = try store.view(Notes.self)
    try await store.append([Self.noted(way)], to: "s", waitingFor: view)
    if isOneCall {
      try await store.append([Self.noted(way, isNull: true), Self.noted(way)], to: "s")
    } else {
      try await store.append([Self.noted(way, isNull: true)], to: "s")
      try await store.append([Self.noted(way)], to: "s")
    }
    try await waitUntil {
      guard case .stopped = try view.status().state else { return false }
      return true
    }
    guard case .stopped(let error) = try view.status().state else { return }
    #expect(error.code == .ruleFailed && error.details.position == 2, "\(error)")
    #expect(try view.status().position == 1 || view.status().progress?.done == 1)
  }

  @Test("an append is refused whose row cannot be encoded, also if the call replaces it", arguments: 0..<5)
  func refused(way: Int) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: NotesPlan.self, inline: [Notes.self])
    try await store.append([Self.noted(way)], to: "s")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([Self.noted(way, isNull: true), Self.noted(way)], to: "s")
    }
    #expect(error?.code == .ruleFailed && error?.message.contains("no encoding") == true)
    let positions = try await store.append([Self.noted(way)], to: "s").positions
    #expect(positions == [2])
  }

  @Test("a fold that ignores the error finds the old row, also a stored one")
  func ignored() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: NotesPlan.self, inline: [Notes.self])
      try await store.append([Self.noted(0)], to: "s")
    }
    let store = try EventStore(at: place.url, plan: NotesPlan.self, inline: [Notes.self])
    try await store.append([Self.noted(5, isNull: true), Self.noted(5, isNull: true)], to: "s")
    let note = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(Notes.self).get(Notes.Note.self, 1)
    }
    #expect(note?.id == 1 && note?.value == nil)
  }

  @Test("only rows whose fields may refuse a value are encoded at each change")
  func sure() throws {
    let outline = try ProjectionOutline(Library.self)
    #expect(outline.tables.map(\.mayRefuse) == [false, false])
    #expect(try ProjectionOutline(Notes.self).tables.map(\.mayRefuse) == [true, true])
  }
}
