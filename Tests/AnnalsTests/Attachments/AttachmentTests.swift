import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Attachments: contents that belong to events and are in files of their own.
@Suite struct AttachmentTests {
  private let album: Album

  init() throws {
    album = try Album()
  }

  @Test func `a content is in a file that equal attachments share, and read as it was attached`() async throws
  {
    let store = try album.store()
    let content = Album.content(1, count: 700_001)
    let photo = try store.attach(content)
    #expect(try store.attach(content) == photo)
    #expect(photo.size == 700_001)
    #expect(try album.files() == [photo.hash?.description])
    try await store.append(
      [.photoTaken(.init(title: "Harbour", photo: photo)), .photoTaken(.init(title: "Again", photo: photo))],
      to: "album-1")
    #expect(try store.content(of: photo) == content)
    let entry = try #require(try store.log.read { try $0.entry(at: 1) })
    let hash = try #require(photo.hash)
    #expect(entry.attachments == [hash])
    try store.read { snapshot in
      var entries = try snapshot.entries()
      let entry = try #require(try entries.next())
      guard case .photoTaken(let taken) = entry.event else { return #expect(Bool(false)) }
      #expect(taken == .init(title: "Harbour", photo: photo))
    }
    #expect(try EventLog.verify(album.place.url).isClean)
    #expect(try EventLog.inspect(album.place.url).requires.contains("attachments"))
  }

  @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 262_144, 262_145, 600_000])
  func `a content comes back, in the event below the limit, and else in a file`(count: Int) async throws {
    let store = try album.store()
    let content = Album.content(UInt64(count), count: count)
    let url = album.place.url.appendingPathExtension("photo")
    try content.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    var pieces = stride(from: 0, to: count, by: 1_000).map {
      content.subdata(in: $0..<min($0 + 1_000, count))
    }[...]
    let photos = [
      try store.attach(content), try store.attach(contentsOf: url), try store.attach { pieces.popFirst() },
    ]
    #expect(Set(photos).count == 1)
    try await store.append([.printed(.init(title: "", pages: photos, cover: nil))], to: "a")
    #expect(try album.files().count == (count < Annals.Attachment.inlineLimit ? 0 : 1))
    #expect(try store.content(of: photos[0]) == content)
    var read = Data()
    try store.read(photos[0]) { read.append($0) }
    #expect(read == content)
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test func `an event with a content that is not in the store is refused, and nothing is written`()
    async throws
  {
    let other = try Album()
    let photo = try other.store().attach(Album.content(2))
    let store = try album.store()
    for _ in 0..<2 {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append(
          [
            .printed(.init(title: "x", pages: [], cover: photo)),
            .photoTaken(.init(title: "y", photo: photo)),
          ],
          to: "a")
      }
      #expect(error?.code == .missingAttachment)
      _ = try store.attach(Album.content(3))
    }
    #expect(try store.log.read { try $0.head() } == nil)
    #expect(try !EventLog.inspect(album.place.url).requires.contains("attachments"))
    let error = #expect(throws: AnnalsError.self) { try store.content(of: photo) }
    #expect(error?.code == .missingAttachment)
  }

  @Test func `a content that was changed is found by reads and by verify`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(4, count: 600_000))
    try await store.append([.photoTaken(.init(title: "", photo: photo))], to: "a")
    try album.change(photo.hash) { $0[599_999] ^= 1 }
    var count = 0
    let error = #expect(throws: AnnalsError.self) { try store.read(photo) { count += $0.count } }
    #expect(error?.code == .damaged)
    #expect(count < 600_000, "the last piece is not delivered")
    let damaged = try EventLog.verify(album.place.url)
    #expect(damaged.findings.map(\.position) == [1] && damaged.findings[0].problem.contains("is damaged"))
    try album.change(photo.hash) { $0.removeLast() }
    #expect(throws: AnnalsError.self) { try store.content(of: photo) }
    // A content of another size is damaged for certain, so attaching it again repairs it.
    #expect(try store.attach(Album.content(4, count: 600_000)) == photo)
    #expect(try store.content(of: photo) == Album.content(4, count: 600_000))
    try FileManager.default.removeItem(at: album.blobs.appendingPathComponent(photo.hash?.description ?? ""))
    let missing = try EventLog.verify(album.place.url)
    #expect(missing.findings.first?.problem.contains("is missing") == true)
    let backup = album.place.url.appendingPathExtension("backup")
    let refused = #expect(throws: AnnalsError.self) { try store.backup(to: backup) }
    #expect(refused?.code == .missingAttachment)
    #expect(!FileManager.default.fileExists(atPath: backup.path))
  }

  @Test func `a read-only store attaches nothing, and a limit is kept`() throws {
    let photo = try album.store().attach(Album.content(5))
    let store = try EventStore(
      at: album.place.url, plan: AlbumFirst.self, options: StoreOptions(access: .readOnly))
    let error = #expect(throws: AnnalsError.self) { try store.attach(Album.content(6)) }
    #expect(error?.code == .readOnly)
    #expect(try store.content(of: photo) == Album.content(5))
    let large = #expect(throws: AnnalsError.self) { try store.content(of: photo, limit: 9_999) }
    #expect(large?.code == .tooLarge)
  }

  @Test func `attachments are upcast, and passes copy references, not contents`() async throws {
    let content = Album.content(7)
    let photo = try await { () async throws -> Annals.Attachment in
      let store = try album.store()
      let photo = try store.attach(content)
      try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
      return photo
    }()
    let inode = try FileManager.default.attributesOfItem(
      atPath: album.blobs.appendingPathComponent(try #require(photo.hash).description).path)[
        .systemFileNumber]
    let store = try EventStore(at: album.place.url, plan: AlbumPlan.self)
    for _ in 0..<2 {
      try store.read { snapshot in
        var entries = try snapshot.entries()
        let entry = try #require(try entries.next())
        guard case .photoTaken(let taken) = entry.event else { return #expect(Bool(false)) }
        #expect(taken == .init(caption: "Harbour", photo: photo))
      }
      _ = try await store.migrate().report()
    }
    _ = try EventLog.discardPrevious(album.place.url)
    #expect(try store.content(of: photo) == content)
    let known = try store.log.read { try $0.entry(at: 1)?.attachments }
    #expect(known == [photo.hash].compactMap { $0 })
    let now = try FileManager.default.attributesOfItem(
      atPath: album.blobs.appendingPathComponent(try #require(photo.hash).description).path)[
        .systemFileNumber]
    #expect(inode as? UInt64 == now as? UInt64)
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test func `a record that is stored by name can have attachments`() async throws {
    struct Scan: Codable, Equatable {
      var page: Annals.Attachment
    }
    let log = try EventLog(at: album.place.url)
    let photo = try log.attach(Album.content(8))
    let decoded = try JSONDecoder().decode(Scan.self, from: JSONEncoder().encode(Scan(page: photo)))
    #expect(decoded == Scan(page: photo))
    try await log.append(
      [NewEntry(type: "Scanned", version: nil, payload: Payload(.map([])), attachments: [photo])], to: "a")
    let known = try log.read { try $0.entry(at: 1)?.attachments }
    #expect(known == [photo.hash].compactMap { $0 })
    #expect(try EventLog.verify(album.place.url).isClean)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the hash is the same with and without special instructions, in pieces of any size`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let message = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    var portable = SHA256(isPortable: true)
    var rest = message[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...200, using: &random)
      portable.update(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(portable.finalize() == SHA256.hash(message))
  }
}
