import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsAttachments
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Files whose contents differ from those that were attached.
@Suite struct AttachmentDamageTests {
  private let album: Album

  init() throws {
    album = try Album()
  }

  private func file(of photo: Annals.Attachment) throws -> URL {
    album.blobs.appendingPathComponent(try #require(photo.hash).description)
  }

  @Test func `a file that has lost its content is found`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1, count: 10_000))
    try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
    try Data().write(to: file(of: photo))
    #expect(throws: AnnalsError.self) { try store.content(of: photo) }
    #expect(try !EventLog.verify(album.place.url).isClean)
    let copy = album.place.directory.appendingPathComponent("copy")
    #expect(throws: AnnalsError.self) { try store.log.backup(to: copy) }
  }

  @Test func `attaching a content again mends its file`() throws {
    let store = try album.store()
    let content = Album.content(2, count: 10_000)
    let photo = try store.attach(content)
    var rotten = content
    rotten[5_000] ^= 1
    try rotten.write(to: file(of: photo))
    #expect(throws: AnnalsError.self) { try store.content(of: photo) }
    #expect(try store.attach(content) == photo)
    #expect(try store.content(of: photo) == content)
    #expect(try album.files() == [photo.hash?.description])
  }

  @Test func `a content that is not finished leaves no file`() throws {
    let directory = try album.store().log.core.generation.directory
    do {
      var writer = BlobWriter(directory)
      try writer.write(Array(repeating: 7, count: 10_000).span)
    }
    #expect(try album.files() == [])
  }

  @Test func `lines of a version name the attachments`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(3, count: 10_000))
    try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
    var lines = try EventLines(store.log, plan: AlbumPlan.self)
    let page = String(decoding: try #require(try lines.nextPage()), as: UTF8.self)
    #expect(page.contains(#""attachments":["\#(try #require(photo.hash))"]"#), "\(page)")
  }
}
