import Annals
import AnnalsTestSupport
import Foundation
import Testing

@Schema(1, 0, 0) enum FoldersV1 {
  @Record struct FolderAdded { var id: UUID; var name: String }
  @Record struct FolderRemoved { var id: UUID }
  @Record struct NoteAdded { var id: UUID; var folder: UUID?; var author: UUID? }
  @Record struct NoteRemoved { var id: UUID }
  @Record struct AuthorAdded { var id: UUID }
  @Record struct AuthorRemoved { var id: UUID }
}

enum FolderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<FoldersV1, FoldersV1> {}
}

/// Folders with unique names, which own their notes. Notes only mention their author.
enum Folders: InlineProjection {
  typealias Event = FoldersV1.Event
  @Record struct Folder: ProjectionRow {
    var id: UUID
    var name: String
    var key: UUID { id }
    static let byName = SecondaryKey<Folder, String>("name", unique: true) { $0.name }
    static var secondaryKeys: [any DeclaredKey<Folder>] { [byName] }
  }
  @Record struct Note: ProjectionRow {
    var id: UUID
    var folder: UUID?
    var author: UUID?
    var key: UUID { id }
    static let inFolder = SecondaryKey<Note, UUID>("folder") { $0.folder }
    static let byAuthor = SecondaryKey<Note, UUID>("author") { $0.author }
    static var secondaryKeys: [any DeclaredKey<Note>] { [inFolder, byAuthor] }
  }

  static let name = "folders"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Folder.self), .rows(Note.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .folderAdded(let added): try rows.put(Folder(id: added.id, name: added.name))
    case .folderRemoved(let removed):
      try rows.delete(Folder.self, removed.id)
      for note in try rows.rows(RowQuery(Note.inFolder, .key(removed.id))) {  // cascade
        try rows.delete(Note.self, note.id)
      }
    case .noteAdded(let added): try rows.put(Note(id: added.id, folder: added.folder, author: added.author))
    case .noteRemoved(let removed): try rows.delete(Note.self, removed.id)
    case .authorAdded: break
    case .authorRemoved(let removed):
      for var note in try rows.rows(RowQuery(Note.byAuthor, .key(removed.id))) {
        guard note.folder != nil else { throw Rejection("the author has notes outside of folders") }  // deny
        note.author = nil  // nullify
        try rows.put(note)
      }
    }
  }
}

/// What `@Relationship(deleteRule:)` and `@Attribute(.unique)` do in SwiftData.
struct DeleteRuleTests {
  private let place: TemporaryStore
  private let store: EventStore<FolderPlan>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: FolderPlan.self, inline: [Folders.self])
  }

  private func notes() throws -> [Folders.Note] {
    try store.read { snapshot throws(AnnalsError) in
      try snapshot.inline(Folders.self).rows(RowQuery(Folders.Note.self))
    }
  }

  @Test func `a removed folder takes its notes along`() async throws {
    let (folder, inside, outside) = (UUID(), UUID(), UUID())
    try await store.append(
      [
        .folderAdded(.init(id: folder, name: "Work")),
        .noteAdded(.init(id: inside, folder: folder, author: nil)),
        .noteAdded(.init(id: outside, folder: nil, author: nil)),
      ], to: "folders")
    try await store.append([.folderRemoved(.init(id: folder))], to: "folders")
    #expect(try notes().map(\.id) == [outside])
  }

  @Test func `a removed author is cleared from notes, or may not be removed`() async throws {
    let (folder, ann, ben) = (UUID(), UUID(), UUID())
    try await store.append(
      [
        .folderAdded(.init(id: folder, name: "Work")), .authorAdded(.init(id: ann)),
        .authorAdded(.init(id: ben)),
        .noteAdded(.init(id: UUID(), folder: folder, author: ann)),
        .noteAdded(.init(id: UUID(), folder: nil, author: ben)),
      ], to: "folders")
    try await store.append([.authorRemoved(.init(id: ann))], to: "folders")
    #expect(try notes().compactMap(\.author) == [ben])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.authorRemoved(.init(id: ben))], to: "folders")
    }
    #expect(error?.code == .rejected)
  }

  @Test func `a second folder of a name is refused, and the opposite event undoes the first`() async throws {
    let work = FoldersV1.FolderAdded(id: UUID(), name: "Work")
    try await store.append([.folderAdded(work)], to: "folders")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.folderAdded(.init(id: UUID(), name: "Work"))], to: "folders")
    }
    #expect(error?.code == .rejected)
    // Undo: the log has the event, so the opposite one follows from it.
    let added = try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(in: "folders", backwards: true, limit: 1)
      return try entries.next()?.event
    }
    guard case .folderAdded(let folder)? = added else {
      Issue.record("the newest event is another one")
      return
    }
    try await store.append([.folderRemoved(.init(id: folder.id))], to: "folders")
    try await store.append([.folderAdded(.init(id: UUID(), name: "Work"))], to: "folders")
  }
}
