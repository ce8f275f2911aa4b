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

  @Test func `verify lists every content that cannot be read, and goes on`() async throws {
    let store = try album.store()
    let photos = try (1...4).map { try store.attach(Album.content($0)) }
    for photo in photos {
      try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
    }
    let files = try photos.map { try file(of: $0) }
    let manager = FileManager.default
    for file in files { try manager.removeItem(at: file) }
    try manager.createSymbolicLink(at: files[0], withDestinationURL: album.place.url)
    try manager.createDirectory(at: files[1], withIntermediateDirectories: false)
    let made = unsafe mkfifo(files[2].path, 0o600)
    try #require(made == 0)
    let report = try EventLog.verify(album.place.url)
    #expect(report.findings.map(\.position) == [1, 2, 3, 4] && report.isComplete)
    for (finding, photo) in zip(report.findings, photos) {
      #expect(finding.problem.contains(try #require(photo.hash).description))
    }
    #expect(report.findings.dropLast().allSatisfy { $0.problem.contains("cannot be read") })
    #expect(report.findings.last?.problem.contains("is missing") == true)
  }

  @Test(.enabled(if: geteuid() != 0, "nothing is unreadable to root"))
  func `verify lists a content and a directory of contents that the system refuses`() async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file(of: photo).path)
    #expect(try EventLog.verify(album.place.url).findings.map(\.position) == [1])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: album.blobs.path)
    #expect(try EventLog.verify(album.place.url).findings.map(\.place) == ["directory 'blobs'"])
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: album.blobs.path)
  }

  @Test func `a link in place of the directory of contents is one finding`() async throws {
    let store = try album.store()
    for photo in try (1...2).map({ try store.attach(Album.content($0)) }) {
      try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "a")
    }
    let moved = album.place.directory.appendingPathComponent("moved")
    try FileManager.default.moveItem(at: album.blobs, to: moved)
    try FileManager.default.createSymbolicLink(at: album.blobs, withDestinationURL: moved)
    #expect(try EventLog.verify(album.place.url).findings.map(\.place) == ["directory 'blobs'"])
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["a directory", "a pipe"])
  func `only a regular file is attached, and the error names the other one`(kind: String) async throws {
    let store = try album.store()
    let photo = try store.attach(Album.content(1))
    let lines = #"{"stream":"a","type":"T","attachments":["\#(try #require(photo.hash))"],"data":{}}"#
    let other = try Album()
    let log = try EventLog(at: other.place.url)
    let folder = album.place.directory.appendingPathComponent("contents")
    let url = folder.appendingPathComponent(try #require(photo.hash).description)
    try FileManager.default.createDirectory(
      at: kind == "a pipe" ? folder : url, withIntermediateDirectories: true)
    if kind == "a pipe" {
      let made = unsafe mkfifo(url.path, 0o600)
      try #require(made == 0)
    }
    let refused = #expect(throws: AnnalsError.self) { try log.attach(contentsOf: url) }
    var options = ImportOptions()
    options.attachments = folder
    let imported = await error(of: { () throws(AnnalsError) in try await log.importText(lines, options) })
    for error in [refused, imported] {
      #expect(error?.code == .inputOutput && error?.details.file == url.path)
      #expect(error?.message.contains("'\(url.path)' is no regular file") == true)
    }
    #expect(try other.files() == [] && log.read { try $0.head() } == nil)
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

  @Test func `import repairs a damaged file, and lets an old one stay for its lines`() async throws {
    let other = try Album()
    let photos = try (1...2).map { try other.store().attach(Album.content($0)) }
    let store = try album.store()
    for number in 1...2 as ClosedRange<UInt64> { _ = try store.attach(Album.content(number)) }
    try album.change(photos[0].hash) { $0[0] ^= 1 }
    try album.age()
    var options = ImportOptions()
    options.attachments = other.blobs
    let lines = try photos.map {
      #"{"stream":"a","type":"T","attachments":["\#(try #require($0.hash))"],"data":{}}"#
    }
    _ = try await store.log.importText(lines.joined(separator: "\n"), options)
    for (photo, number) in zip(photos, UInt64(1)...) {
      #expect(try store.content(of: photo) == Album.content(number))
      let time = try file(of: photo).resourceValues(forKeys: [.contentModificationDateKey])
      #expect(try #require(time.contentModificationDate).timeIntervalSinceNow > -60)
    }
    #expect(try album.files().count == 2)
    // Nothing could repair it.
    try album.change(photos[0].hash) { $0[0] ^= 1 }
    try FileManager.default.removeItem(
      at: other.blobs.appendingPathComponent(try #require(photos[0].hash).description))
    let error = await error(of: { () throws(AnnalsError) in
      try await store.log.importText(lines[0].replacing("\"a\"", with: "\"b\""), options)
    })
    #expect(error?.code == .inputOutput)
    #expect(try store.log.read { try $0.head() } == 2)
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
