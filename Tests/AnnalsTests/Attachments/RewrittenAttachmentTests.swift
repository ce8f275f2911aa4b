import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration

/// Attachments of entries that a pass combines, changes, drops and truncates.
@Suite struct RewrittenAttachmentTests {
  private let album: Album
  private var options = MigrationOptions()

  init() throws {
    album = try Album()
    options.attachmentGrace = .zero
  }

  /// Appends an entry for each list of photos, which are numbers of contents, each with its film.
  private func append(_ shots: [(film: String, photo: UInt64)]...) async throws {
    let store = try EventStore(at: album.place.url, plan: FilmFirst.self)
    for shot in shots {
      let photos = try shot.map { try store.attach(Album.content($0.photo)) }
      try await store.append([.shot(.init(films: shot.map(\.film), photos: photos))], to: "a")
    }
  }

  private func folded() throws -> EventStore<FilmPlan> {
    var options = StoreOptions()
    options.activating = true
    return try EventStore(at: album.place.url, plan: FilmPlan.self, options: options)
  }

  private func hash(_ content: UInt64) -> ContentHash? { ContentHash(SHA256.hash(Album.content(content))) }

  /// The numbers of the contents that each entry lists.
  private func listed(_ log: EventLog, _ positions: ClosedRange<UInt64>) throws -> [[UInt64]] {
    try positions.map { position in
      let hashes = try log.read { try $0.entry(at: Position(position))?.attachments } ?? []
      return (1...6).filter { number in hashes.contains { $0 == hash(number) } }
    }
  }

  /// The numbers of the contents that are left after passes which remove what nothing refers to.
  private func kept(_ log: EventLog) async throws -> [UInt64] {
    for _ in 0..<2 {
      _ = try await log.compact(options).report()
      _ = try EventLog.discardPrevious(album.place.url)
    }
    #expect(try EventLog.verify(album.place.url).isClean)
    let files = try album.files()
    return (1...6).filter { number in files.contains { $0 == hash(number)?.description } }
  }

  @Test func `an entry that a fold has made lists the contents of its event, and the others none`()
    async throws
  {
    try await append([("x", 1)], [("x", 2)], [("x", 3)])
    let store = try folded()
    _ = try await store.migrate(options).report()
    #expect(try listed(store.log, 1...3) == [[], [], [1, 2, 3]])
    try store.erase([1], by: "me", because: "a law")
    #expect(try await kept(store.log) == [1, 2, 3])
    try store.erase([3], by: "me", because: "a law")
    #expect(try await kept(store.log) == [])
    #expect(try store.log.erasures().map(\.remains) == [[], []])
  }

  @Test func `a content moves to a later entry with its part of an entry`() async throws {
    try await append([("x", 1), ("y", 2)], [("y", 3)], [("z", 4), ("z", 5)])
    let store = try folded()
    _ = try await store.migrate(options).report()
    #expect(try listed(store.log, 1...3) == [[1], [2, 3], [4, 5]])
    try store.erase([2], by: "me", because: "a law")
    #expect(try await kept(store.log) == [1, 4, 5])
  }

  @Test func `a dump of a fold that no pass has made lists the contents of its event`() async throws {
    try await append([("x", 1)], [("x", 2)])
    let store = try folded()
    var lines = try EventLines(store.log, plan: FilmPlan.self, as: FilmV3.version)
    let page = try #require(try lines.nextPage())
    let text = String(decoding: page, as: UTF8.self)
    let hashes = [hash(1), hash(2)].compactMap(\.self).sorted().map { "\"\($0)\"" }
    #expect(text.contains("\"attachments\":[\(hashes.joined(separator: ","))]"), "\(text)")
  }

  @Test func `an entry keeps the contents that its event no longer has, until it is truncated`()
    async throws
  {
    try await append([("x", 1), ("x", 2)], [("x", 3)], [("x", 4)])
    let store = try EventStore(at: album.place.url, plan: CountPlan.self)
    _ = try await store.migrate(options).report()
    #expect(try listed(store.log, 1...3) == [[1, 2], [3], [4]])
    #expect(try await kept(store.log) == [1, 2, 3, 4])
    try await store.truncate("a", before: 2)
    #expect(try await kept(store.log) == [4])
    #expect(try listed(store.log, 1...3) == [[], [], [4]])
  }

  @Test func `the contents of truncated entries leave with a migration, too`() async throws {
    try await append([("x", 1)], [("x", 2), ("x", 3)], [("x", 4)])
    do {
      let store = try EventStore(at: album.place.url, plan: CountPlan.self)
      try await store.truncate("a", before: 1)
      _ = try await store.migrate(options).report()
      _ = try EventLog.discardPrevious(album.place.url)
      #expect(try listed(store.log, 1...3) == [[], [2, 3], [4]])
      try await store.truncate("a", before: 2)
    }
    let store = try EventStore(at: album.place.url, plan: NumberPlan.self)
    _ = try await store.migrate(options).report()
    #expect(try listed(store.log, 1...3) == [[], [], [4]])
    #expect(try await kept(store.log) == [4])
  }
}
