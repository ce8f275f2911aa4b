import Annals
import AnnalsTesting
import Foundation
import Testing

/// The examples of the guide to projections: an index, a deletion that affects other rows, and a many-to-many
/// relationship.
@Suite struct ViewTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func open() throws -> EventStore<GalleryPlan> {
    try EventStore(at: place.url, plan: GalleryPlan.self)
  }

  private let first = UUID(), second = UUID(), red = UUID(), blue = UUID()

  /// Two albums, two photographs, one of them in both albums.
  private func fill(_ store: EventStore<GalleryPlan>) async throws -> Position {
    try await store.append(
      [.albumMade(.init(id: red, title: "Red")), .albumMade(.init(id: blue, title: "Blue"))], to: "albums")
    try await store.append(
      [
        .photoTaken(.init(id: first, title: "Harbour", albums: [red])),
        .photoTaken(.init(id: second, title: "Bridge", albums: [red, blue])),
      ], to: "photos")
    return try await store.append([.photoRated(.init(photo: second, stars: 5))], to: "photos").positions[0]
  }

  @Test func `rows are found by their keys, and read their own writes on request`() async throws {
    let store = try open()
    let position = try await fill(store)
    let view = try store.view(Photos.self)
    try await view.waitUntil(position)
    #expect(try view.get(Photos.Photo.self, second)?.stars == 5)
    #expect(try view.rows(RowQuery(Photos.Photo.byTitle)).map(\.title) == ["Bridge", "Harbour"])
    #expect(
      try view.rows(RowQuery(Photos.Photo.self).filter(#Predicate { $0.stars > 3 })).map(\.id) == [second])
    #expect(try view.count(RowQuery(Photos.Photo.byAlbum, .key(red))) == 2)
    try ProjectionLaws.check(Photos.self, in: store)
  }

  // Promise P172.
  @Test func `a relationship of many to many is a set of ids in the event and a key of the row`() async throws
  {
    let store = try open()
    try await store.view(Photos.self).waitUntil(fill(store))
    let view = try store.view(Photos.self)
    #expect(try view.rows(RowQuery(Photos.Photo.byAlbum, .key(blue))).map(\.title) == ["Bridge"])
    #expect(
      Set(try view.rows(RowQuery(Photos.Photo.byAlbum, .key(red))).map(\.title)) == ["Bridge", "Harbour"])
    let position = try await store.append([.photoFiled(.init(photo: first, albums: [blue]))], to: "photos")
      .positions[0]
    try await view.waitUntil(position)
    #expect(try view.rows(RowQuery(Photos.Photo.byAlbum, .key(red))).map(\.title) == ["Bridge"])
  }

  // Promises P170, P171.
  @Test func `a deletion is an event, and the projection decides its effects`() async throws {
    let store = try open()
    let view = try store.view(Photos.self)
    try await view.waitUntil(fill(store))
    let position = try await store.append([.albumDeleted(.init(id: red))], to: "albums").positions[0]
    try await view.waitUntil(position)
    // A photograph goes with its last album.
    #expect(try view.get(Photos.Photo.self, first) == nil)
    #expect(try view.get(Photos.Photo.self, second)?.albums == [blue])
    // The log still contains it.
    let all = try await store.entries().reduce(into: 0) { count, _ in count += 1 }
    #expect(all == 6)
    try ProjectionLaws.check(Photos.self, in: store)
  }

  // Promise P173.
  @Test func `an index is added by raising the version, and the older one serves meanwhile`() async throws {
    let store = try open()
    let old = try store.view(Photos.self)
    let position = try await fill(store)
    try await old.waitUntil(position)
    let new = try store.view(RatedPhotos.self)
    try await new.waitUntil(position)
    #expect(try new.rows(RowQuery(RatedPhotos.Photo.byStars).descending()).map(\.stars) == [5, 0])
    #expect(try new.status().servedVersion == 2)
    try ProjectionLaws.check(RatedPhotos.self, in: store)
  }
}

@Schema(1, 0, 0) enum GalleryV1 {
  @Record struct AlbumMade { var id: UUID; var title: String }
  @Record struct AlbumDeleted { var id: UUID }
  @Record struct PhotoTaken { var id: UUID; var title: String; var albums: Set<UUID> }
  @Record struct PhotoRated { var photo: UUID; var stars: Int }
  @Record struct PhotoFiled { var photo: UUID; var albums: Set<UUID> }
}

enum GalleryPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GalleryV1, GalleryV1> {}
}

enum Photos: Projection {
  typealias Event = GalleryV1.Event
  @Record struct Photo: ProjectionRow {
    var id: UUID
    var title: String
    var stars: Int
    var albums: Set<UUID>

    var key: UUID { id }
    static let byTitle = SecondaryKey<Photo, String>("title") { $0.title }
    static let byAlbum = SecondaryKey<Photo, UUID>("album", each: { Array($0.albums) })
    static var secondaryKeys: [any DeclaredKey<Photo>] { [byTitle, byAlbum] }
  }

  static let name = "photos"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Photo.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .albumMade: break
    case .albumDeleted(let album):
      for var photo in try rows.rows(RowQuery(Photo.byAlbum, .key(album.id))) {
        photo.albums.remove(album.id)
        if photo.albums.isEmpty { try rows.delete(Photo.self, photo.id) } else { try rows.put(photo) }
      }
    case .photoTaken(let photo):
      try rows.put(Photo(id: photo.id, title: photo.title, stars: 0, albums: photo.albums))
    case .photoRated(let rating):
      guard var photo = try rows.get(Photo.self, rating.photo) else { return }
      photo.stars = rating.stars
      try rows.put(photo)
    case .photoFiled(let filing):
      guard var photo = try rows.get(Photo.self, filing.photo) else { return }
      photo.albums = filing.albums
      try rows.put(photo)
    }
  }
}

/// The same with one more key.
enum RatedPhotos: Projection {
  typealias Event = GalleryV1.Event
  @Record struct Photo: ProjectionRow {
    var id: UUID
    var title: String
    var stars: Int

    var key: UUID { id }
    static let byStars = SecondaryKey<Photo, Int>("stars") { $0.stars }
    static var secondaryKeys: [any DeclaredKey<Photo>] { [byStars] }
  }

  static let name = "photos"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(Photo.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .photoTaken(let photo): try rows.put(Photo(id: photo.id, title: photo.title, stars: 0))
    case .photoRated(let rating):
      guard var photo = try rows.get(Photo.self, rating.photo) else { return }
      photo.stars = rating.stars
      try rows.put(photo)
    case .albumMade, .albumDeleted, .photoFiled: break
    }
  }
}
